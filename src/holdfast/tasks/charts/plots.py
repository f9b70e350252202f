"""Draws the charts: tasks by status as bars, open tasks by day as lines, dependencies as a graph of boxes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal

from holdfast.kernel.text import counted, shorten
from holdfast.tasks.charts import figures
from holdfast.tasks.charts.figures import Box
from holdfast.tasks.charts.picture import LINE_COLOUR, MUTED_COLOUR, Drawing, Label, Line, Rectangle
from holdfast.tasks.store.states import Status
from holdfast.tasks.store.tasks import Tasks

COLORS: Mapping[str, str] = {
    "backlog": "#9aa5b1",
    "in-progress": "#2680c2",
    "blocked": "#d64545",
    "review": "#de911d",
    "done": "#3f9142",
    "dropped": "#cbd2d9",
}
_OTHER_COLOUR = "#616e7c"
ChartKind = Literal["status", "burndown", "graph"]

# The layout of the bar chart, in pixels.
_BARS_WIDTH = 640
_BAR_ROW = 40
_BARS_TOP = 70
_BARS_LEFT = 130
_MAX_BAR_LENGTH = 430


def status_chart(name: str, counts: Mapping[Status, int]) -> Drawing:
    """Return a bar chart of the number of tasks in each state."""
    total = sum(counts.values())
    drawing = Drawing(_BARS_WIDTH, _BARS_TOP + _BAR_ROW * len(counts) + 20, f"Tasks of {name} by status")
    done = counts.get("done", 0)
    open_or_done = total - counts.get("dropped", 0)
    share = f", {round(100 * done / open_or_done)} % done" if open_or_done else ""
    drawing.add(
        Label(20, 24, shorten(drawing.title, 60, tidy=True), size=16),
        Label(20, 46, f"{counted(total, 'task')}{share}", color=MUTED_COLOUR),
    )
    maximum = max([1, *counts.values()])
    for position, (status, count) in enumerate(counts.items()):
        middle = _BARS_TOP + _BAR_ROW * position + _BAR_ROW / 2
        length = _MAX_BAR_LENGTH * count / maximum
        drawing.add(
            Label(_BARS_LEFT - 12, middle, status, align="end"),
            Rectangle(_BARS_LEFT, middle - 12, length, 24, COLORS.get(status, _OTHER_COLOUR)),
            Label(_BARS_LEFT + length + 8, middle, str(count)),
        )
    drawing.add(Line(((_BARS_LEFT, _BARS_TOP), (_BARS_LEFT, drawing.height - 20)), color=LINE_COLOUR))
    return drawing


# The layout of the burndown chart, in pixels.
_DAYS_WIDTH, _DAYS_HEIGHT = 780, 360
_DAYS_LEFT, _DAYS_RIGHT, _DAYS_TOP, _DAYS_BOTTOM = 60, 700, 80, 310
_MAX_TICKS = 6
"""A judgement: six dates fit below the chart side by side."""


def burndown_chart(name: str, days: Sequence[tuple[date, int, int]]) -> Drawing:
    """Return a line chart; each day is its date, and the numbers of open and done tasks at its end."""
    drawing = Drawing(_DAYS_WIDTH, _DAYS_HEIGHT, f"Open tasks of {name} by day")
    drawing.add(Label(20, 24, shorten(drawing.title, 66, tidy=True), size=16))
    if not days:
        drawing.add(Label(20, 46, "No tasks yet.", color=MUTED_COLOUR))
        return drawing
    first, last = days[0][0], days[-1][0]
    drawing.add(Label(20, 46, f"{first.isoformat()} to {last.isoformat()}", color=MUTED_COLOUR))
    highest = max(1, *(max(open_count, done_count) for _, open_count, done_count in days))
    _draw_grid(drawing, days, highest)
    _draw_series(drawing, f"open {days[-1][1]}", COLORS["in-progress"], [day[1] for day in days], highest)
    _draw_series(drawing, f"done {days[-1][2]}", COLORS["done"], [day[2] for day in days], highest)
    return drawing


def _draw_series(drawing: Drawing, label: str, color: str, values: Sequence[int], highest: int) -> None:
    points = [
        (_day_x(position, len(values)), _count_y(value, highest)) for position, value in enumerate(values)
    ]
    if len(points) == 1:
        points.append((_DAYS_RIGHT, points[0][1]))
    drawing.add(
        Line(tuple(points), color=color, width=2.5),
        Label(_DAYS_RIGHT + 8, points[-1][1], label, size=11, color=color),
    )


def _draw_grid(drawing: Drawing, days: Sequence[tuple[date, int, int]], highest: int) -> None:
    for value in sorted({0, highest // 2, highest}):
        y = _count_y(value, highest)
        drawing.add(
            Line(((_DAYS_LEFT, y), (_DAYS_RIGHT, y)), color=LINE_COLOUR),
            Label(_DAYS_LEFT - 8, y, str(value), align="end"),
        )
    step = math.ceil(len(days) / _MAX_TICKS)
    for position in range(0, len(days), step):
        x = _day_x(position, len(days))
        drawing.add(Label(x, _DAYS_BOTTOM + 20, days[position][0].strftime("%m-%d"), size=11, align="middle"))


def _day_x(position: int, count: int) -> float:
    return _DAYS_LEFT if count == 1 else _DAYS_LEFT + (_DAYS_RIGHT - _DAYS_LEFT) * position / (count - 1)


def _count_y(value: int, highest: int) -> float:
    return _DAYS_BOTTOM - (_DAYS_BOTTOM - _DAYS_TOP) * value / highest


MAX_BOXES = 60
"""A judgement: a picture with more boxes cannot be read."""

# The layout of the graph, in pixels.
_BOX_WIDTH, _BOX_HEIGHT = 190, 40
_BOX_COLUMN, _BOX_ROW = 250, 56
_BOXES_LEFT, _BOXES_TOP = 20, 70


def graph_chart(name: str, boxes: Sequence[Box], needs: Sequence[tuple[str, str]]) -> Drawing:
    """Return the dependency graph; each pair in `needs` is a task and one it waits for."""
    shown = list(boxes[:MAX_BOXES])
    known = {box.id for box in shown}
    edges = [(task, needed) for task, needed in needs if task in known and needed in known]
    positions = _grid_positions(shown, edges)
    columns = 1 + max([column for column, _ in positions.values()], default=0)
    rows = 1 + max([row for _, row in positions.values()], default=0)
    drawing = Drawing(
        max(480, _BOXES_LEFT * 2 + _BOX_COLUMN * (columns - 1) + _BOX_WIDTH),
        _BOXES_TOP + _BOX_ROW * rows + 10,
        f"What the tasks of {name} wait for",
    )
    size = f"{len(shown)} of {len(boxes)} tasks" if len(shown) < len(boxes) else counted(len(shown), "task")
    drawing.add(
        Label(20, 24, shorten(drawing.title, 50, tidy=True), size=16),
        Label(20, 46, f"{size}, {counted(len(edges), 'dependency', 'dependencies')}", color=MUTED_COLOUR),
    )
    for task, needed in edges:
        ends = _middle_of_side(positions[needed], _BOX_WIDTH), _middle_of_side(positions[task])
        drawing.add(Line(ends, color=MUTED_COLOUR, arrow=True))
    for box in shown:
        _draw_box(drawing, box, positions[box.id])
    return drawing


def _draw_box(drawing: Drawing, box: Box, position: tuple[int, int]) -> None:
    x, y = _top_left(position)
    drawing.add(
        Rectangle(x, y, _BOX_WIDTH, _BOX_HEIGHT, "#f5f7fa"),
        Rectangle(x, y, 5, _BOX_HEIGHT, COLORS.get(box.status, _OTHER_COLOUR)),
        Label(x + 12, y + 13, f"{box.id}  {box.status}", size=11, color=MUTED_COLOUR),
        Label(x + 12, y + 28, shorten(box.title, 26, tidy=True), size=11),
    )


def _grid_positions(boxes: Sequence[Box], edges: Sequence[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Return the column and row of each box: a task is to the right of all tasks it waits for."""
    columns = _depths([box.id for box in boxes], edges)
    filled: dict[int, int] = {}
    positions = {}
    for box in boxes:
        column = columns[box.id]
        positions[box.id] = (column, filled.get(column, 0))
        filled[column] = filled.get(column, 0) + 1
    return positions


def _depths(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> Mapping[str, int]:
    """Return the length of the longest path to each task, by relaxation.

    Depths are bounded by the number of tasks, so this ends even if damaged data contains a cycle.
    """
    depths = dict.fromkeys(names, 0)
    for _ in names:
        has_changed = False
        for task, needed in edges:
            if depths[task] <= depths[needed] < len(names):
                depths[task] = depths[needed] + 1
                has_changed = True
        if not has_changed:
            break
    return depths


def _top_left(position: tuple[int, int]) -> tuple[float, float]:
    column, row = position
    return _BOXES_LEFT + _BOX_COLUMN * column, _BOXES_TOP + _BOX_ROW * row


def _middle_of_side(position: tuple[int, int], across: float = 0) -> tuple[float, float]:
    x, y = _top_left(position)
    return x + across, y + _BOX_HEIGHT / 2


def draw(room: Tasks, kind: ChartKind) -> tuple[Drawing, dict[Status, int]]:
    """Return a chart as a drawing, and the counts by status."""
    with room.reading() as transaction:
        workspace = transaction.workspace
        counts = figures.counts_by_status(transaction)
        if kind == "burndown":
            days = figures.burndown(transaction, transaction.time.date())
            return burndown_chart(workspace.name, days), counts
        if kind == "graph":
            boxes, needs, _ = figures.dependency_graph(transaction, MAX_BOXES)
            return graph_chart(workspace.name, boxes, needs), counts
        return status_chart(workspace.name, counts), counts
