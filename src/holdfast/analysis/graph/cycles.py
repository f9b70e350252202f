"""Import cycles: the strongly connected components of the import graph (Tarjan)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.analysis.graph.dependency_graph import DependencyEdge
from holdfast.syntax.recursion import strong_components


class Cycle(NamedTuple):
    """Files each of which depends on all the others, directly or indirectly."""

    files: tuple[str, ...]
    at_load: bool
    """Whether the cycle exists while the files load, without imports in functions or for types only."""


def cycles(edges: Iterable[DependencyEdge]) -> list[Cycle]:
    """Return the cycles of imports, the largest first."""
    imports = [edge for edge in edges if edge.edge_type == "Imports"]
    loaded = {file for ring in _rings(edge for edge in imports if not edge.deferred) for file in ring}
    found = [Cycle(tuple(sorted(ring)), not loaded.isdisjoint(ring)) for ring in _rings(imports)]
    return sorted(found, key=lambda cycle: (-len(cycle.files), cycle.files))


def _rings(edges: Iterable[DependencyEdge]) -> list[list[str]]:
    """Return the strongly connected components with more than one node."""
    following: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        following[edge.origin].append(edge.goal)
    return [part for part in strong_components(following) if len(part) > 1]
