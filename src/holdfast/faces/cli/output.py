"""What a command writes, what the other end can show of it, and the status with which it ends.

Contract:
- `write` returns only after the operating system took all of the text. Whatever else happens it
  raises `OutputFailed`, and the caller must not treat the text as delivered.
- Bytes are UTF-8 whatever the locale says, and bypass Python's buffers: nothing is left over that
  could fail a second time when the interpreter ends.

How a command ends, as a number:

    0          it did what was asked
    2 to 10    it could not: the number of the branch in `holdfast.kernel.errors`
    70         a defect of ours, with a reference to find it by
    74         the result could not be written; nothing counts as delivered
    130        interrupted
    141        the reader of our output went away; nothing counts as delivered

A result may carry a status of its own: an operation that found damage did what was asked, and a
script still wants to know.
"""

from __future__ import annotations

import os
import select
import sys
from typing import Any, Final, TextIO

from holdfast.kernel.call import Level, Listener
from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import visible

SUCCESS: Final = 0
WRITE_FAILED: Final = 74
INTERRUPTED: Final = 130
READER_LEFT: Final = 141

_USUAL_WIDTH = 80
_UNLIMITED = 10_000
_BAR_WIDTH = 24
_SECONDS_BETWEEN_UPDATES = 0.1
_START_OF_CLEAN_LINE = "\r\x1b[K"


class OutputFailed(Exception):
    """The text did not reach standard output."""

    def __init__(self, reason: str, status: int = WRITE_FAILED) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


def write(text: str | bytes) -> None:
    """Write a text, or the bytes of a file, to standard output, all of it."""
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


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a person looks at the stream."""
    return stream is not None and not stream.closed and stream.isatty()


def width_of(stream: TextIO | None) -> int:
    """Return how many columns a person sees; where nobody looks, enough that nothing is cut."""
    if stream is None or not is_terminal(stream):
        return _UNLIMITED
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


def styled(text: str, stream: TextIO | None, **style: Any) -> str:
    """Return `text` in a style, if the stream is a terminal whose user did not refuse colour."""
    if not is_terminal(stream) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    import click

    return click.style(text, **style)


class ProgressLine(Listener):
    """Draws at most ten times a second, in the width there is, and only on a terminal."""

    def __init__(self, stream: TextIO | None, *, clock: MonotonicClock = monotonic) -> None:
        self._stream = stream if is_terminal(stream) else None
        self._clock = clock
        self._next_update = 0.0
        self._drawn = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *failure: object) -> None:
        self.clear()

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Show the state of the operation, unless the last one was shown a moment ago."""
        now = self._clock()
        if self._stream is not None and now >= self._next_update:
            self._next_update = now + _SECONDS_BETWEEN_UPDATES
            self._draw(self._stream, f"{_measure(done, total)} {one_line(message or '')}")

    def log(self, level: Level, text: str) -> None:
        """Tell what a person should know, beside the answer, on standard error."""
        if level in ("warning", "error") and sys.stderr is not None:
            self.clear()
            print(f"{level.capitalize()}: {one_line(text)}", file=sys.stderr)  # noqa: T201

    def clear(self) -> None:
        """Remove the line."""
        if self._stream is not None and self._drawn:
            self._draw(self._stream, "")
            self._drawn = False

    def _draw(self, stream: TextIO, text: str) -> None:
        stream.write(_START_OF_CLEAN_LINE + text[: width_of(stream) - 1])
        stream.flush()
        self._drawn = True


def _measure(done: float, total: float | None) -> str:
    if not total:
        return f"{done:g}"
    share = min(max(done / total, 0.0), 1.0)
    filled = round(share * _BAR_WIDTH)
    return f"[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {share:4.0%}"
