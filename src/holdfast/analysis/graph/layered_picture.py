"""A dependency graph as a layered SVG drawing (Sugiyama's method): users left of what they use.

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
from holdfast.syntax.recursion import strong_components

_WIDTH, _HEIGHT, _ACROSS, _DOWN, _MARGIN = 190, 22, 270, 30, 12
_LETTERS = 26
"""How many letters fit into a box."""
_BEND = 60
_SWEEPS = 6
"""Passes of the barycentre heuristic, which orders each layer; a judgement: later ones change little."""
_EDGE = '<path class="edge{ring}" data-id="{ends}" d="{curve}"><title>{title}</title></path>'
_BOX = (
    '<a class="node{ring}" data-id="{number}" data-path="{path}" href="/code/{address}">'
    '<title>{path}</title><rect x="{x}" y="{y}" width="190" height="22" rx="4" fill="white" stroke="gray"/>'
    '<text x="{text_x}" y="{text_y}">{label}</text></a>'
)
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    ' role="group" aria-label="{label}" font-family="sans-serif" font-size="13">'
    '<g fill="none" stroke="silver">{edges}</g><g class="nodes">{boxes}</g></svg>'
)
Links = Mapping[tuple[str, str], int]
"""The number of places in the source behind each dependency."""


class Picture(NamedTuple):
    """The drawing, with counts of what it shows."""

    svg: str
    boxes: int
    folders: int
    """How many boxes are folders, for all files below them."""
    edges: int


def picture(edges: Iterable[DependencyEdge], most: int) -> Picture:
    """Draw the imports among files with at most `most` boxes; folders replace files if there are too many."""
    edges = list(edges)
    box = _boxes({end for edge in edges for end in edge[:2]}, most)
    links = Counter[tuple[str, str]]()
    for edge in edges:
        if box[edge.origin] != box[edge.goal]:
            links[box[edge.origin], box[edge.goal]] += edge.weight
    ends = {end for link in links for end in link}
    return Picture(_svg(_layers(links), links), len(ends), len(ends - box.keys()), len(links))


def _boxes(files: Collection[str], most: int) -> dict[str, str]:
    """Map each file to its box, itself or a folder: the folders with most files are expanded first."""
    inner, full = defaultdict[str, set[str]](set), Counter[str]()
    for file in files:
        path = file
        while path:
            folder = path.rpartition("/")[0]
            inner[folder].add(path)
            full[folder] += 1
            path = folder
    shown = {""}
    for folder in sorted(inner, key=lambda folder: (-full[folder], folder)):
        if folder in shown and len(shown) - 1 + len(inner[folder]) <= most:
            shown = shown - {folder} | inner[folder]
    return {file: next(path for path in _upwards(file) if path in shown) or "." for file in files}


def _upwards(path: str) -> Iterator[str]:
    yield path
    while path:
        path = path.rpartition("/")[0]
        yield path


def _components(links: Links) -> list[list[str]]:
    """Return the strongly connected components, dependencies before their users."""
    following = defaultdict[str, list[str]](list)
    for origin, goal in sorted(links):
        following[origin].append(goal)
    return strong_components(following)


def _layers(links: Links) -> list[list[str]]:
    """Assign boxes to layers, users first, and order each layer by the barycentre of the neighbours."""
    beside, goals = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for origin, goal in sorted(links):
        goals[origin].append(goal)
        beside[origin].append(goal)
        beside[goal].append(origin)
    layer: dict[str, int] = {}
    for ring in _components(links):
        below = [layer[goal] for one in ring for goal in goals[one] if goal in layer]
        layer.update(dict.fromkeys(ring, max(below, default=-1) + 1))
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for name in sorted(layer):
        rows[-1 - layer[name]].append(name)
    place: dict[str, float] = {}
    for _ in range(_SWEEPS):
        for row in rows:
            place.update({name: at - len(row) / 2 for at, name in enumerate(row)})
        for row in rows:
            row.sort(key=lambda name: (sum(place[one] for one in beside[name]) / len(beside[name]), name))
    return rows


def _svg(rows: Sequence[Sequence[str]], links: Links) -> str:
    tallest = max(map(len, rows), default=0)
    at = {
        name: (_MARGIN + _ACROSS * column, _MARGIN + _DOWN * row + _DOWN * (tallest - len(names)) // 2)
        for column, names in enumerate(rows)
        for row, name in enumerate(names)
    }
    number = {name: place for place, name in enumerate(at)}
    rings = {name: at for at, ring in enumerate(_components(links)) for name in ring if len(ring) > 1}
    edges = [
        _EDGE.format(
            ring=" ring" if a in rings and rings[a] == rings.get(b) else "",
            ends=f"{number[a]} {number[b]}",
            curve=_curve(at[a], at[b]),
            title=_escape(f"{a} uses {b} in {places} place{'s' * (places > 1)}"),
        )
        for (a, b), places in sorted(links.items())
    ]
    boxes = [_box(name, number[name], at[name], " ring" if name in rings else "") for name in at]
    width = 2 * _MARGIN + _ACROSS * max(len(rows) - 1, 0) + _WIDTH + _BEND
    label = f"{len(boxes)} boxes, {len(edges)} dependencies"
    height = 2 * _MARGIN + _DOWN * tallest
    return _SVG.format(width=width, height=height, label=label, edges="".join(edges), boxes="".join(boxes))


def _box(name: str, number: int, place: tuple[int, int], ring: str) -> str:
    (x, y), label = place, name if len(name) <= _LETTERS else "…" + name[1 - _LETTERS :]
    texts = {"path": _escape(name), "label": _escape(label), "address": "" if name == "." else quote(name)}
    return _BOX.format(ring=ring, number=number, x=x, y=y, text_x=x + 8, text_y=y + 15, **texts)


def _escape(text: str) -> str:
    return escape(visible(text))


def _curve(start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the path to a box in a later layer; edges to other boxes bend around on the right."""
    (x, y), (goal_x, goal_y) = start, end
    x, y, goal_y = x + _WIDTH, y + _HEIGHT // 2, goal_y + _HEIGHT // 2
    if goal_x < x:
        goal_x += _WIDTH
        bend = max(x, goal_x) + _BEND
        return f"M{x} {y}C{bend} {y} {bend} {goal_y} {goal_x} {goal_y}"
    middle = (x + goal_x) // 2
    return f"M{x} {y}C{middle} {y} {middle} {goal_y} {goal_x} {goal_y}"
