"""The strongly connected components of a graph: the largest sets of nodes that all reach each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def strong_components(successors: Mapping[str, list[str]]) -> list[list[str]]:
    """Return the components, successors first: Tarjan's algorithm, iterative because graphs may be deep."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}  # the lowest order of a node on the stack that a node is known to reach
    stack: list[str] = []
    on_stack: set[str] = set()
    components: list[list[str]] = []
    for root in successors:
        path: list[tuple[str, Iterator[str]]] = [] if root in order else [(root, iter(()))]
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
                start = stack.index(node) if stack[-1] != node else len(stack) - 1
                components.append(stack[start:])
                on_stack.difference_update(stack[start:])
                del stack[start:]
    return components
