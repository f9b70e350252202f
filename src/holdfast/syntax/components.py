"""The strongly connected components of a graph: the largest sets of nodes that all reach each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strong_components(successors: Mapping[Node, list[Node]]) -> list[list[Node]]:
    """Return the components, successors first: Tarjan's algorithm, iterative because graphs may be deep."""
    order: dict[Node, int] = {}
    lowest: dict[Node, int] = {}  # the lowest order of a node on the stack that a node is known to reach
    stack: list[Node] = []
    on_stack: set[Node] = set()
    components: list[list[Node]] = []
    for root in successors:
        path: list[tuple[Node, Iterator[Node]]] = [] if root in order else [(root, iter(()))]
        while path:
            node, rest = path[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                stack.append(node)
                on_stack.add(node)
                rest = iter(successors.get(node, ()))
                path[-1] = (node, rest)
            inner = next(rest, None)
            if inner is not None:
                if inner not in order:
                    path.append((inner, iter(())))
                elif inner in on_stack:
                    lowest[node] = min(lowest[node], order[inner])
                continue
            path.pop()
            if path:
                lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
            if lowest[node] == order[node]:
                start = len(stack) - 1
                while stack[start] != node:
                    start -= 1
                components.append(stack[start:])
                on_stack.difference_update(stack[start:])
                del stack[start:]
    return components
