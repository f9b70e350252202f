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
    """Shows progress on one line of a terminal; shows nothing if the stream is not one.

    Each stage of the operation fills an equal part of one bar. A stage begins where the progress falls behind
    what was reported before. The bar never shrinks, and is full at the end of a successful operation.
    """

    def __init__(self, stream: TextIO | None, *, stages: int = 1, clock: MonotonicClock = monotonic) -> None:
        self._stream = stream if is_terminal(stream) else None
        self._stages = stages
        self._clock = clock
        self._next_update = 0.0
        self._is_drawn = False
        self._finished_stages = 0
        self._stage_share = 0.0
        self._share: float | None = None
        """The share of the bar that is filled; None until a total is known."""

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, failure: object, *_: object) -> None:
        if failure is None and self._stream is not None and self._is_drawn and self._share is not None:
            self._draw(self._stream, _bar(1.0))
        self.clear()

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Redraw the line, at most once every `_UPDATE_INTERVAL_SECONDS`."""
        if self._stream is None:
            return
        if total:
            self._advance(min(max(done / total, 0.0), 1.0))
        now = self._clock()
        if now >= self._next_update:
            self._next_update = now + UPDATE_INTERVAL_SECONDS
            shown = f"{done:g}" if self._share is None else _bar(self._share)
            self._draw(self._stream, f"{shown} {one_line(message or '')}")

    def _advance(self, stage_share: float) -> None:
        if stage_share < self._stage_share and self._finished_stages < self._stages - 1:
            self._finished_stages += 1
        self._stage_share = stage_share
        self._share = max(self._share or 0.0, (self._finished_stages + stage_share) / self._stages)

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


def _bar(share: float) -> str:
    filled = round(share * _BAR_CHARACTERS)
    return f"[{'#' * filled}{'.' * (_BAR_CHARACTERS - filled)}] {share:4.0%}"
