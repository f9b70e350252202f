"""The progress line that a command shows on a terminal while its operation runs."""

from __future__ import annotations

import sys
from typing import TextIO

from holdfast.faces.cli.output import is_terminal, terminal_width
from holdfast.kernel.call import Level, Listener
from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.text import one_line

_BAR_CHARACTERS = 24
"""A judgement: one character for about four percent, and room for a message in 80 columns."""
UPDATE_INTERVAL_SECONDS = 0.1
"""A judgement: smooth to the eye, and almost free."""
_CLEAR_LINE = "\r\x1b[K"


class ProgressLine(Listener):
    """Shows progress on one line of a terminal; shows nothing if the stream is not one."""

    def __init__(self, stream: TextIO | None, *, clock: MonotonicClock = monotonic) -> None:
        self._stream = stream if is_terminal(stream) else None
        self._clock = clock
        self._next_update = 0.0
        self._is_drawn = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *failure: object) -> None:
        self.clear()

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Redraw the line, at most once every `_UPDATE_INTERVAL_SECONDS`."""
        now = self._clock()
        if self._stream is not None and now >= self._next_update:
            self._next_update = now + UPDATE_INTERVAL_SECONDS
            self._draw(self._stream, f"{_progress_text(done, total)} {one_line(message or '')}")

    def log(self, level: Level, text: str) -> None:
        """Print warnings and errors on standard error."""
        if level in ("warning", "error") and sys.stderr is not None:
            self.clear()
            print(f"{level.capitalize()}: {one_line(text)}", file=sys.stderr)  # noqa: T201

    def clear(self) -> None:
        if self._stream is not None and self._is_drawn:
            self._draw(self._stream, "")
            self._is_drawn = False

    def _draw(self, stream: TextIO, text: str) -> None:
        stream.write(_CLEAR_LINE + text[: terminal_width(stream) - 1])
        stream.flush()
        self._is_drawn = True


def _progress_text(done: float, total: float | None) -> str:
    if not total:
        return f"{done:g}"
    fraction = min(max(done / total, 0.0), 1.0)
    filled = round(fraction * _BAR_CHARACTERS)
    return f"[{'#' * filled}{'.' * (_BAR_CHARACTERS - filled)}] {fraction:4.0%}"
