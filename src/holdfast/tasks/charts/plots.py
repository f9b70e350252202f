"""Draws the charts: tasks by status as bars, open tasks by day as lines, dependencies as a graph of boxes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal

from holdfast.kernel.text import counted, shorten
from holdfast.tasks.charts import figures
from holdfast.tasks.charts.figures import Box, BurndownDay, TaskEdge, TaskGraph
from holdfast.tasks.charts.picture import LINE_COLOUR, MUTED_COLOUR, Drawing, Label, Line, Rectangle
from holdfast.tasks.store.query import Query, count_by_status
from holdfast.tasks.store.states import STATUSES, Status
from holdfast.tasks.store.tasks import Tasks

STATUS_COLOURS: Mapping[str, str] = {
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
        Label(20, 46, f"{counted(total, 'task')}{share}", colour=MUTED_COLOUR),
    )
    maximum = max([1, *counts.values()])
    for position, (status, count) in enumerate(counts.items()):
        middle = _BARS_TOP + _BAR_ROW * position + _BAR_ROW / 2
        length = _MAX_BAR_LENGTH * count / maximum
        drawing.add(
            Label(_BARS_LEFT - 12, middle, status, align="end"),
            Rectangle(_BARS_LEFT, middle - 12, length, 24, STATUS_COLOURS.get(status, _OTHER_COLOUR)),
            Label(_BARS_LEFT + length + 8, middle, str(count)),
        )
    drawing.add(Line(((_BARS_LEFT, _BARS_TOP), (_BARS_LEFT, drawing.height - 20)), colour=LINE_COLOUR))
    return drawing


# The layout of the burndown chart, in pixels.
_DAYS_WIDTH, _DAYS_HEIGHT = 780, 360
_DAYS_LEFT, _DAYS_RIGHT, _DAYS_TOP, _DAYS_BOTTOM = 60, 700, 80, 310
_MAX_TICKS = 6
"""A judgement: six dates fit below the chart side by side."""


def burndown_chart(name: str, days: Sequence[BurndownDay]) -> Drawing:
    """Return a line chart of the numbers of open and done tasks."""
    drawing = Drawing(_DAYS_WIDTH, _DAYS_HEIGHT, f"Open tasks of {name} by day")
    drawing.add(Label(20, 24, shorten(drawing.title, 66, tidy=True), size=16))
    if not days:
        drawing.add(Label(20, 46, "No tasks yet.", colour=MUTED_COLOUR))
        return drawing
    drawing.add(Label(20, 46, f"{days[0].day} to {days[-1].day}", colour=MUTED_COLOUR))
    open_counts, done_counts = [day.open_count for day in days], [day.done_count for day in days]
    highest = max(1, *open_counts, *done_counts)
    _draw_grid(drawing, [day.day for day in days], highest)
    _draw_series(drawing, "open", STATUS_COLOURS["in-progress"], open_counts, highest)
    _draw_series(drawing, "done", STATUS_COLOURS["done"], done_counts, highest)
    return drawing


def _draw_series(drawing: Drawing, name: str, colour: str, values: Sequence[int], highest: int) -> None:
    points = [
        (_day_x(position, len(values)), _count_y(value, highest)) for position, value in enumerate(values)
    ]
    _, y = points[-1]
    if len(points) == 1:
        points.append((_DAYS_RIGHT, y))
    drawing.add(
        Line(tuple(points), colour=colour, width=2.5),
        Label(_DAYS_RIGHT + 8, y, f"{name} {values[-1]}", size=11, colour=colour),
    )


def _draw_grid(drawing: Drawing, days: Sequence[date], highest: int) -> None:
    for value in sorted({0, highest // 2, highest}):
        y = _count_y(value, highest)
        drawing.add(
            Line(((_DAYS_LEFT, y), (_DAYS_RIGHT, y)), colour=LINE_COLOUR),
            Label(_DAYS_LEFT - 8, y, str(value), align="end"),
        )
    step = math.ceil(len(days) / _MAX_TICKS)
    for position in range(0, len(days), step):
        x = _day_x(position, len(days))
        drawing.add(Label(x, _DAYS_BOTTOM + 20, days[position].strftime("%m-%d"), size=11, align="middle"))


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


def graph_chart(name: str, graph: TaskGraph) -> Drawing:
    """Return the dependency graph as boxes with arrows from a task to those that wait for it."""
    boxes = graph.boxes[:MAX_BOXES]
    shown = {box.id for box in boxes}
    edges = [edge for edge in graph.edges if shown.issuperset(edge)]
    positions = _grid_positions(boxes, edges)
    columns = 1 + max([column for column, _ in positions.values()], default=0)
    rows = 1 + max([row for _, row in positions.values()], default=0)
    drawing = Drawing(
        max(480, _BOXES_LEFT * 2 + _BOX_COLUMN * (columns - 1) + _BOX_WIDTH),
        _BOXES_TOP + _BOX_ROW * rows + 10,
        f"What the tasks of {name} wait for",
    )
    size = f"{len(boxes)} of {graph.total} tasks" if len(boxes) < graph.total else counted(len(boxes), "task")
    drawing.add(
        Label(20, 24, shorten(drawing.title, 50, tidy=True), size=16),
        Label(20, 46, f"{size}, {counted(len(edges), 'dependency', 'dependencies')}", colour=MUTED_COLOUR),
    )
    for task, needed in edges:
        x, y = _left_middle(positions[needed])
        ends = (x + _BOX_WIDTH, y), _left_middle(positions[task])
        drawing.add(Line(ends, colour=MUTED_COLOUR, arrow=True))
    for box in boxes:
        _draw_box(drawing, box, positions[box.id])
    return drawing


def _draw_box(drawing: Drawing, box: Box, position: tuple[int, int]) -> None:
    x, y = _top_left(position)
    drawing.add(
        Rectangle(x, y, _BOX_WIDTH, _BOX_HEIGHT, "#f5f7fa"),
        Rectangle(x, y, 5, _BOX_HEIGHT, STATUS_COLOURS.get(box.status, _OTHER_COLOUR)),
        Label(x + 12, y + 13, f"{box.id}  {box.status}", size=11, colour=MUTED_COLOUR),
        Label(x + 12, y + 28, shorten(box.title, 26, tidy=True), size=11),
    )


def _grid_positions(boxes: Sequence[Box], edges: Sequence[TaskEdge]) -> dict[str, tuple[int, int]]:
    """Return the column and row of each box: a task is to the right of all tasks it waits for."""
    columns = _depths([box.id for box in boxes], edges)
    filled: dict[int, int] = {}
    positions = {}
    for box in boxes:
        column = columns[box.id]
        positions[box.id] = (column, filled.get(column, 0))
        filled[column] = filled.get(column, 0) + 1
    return positions


def _depths(ids: Sequence[str], edges: Sequence[TaskEdge]) -> Mapping[str, int]:
    """Return the length of the longest path to each task, by relaxation.

    Rounds are limited to the number of tasks, so this ends even if damaged data contains a cycle.
    """
    depths = dict.fromkeys(ids, 0)
    for _ in ids:
        has_changed = False
        for task, needed in edges:
            if depths[task] <= depths[needed] < len(ids):
                depths[task] = depths[needed] + 1
                has_changed = True
        if not has_changed:
            break
    return depths


def _top_left(position: tuple[int, int]) -> tuple[float, float]:
    column, row = position
    return _BOXES_LEFT + _BOX_COLUMN * column, _BOXES_TOP + _BOX_ROW * row


def _left_middle(position: tuple[int, int]) -> tuple[float, float]:
    x, y = _top_left(position)
    return x, y + _BOX_HEIGHT / 2


def draw(room: Tasks, kind: ChartKind) -> tuple[Drawing, dict[Status, int]]:
    """Return a chart of the workspace as a drawing, and the number of tasks in each state."""
    with room.reading() as transaction:
        workspace = transaction.workspace
        counts_found = count_by_status(transaction, Query())
        counts = {status: counts_found.get(status, 0) for status in STATUSES}
        if kind == "burndown":
            days = figures.burndown(transaction, transaction.time.date())
            return burndown_chart(workspace.name, days), counts
        if kind == "graph":
            graph = figures.dependency_graph(transaction, MAX_BOXES)
            return graph_chart(workspace.name, graph), counts
        return status_chart(workspace.name, counts), counts
