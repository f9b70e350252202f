"""Cycles of a graph: files that import each other, in a ring or more entangled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.analysis.graph.dependency_graph import Edge
from holdfast.syntax.recursion import strong_components


class Cycle(NamedTuple):
    """Files each of which depends on all the others, directly or not."""

    files: tuple[str, ...]
    at_load: bool
    """Whether loading one of them loads the others: not only from within functions or for types."""


def cycles(edges: Iterable[Edge]) -> list[Cycle]:
    """Return the cycles of imports, the largest first."""
    imports = [edge for edge in edges if edge.edge_type == "Imports"]
    loaded = {file for ring in _rings(edge for edge in imports if not edge.deferred) for file in ring}
    found = [Cycle(tuple(sorted(ring)), not loaded.isdisjoint(ring)) for ring in _rings(imports)]
    return sorted(found, key=lambda cycle: (-len(cycle.files), cycle.files))


def _rings(edges: Iterable[Edge]) -> list[list[str]]:
    """Return the strongly connected components of several nodes."""
    following: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        following[edge.origin].append(edge.goal)
    return [part for part in strong_components(following) if len(part) > 1]
