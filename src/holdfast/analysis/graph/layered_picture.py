"""A dependency graph as a layered SVG drawing (Sugiyama's method): users left of their dependencies.

Contract: the same graph gives the same bytes. Names are untrusted: each one is escaped, and none becomes an
id or a style. Files without edges are not drawn; if there are too many files, folders are drawn in their
place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from holdfast.analysis.graph.dependency_graph import DependencyEdge
from holdfast.kernel.untrusted import visible
from holdfast.syntax.components import strong_components

_FONT_PIXELS = 13
_BOX_WIDTH = 190
"""Pixels: a judgement, the width of `_MAX_LABEL_CHARACTERS` and a margin."""
_BOX_HEIGHT = 22
"""Pixels: a judgement, a line of text with a border."""
_TEXT_OFFSET = (8, 15)
"""Pixels from a box's corner to the start of its text's baseline: a judgement, which centres the text."""
_COLUMN_DISTANCE = 270
"""Pixels from one column to the next: a judgement. It leaves 80 for the edges between them."""
_ROW_DISTANCE = 30
"""Pixels from one row to the next: a judgement. It leaves 8 between boxes."""
_MARGIN = 12
"""Pixels around the drawing: a judgement."""
_MAX_LABEL_CHARACTERS = 26
"""Characters of a path that fit into a box."""
_BEND_WIDTH = 60
"""Pixels by which edges that lead back bend out: a judgement, less than the space between columns."""
_SWEEPS = 6
"""Passes of the barycentre heuristic, which orders each layer: a judgement. Later passes change little."""
_EDGE = '<path class="edge{ring}" data-id="{ends}" d="{curve}"><title>{title}</title></path>'
_BOX = (
    '<a class="node{folder}{ring}" data-id="{number}" data-path="{path}" href="/code/{address}">'
    "<title>{path}</title>"
    '<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="white" stroke="gray"/>'
    '<text x="{text_x}" y="{text_y}">{label}</text></a>'
)
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    ' role="group" aria-label="{label}" font-family="sans-serif" font-size="{font}">'
    '<g fill="none" stroke="silver">{edges}</g><g class="nodes">{boxes}</g></svg>'
)
Links = Mapping[tuple[str, str], int]
"""The number of places in the source for each pair of boxes: user and dependency."""
Point = tuple[int, int]


class Picture(NamedTuple):
    """The drawing, and the numbers of boxes and edges that it shows."""

    svg: str
    boxes: int
    folders: int
    """The number of boxes that are folders, each for all files below it."""
    edges: int


def layered_picture(
    edges: Iterable[DependencyEdge], max_boxes: int, *, folders_first: bool = False
) -> Picture:
    """Draw the imports between files; folders replace files if there are too many for the limit.

    With `folders_first`, each subfolder of their common folder is one box, if those are not too many.
    """
    edges = list(edges)
    box_of = _boxes({end for edge in edges for end in edge.ends}, max_boxes, folders_first=folders_first)
    links = Counter[tuple[str, str]]()
    for edge in edges:
        origin, target = box_of[edge.origin], box_of[edge.target]
        if origin != target:
            links[origin, target] += edge.weight
    boxes = {end for link in links for end in link}
    folders = boxes - box_of.keys()
    return Picture(_svg(_layers(links), links, folders), len(boxes), len(folders), len(links))


def _boxes(files: Collection[str], max_boxes: int, *, folders_first: bool) -> dict[str, str]:
    """Map each file to its box: its own, or that of a folder, `.` for the root.

    Unless the folders come first, they are expanded for as long as the boxes stay within the limit, those
    with the most files first.
    """
    children = defaultdict[str, set[str]](set)
    file_counts = Counter[str]()
    for file in files:
        path = file
        while path:
            folder = path.rpartition("/")[0]
            children[folder].add(path)
            file_counts[folder] += 1
            path = folder
    boxes = {""}
    if folders_first:
        while len(boxes) == 1 and boxes <= children.keys():
            boxes = children[next(iter(boxes))]
    if folders_first and len(boxes) <= max_boxes:
        children.clear()
    else:
        boxes = {""}
    for folder in sorted(children, key=lambda folder: (-file_counts[folder], folder)):
        if folder in boxes and len(boxes) - 1 + len(children[folder]) <= max_boxes:
            boxes = boxes - {folder} | children[folder]
    return {file: next(path for path in _path_and_folders(file) if path in boxes) or "." for file in files}


def _path_and_folders(path: str) -> Iterator[str]:
    """Yield a path and the folders that contain it, up to the root."""
    yield path
    while path:
        path = path.rpartition("/")[0]
        yield path


def _components(links: Links) -> list[list[str]]:
    targets = defaultdict[str, list[str]](list)
    for origin, target in sorted(links):
        targets[origin].append(target)
    return strong_components(targets)


def _layers(links: Links) -> list[list[str]]:
    """Assign boxes to layers, users first, and order each layer by the barycentre of the neighbours."""
    targets, neighbours = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for origin, target in sorted(links):
        targets[origin].append(target)
        neighbours[origin].append(target)
        neighbours[target].append(origin)
    height: dict[str, int] = {}
    for component in _components(links):
        heights_below = [height[target] for box in component for target in targets[box] if target in height]
        height.update(dict.fromkeys(component, max(heights_below, default=-1) + 1))
    layers: list[list[str]] = [[] for _ in range(max(height.values(), default=-1) + 1)]
    for box in sorted(height):
        layers[-1 - height[box]].append(box)
    _reduce_crossings(layers, neighbours)
    return layers


def _reduce_crossings(layers: Sequence[list[str]], neighbours: Mapping[str, Sequence[str]]) -> None:
    """Sort each layer by the mean position of each box's neighbours, several times."""
    position: dict[str, float] = {}

    def barycentre(box: str) -> tuple[float, str]:
        return sum(position[other] for other in neighbours[box]) / len(neighbours[box]), box

    for _ in range(_SWEEPS):
        for layer in layers:
            position.update({box: row - len(layer) / 2 for row, box in enumerate(layer)})
        for layer in layers:
            layer.sort(key=barycentre)


def _svg(layers: Sequence[Sequence[str]], links: Links, folders: Collection[str]) -> str:
    """Return the drawing: layers as columns from left to right, and curves for the links."""
    max_rows = max(map(len, layers), default=0)
    corners = _corners(layers, max_rows)
    numbers = {box: number for number, box in enumerate(corners)}
    cycle_of = {
        box: number
        for number, component in enumerate(_components(links))
        for box in component
        if len(component) > 1
    }
    edges = []
    for (origin, target), places in sorted(links.items()):
        is_in_cycle = origin in cycle_of and cycle_of[origin] == cycle_of.get(target)
        edges.append(
            _EDGE.format(
                ring=" ring" if is_in_cycle else "",
                ends=f"{numbers[origin]} {numbers[target]}",
                curve=_curve(corners[origin], corners[target]),
                title=_escape(f"{origin} uses {target} in {places} place{'s' if places > 1 else ''}"),
            )
        )
    boxes = [
        _box(box, numbers[box], corner, is_in_cycle=box in cycle_of, is_folder=box in folders)
        for box, corner in corners.items()
    ]
    return _SVG.format(
        width=2 * _MARGIN + _COLUMN_DISTANCE * max(len(layers) - 1, 0) + _BOX_WIDTH + _BEND_WIDTH,
        height=2 * _MARGIN + _ROW_DISTANCE * max_rows,
        font=_FONT_PIXELS,
        label=f"{len(boxes)} boxes, {len(edges)} dependencies",
        edges="".join(edges),
        boxes="".join(boxes),
    )


def _corners(layers: Sequence[Sequence[str]], max_rows: int) -> dict[str, Point]:
    """Return the upper left corner of each box; layers are centred vertically."""
    corners = {}
    for column, layer in enumerate(layers):
        x = _MARGIN + _COLUMN_DISTANCE * column
        top = _MARGIN + _ROW_DISTANCE * (max_rows - len(layer)) // 2
        for row, box in enumerate(layer):
            corners[box] = (x, top + _ROW_DISTANCE * row)
    return corners


def _box(path: str, number: int, corner: Point, *, is_in_cycle: bool, is_folder: bool) -> str:
    x, y = corner
    name = f"{path}/" if is_folder else path
    label = name if len(name) <= _MAX_LABEL_CHARACTERS else "…" + name[1 - _MAX_LABEL_CHARACTERS :]
    return _BOX.format(
        folder=" folder" if is_folder else "",
        ring=" ring" if is_in_cycle else "",
        number=number,
        path=_escape(path),
        address="" if path == "." else quote(path),
        x=x,
        y=y,
        width=_BOX_WIDTH,
        height=_BOX_HEIGHT,
        text_x=x + _TEXT_OFFSET[0],
        text_y=y + _TEXT_OFFSET[1],
        label=_escape(label),
    )


def _escape(text: str) -> str:
    return escape(visible(text))


def _curve(origin: Point, target: Point) -> str:
    """Return the path to a box in a later layer; edges to other boxes bend around on the right."""
    x, y = origin[0] + _BOX_WIDTH, origin[1] + _BOX_HEIGHT // 2
    target_x, target_y = target[0], target[1] + _BOX_HEIGHT // 2
    control_x = (x + target_x) // 2
    if target_x < x:
        target_x += _BOX_WIDTH
        control_x = max(x, target_x) + _BEND_WIDTH
    return f"M{x} {y}C{control_x} {y} {control_x} {target_y} {target_x} {target_y}"
