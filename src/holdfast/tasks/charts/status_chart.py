"""How many tasks are in which state, as bars."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.kernel.text import shorten
from holdfast.tasks.charts.drawing import QUIET, RULE, Drawing, Label, Line, Rectangle
from holdfast.tasks.store.states import Status

COLORS: Mapping[str, str] = {
    "backlog": "#9aa5b1",
    "in-progress": "#2680c2",
    "blocked": "#d64545",
    "review": "#de911d",
    "done": "#3f9142",
    "dropped": "#cbd2d9",
}
OTHER = "#616e7c"

_WIDTH = 640
_ROW = 40
_TOP = 70
_BARS_FROM = 130
_LONGEST = 430


def status_chart(name: str, counts: Mapping[Status, int]) -> Drawing:
    """Return a bar for each state in its usual order, as long as its share of the tasks."""
    total = sum(counts.values())
    drawing = Drawing(_WIDTH, _TOP + _ROW * len(counts) + 20, f"Tasks of {name} by status")
    done = counts.get("done", 0)
    open_or_done = total - counts.get("dropped", 0)
    share = f", {round(100 * done / open_or_done)} % done" if open_or_done else ""
    drawing.add(
        Label(20, 24, shorten(drawing.title, 60, tidy=True), size=16),
        Label(20, 46, f"{total} task{'' if total == 1 else 's'}{share}", color=QUIET),
    )
    most = max([1, *counts.values()])
    for position, (status, count) in enumerate(counts.items()):
        middle = _TOP + _ROW * position + _ROW / 2
        length = _LONGEST * count / most
        drawing.add(
            Label(_BARS_FROM - 12, middle, status, align="end"),
            Rectangle(_BARS_FROM, middle - 12, length, 24, COLORS.get(status, OTHER)),
            Label(_BARS_FROM + length + 8, middle, str(count)),
        )
    drawing.add(Line(((_BARS_FROM, _TOP), (_BARS_FROM, drawing.height - 20)), color=RULE))
    return drawing
