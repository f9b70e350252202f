"""Cycles of a graph: files that import each other, in a ring or more entangled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from holdfast.analysis.graph.dependency_graph import Edge


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


def strong_components(following: Mapping[str, list[str]]) -> list[list[str]]:
    """Return the strongly connected components, by Tarjan's algorithm without recursion."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    found: list[list[str]] = []
    for root in following:
        path: list[tuple[str, Iterator[str]]] = [] if root in order else [(root, iter(()))]
        while path:
            node, rest = path[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                stack.append(node)
                waiting.add(node)
                rest = iter(following.get(node, ()))
                path[-1] = (node, rest)
            inner = next(rest, None)
            if inner is not None:
                if inner not in order:
                    path.append((inner, iter(())))
                elif inner in waiting:
                    lowest[node] = min(lowest[node], order[inner])
                continue
            path.pop()
            if path:
                lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
            if lowest[node] == order[node]:
                at = stack.index(node) if stack[-1] != node else len(stack) - 1
                found.append(stack[at:])
                waiting.difference_update(stack[at:])
                del stack[at:]
    return found
