"""How many tasks were open at the end of each day, as a line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from holdfast.kernel.text import shorten
from holdfast.tasks.charts.drawing import QUIET, RULE, Drawing, Label, Line
from holdfast.tasks.charts.status_chart import COLORS

_WIDTH, _HEIGHT = 780, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 700, 80, 310
_MOST_TICKS = 6


def burndown_chart(name: str, days: Sequence[tuple[date, int, int]]) -> Drawing:
    """Return the lines of open and of finished tasks; each day is its date and both counts at its end."""
    drawing = Drawing(_WIDTH, _HEIGHT, f"Open tasks of {name} by day")
    drawing.add(Label(20, 24, shorten(drawing.title, 66, tidy=True), size=16))
    if not days:
        drawing.add(Label(20, 46, "No task was ever created here.", color=QUIET))
        return drawing
    first, last = days[0][0], days[-1][0]
    drawing.add(Label(20, 46, f"{first.isoformat()} to {last.isoformat()}", color=QUIET))
    highest = max(1, *(max(still_open, done) for _, still_open, done in days))
    _grid(drawing, days, highest)
    _series(drawing, f"open {days[-1][1]}", COLORS["in-progress"], [day[1] for day in days], highest)
    _series(drawing, f"done {days[-1][2]}", COLORS["done"], [day[2] for day in days], highest)
    return drawing


def _series(drawing: Drawing, label: str, color: str, values: Sequence[int], highest: int) -> None:
    points = [
        (_across(position, len(values)), _down(value, highest)) for position, value in enumerate(values)
    ]
    if len(points) == 1:
        points.append((_RIGHT, points[0][1]))
    drawing.add(
        Line(tuple(points), color=color, width=2.5),
        Label(_RIGHT + 8, points[-1][1], label, size=11, color=color),
    )


def _grid(drawing: Drawing, days: Sequence[tuple[date, int, int]], highest: int) -> None:
    for value in sorted({0, highest // 2, highest}):
        y = _down(value, highest)
        drawing.add(Line(((_LEFT, y), (_RIGHT, y)), color=RULE), Label(_LEFT - 8, y, str(value), align="end"))
    step = max(1, -(-len(days) // _MOST_TICKS))
    for position in range(0, len(days), step):
        x = _across(position, len(days))
        drawing.add(Label(x, _BOTTOM + 20, days[position][0].strftime("%m-%d"), size=11, align="middle"))


def _across(position: int, count: int) -> float:
    return _LEFT if count == 1 else _LEFT + (_RIGHT - _LEFT) * position / (count - 1)


def _down(value: int, highest: int) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value / highest
