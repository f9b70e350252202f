"""Which task waits for which, as boxes in columns with arrows from what is needed to what needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.kernel.text import shorten
from holdfast.tasks.charts.drawing import QUIET, Drawing, Label, Line, Rectangle
from holdfast.tasks.charts.status_chart import COLORS, OTHER

MOST_BOXES = 60

_BOX_WIDTH, _BOX_HEIGHT = 190, 40
_COLUMN, _ROW = 250, 56
_LEFT, _TOP = 20, 70


@dataclass(frozen=True)
class Box:
    """A task as the graph shows it."""

    id: str
    title: str
    status: str


def graph_chart(name: str, boxes: Sequence[Box], needs: Sequence[tuple[str, str]]) -> Drawing:
    """Return the graph of tasks; each pair of `needs` is a task and one it waits for."""
    shown = list(boxes[:MOST_BOXES])
    known = {box.id for box in shown}
    edges = [(task, needed) for task, needed in needs if task in known and needed in known]
    places = _places(shown, edges)
    columns = 1 + max([column for column, _ in places.values()], default=0)
    rows = 1 + max([row for _, row in places.values()], default=0)
    drawing = Drawing(
        max(480, _LEFT * 2 + _COLUMN * (columns - 1) + _BOX_WIDTH),
        _TOP + _ROW * rows + 10,
        f"What the tasks of {name} wait for",
    )
    told = f"{len(shown)} of {len(boxes)} tasks" if len(shown) < len(boxes) else f"{len(shown)} tasks"
    drawing.add(
        Label(20, 24, shorten(drawing.title, 50, tidy=True), size=16),
        Label(20, 46, f"{told}, {len(edges)} dependencies", color=QUIET),
    )
    for task, needed in edges:
        drawing.add(Line((_right_of(places[needed]), _left_of(places[task])), color=QUIET, arrow=True))
    for box in shown:
        _paint(drawing, box, places[box.id])
    return drawing


def _paint(drawing: Drawing, box: Box, place: tuple[int, int]) -> None:
    x, y = _corner(place)
    drawing.add(
        Rectangle(x, y, _BOX_WIDTH, _BOX_HEIGHT, "#f5f7fa"),
        Rectangle(x, y, 5, _BOX_HEIGHT, COLORS.get(box.status, OTHER)),
        Label(x + 12, y + 13, f"{box.id}  {box.status}", size=11, color=QUIET),
        Label(x + 12, y + 28, shorten(box.title, 26, tidy=True), size=11),
    )


def _places(boxes: Sequence[Box], edges: Sequence[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Return column and row of each box: a task stands right of everything it waits for."""
    columns = _depths([box.id for box in boxes], edges)
    filled: dict[int, int] = {}
    places = {}
    for box in boxes:
        column = columns[box.id]
        places[box.id] = (column, filled.get(column, 0))
        filled[column] = filled.get(column, 0) + 1
    return places


def _depths(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> Mapping[str, int]:
    """Return the longest way to each task. It ends even for a damaged graph that goes in circles."""
    depths = dict.fromkeys(names, 0)
    for _ in names:
        moved = False
        for task, needed in edges:
            if depths[task] <= depths[needed] < len(names):
                depths[task] = depths[needed] + 1
                moved = True
        if not moved:
            break
    return depths


def _corner(place: tuple[int, int]) -> tuple[float, float]:
    column, row = place
    return _LEFT + _COLUMN * column, _TOP + _ROW * row


def _left_of(place: tuple[int, int]) -> tuple[float, float]:
    x, y = _corner(place)
    return x, y + _BOX_HEIGHT / 2


def _right_of(place: tuple[int, int]) -> tuple[float, float]:
    x, y = _corner(place)
    return x + _BOX_WIDTH, y + _BOX_HEIGHT / 2
