"""Standard output, written so that success means the reader's side has every byte.

Contract:
- `write` returns only after the operating system took all of the text. Whatever else happens it
  raises `OutputFailed`, and the caller must not treat the text as delivered.
- Bytes are UTF-8 whatever the locale says, and bypass Python's buffers: nothing is left over that
  could fail a second time when the interpreter ends.
"""

from __future__ import annotations

import os
import select
import sys

from holdfast.faces.cli import exit_status
from holdfast.kernel.untrusted import visible


class OutputFailed(Exception):
    """The text did not reach standard output."""

    def __init__(self, reason: str, status: int = exit_status.WRITE_FAILED) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status

    @property
    def is_quiet(self) -> bool:
        """Whether nobody is left who would want to be told."""
        return self.status == exit_status.READER_LEFT


def write(text: str) -> None:
    """Write `text` to standard output, all of it."""
    if sys.stdout is None or sys.stdout.closed:
        raise OutputFailed("Standard output is closed.")
    try:
        sys.stdout.flush()
        _write_all(sys.stdout.fileno(), text.encode("utf-8", "replace"))
    except BrokenPipeError as failure:
        raise OutputFailed("The reader went away.", exit_status.READER_LEFT) from failure
    except OSError as failure:
        raise OutputFailed(f"The result could not be written: {failure.strerror or failure}.") from failure


def write_words(text: str) -> None:
    """Write what an operation says in words, without anything invisible in it."""
    text = visible(text)
    if text:
        write(text if text.endswith("\n") else f"{text}\n")


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            # Somebody who shares the terminal or pipe made it non-blocking.
            select.select([], [descriptor], [])
