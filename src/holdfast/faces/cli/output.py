"""Writes the output of commands reliably, styles text for a terminal, and defines the exit statuses.

Contract:
- `write` returns only after the operating system has accepted the whole text. Otherwise it raises
  `OutputFailed`, and the caller must not treat the text as delivered.
- Text is encoded as UTF-8 in any locale, and bypasses Python's buffers, so that no write is left that could
  fail when the interpreter exits.

Exit statuses:

    0          success
    2 to 11    an error: the status of its class in `holdfast.kernel.errors`
    70         a defect of Holdfast, with a reference to find it in the log
    74         the result could not be written; nothing counts as delivered
    130        interrupted
    141        the reader of the output closed the pipe; nothing counts as delivered

A result may define another status: an operation that reports damage has succeeded, but scripts need to know.
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
READER_DISCONNECTED: Final = 141
"""128 plus SIGPIPE, as shells report it. The others are documented at the top of the module."""

_DEFAULT_WIDTH_COLUMNS = 80
"""For a terminal that does not report its width; the width of a VT100."""
_UNLIMITED_WIDTH_COLUMNS = 10_000
"""A judgement: wider than any line, so that nothing is cut."""


class OutputFailed(Exception):
    """The text could not be written to standard output."""

    def __init__(self, reason: str, status: int = WRITE_FAILED) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


def write(text: str | bytes) -> None:
    """Write text, or the bytes of a file, to standard output."""
    if sys.stdout is None or sys.stdout.closed:
        raise OutputFailed("Standard output is closed.")
    try:
        sys.stdout.flush()
        data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        _write_all(sys.stdout.fileno(), data)
    except BrokenPipeError as failure:
        raise OutputFailed("The reader went away.", READER_DISCONNECTED) from failure
    except OSError as failure:
        raise OutputFailed(f"The result could not be written: {failure.strerror or failure}.") from failure


def write_text(text: str) -> None:
    """Write text for a person, without invisible characters and ending with a line feed."""
    text = visible(text)
    if text:
        write(text if text.endswith("\n") else f"{text}\n")


def _write_all(descriptor: int, data: bytes) -> None:
    remaining = memoryview(data)
    while remaining:
        try:
            remaining = remaining[os.write(descriptor, remaining) :]
        except BlockingIOError:
            # Another process that shares the terminal or pipe has made it non-blocking.
            select.select([], [descriptor], [])


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def terminal_width(stream: TextIO | None) -> int:
    """Return the width of a terminal; for any other stream, a width at which nothing is cut."""
    if stream is None or not is_terminal(stream):
        return _UNLIMITED_WIDTH_COLUMNS
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_WIDTH_COLUMNS
    except OSError:
        return _DEFAULT_WIDTH_COLUMNS


def style_text(text: str, stream: TextIO | None, **style: Any) -> str:
    """Return text in a style of `click.style` if the stream is a terminal and colour is not disabled."""
    if not is_terminal(stream) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    # Imported here because the fast path of quick commands writes without it.
    import click

    return click.style(text, **style)
