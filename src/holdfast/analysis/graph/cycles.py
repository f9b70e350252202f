"""Import cycles: the strongly connected components of the import graph (Tarjan)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.analysis.graph.dependency_graph import DependencyEdge
from holdfast.syntax.components import strong_components


class Cycle(NamedTuple):
    """Files that all depend on each other, directly or indirectly."""

    files: tuple[str, ...]
    """Sorted by path."""
    at_load: bool
    """Whether there is a cycle of imports that run while files load, not only in functions or for types."""


def cycles(edges: Iterable[DependencyEdge]) -> list[Cycle]:
    """Return the cycles of imports, the largest first."""
    imports = [edge for edge in edges if edge.edge_type == "Imports"]
    at_load = _cyclic_components(edge for edge in imports if not edge.is_deferred)
    files_at_load = {file for component in at_load for file in component}
    components = map(sorted, _cyclic_components(imports))
    found = [Cycle(tuple(files), at_load=not files_at_load.isdisjoint(files)) for files in components]
    return sorted(found, key=lambda cycle: (-len(cycle.files), cycle.files))


def _cyclic_components(edges: Iterable[DependencyEdge]) -> list[list[str]]:
    """Return the strongly connected components with more than one file."""
    successors: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        successors[edge.origin].append(edge.target)
    return [component for component in strong_components(successors) if len(component) > 1]
