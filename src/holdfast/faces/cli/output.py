"""A command's output: writing it reliably, fitting it to the terminal, and the exit status.

Contract:
- `write` returns only after the operating system has taken all of the text. Otherwise it raises
  `OutputFailed`, and the caller must not treat the text as delivered.
- Bytes are UTF-8 whatever the locale, and bypass Python's buffers, so that nothing is left that could fail
  when the interpreter exits.

Exit statuses:

    0          success
    2 to 11    an error: the status of its branch in `holdfast.kernel.errors`
    70         a defect of ours, with a reference to find it by
    74         the result could not be written; nothing counts as delivered
    130        interrupted
    141        the reader of our output went away; nothing counts as delivered

A result may have a status of its own: an operation that reports damage has succeeded, but scripts need to
know.
"""

from __future__ import annotations

import os
import select
import sys
from typing import Any, Final, TextIO

from holdfast.kernel.untrusted import visible

SUCCESS: Final = 0
WRITE_FAILED: Final = 74
INTERRUPTED: Final = 130
READER_LEFT: Final = 141

_DEFAULT_WIDTH = 80
_UNLIMITED = 10_000


class OutputFailed(Exception):
    """The text could not be written to standard output."""

    def __init__(self, reason: str, status: int = WRITE_FAILED) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


def write(text: str | bytes) -> None:
    """Write a text, or the bytes of a file, to standard output."""
    if sys.stdout is None or sys.stdout.closed:
        raise OutputFailed("Standard output is closed.")
    try:
        sys.stdout.flush()
        data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        _write_all(sys.stdout.fileno(), data)
    except BrokenPipeError as failure:
        raise OutputFailed("The reader went away.", READER_LEFT) from failure
    except OSError as failure:
        raise OutputFailed(f"The result could not be written: {failure.strerror or failure}.") from failure


def write_text(text: str) -> None:
    """Write text for a person, without invisible characters and ending with a line feed."""
    text = visible(text)
    if text:
        write(text if text.endswith("\n") else f"{text}\n")


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            # Another process that shares the terminal or pipe has made it non-blocking.
            select.select([], [descriptor], [])


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def width_of(stream: TextIO | None) -> int:
    """Return the width of a terminal; for any other stream, enough that nothing is cut."""
    if stream is None or not is_terminal(stream):
        return _UNLIMITED
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_WIDTH
    except OSError:
        return _DEFAULT_WIDTH


def styled(text: str, stream: TextIO | None, **style: Any) -> str:
    """Return styled text if the stream is a terminal on which colour is not turned off."""
    if not is_terminal(stream) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    import click

    return click.style(text, **style)
