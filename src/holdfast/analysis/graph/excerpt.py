"""A part of a graph that can be shown: around a focus, and no more nodes and edges than asked for.

Nodes with the most edges stay, those nearest to the focus before them; edges between nodes that stay, the
surest and heaviest first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from holdfast.analysis.graph.dependency_graph import Edge, Graph, Node

METHOD = "nodes with the most edges, edges with the most places"
METHOD_AROUND = "nodes nearest to the focus, then those with the most edges"


@dataclass(frozen=True)
class Excerpt:
    """Nodes and edges to show, and how many there are in all."""

    nodes: list[Node]
    edges: list[Edge]
    total_nodes: int
    total_edges: int


def matching(graph: Graph, focus: str) -> list[str]:
    """Return the nodes that a focus names: one by its id, those of a file, or those of a symbol."""
    wanted = focus.removeprefix("./")
    if wanted in graph.nodes:
        same = [node.id for node in graph.nodes.values() if node.file_path == wanted]
        return same or [wanted]
    dotted = "." + wanted.replace("::", ".")
    return [
        node.id
        for node in graph.nodes.values()
        if node.file_path == wanted or ("." + node.label).endswith(dotted) or node.id.endswith("/" + wanted)
    ]


def around(graph: Graph, seeds: list[str], depth: int) -> dict[str, int]:
    """Return the nodes within so many edges of some, whatever their direction, with the distance."""
    beside: dict[str, set[str]] = defaultdict(set)
    for edge in graph.edges:
        beside[edge.origin].add(edge.goal)
        beside[edge.goal].add(edge.origin)
    found = dict.fromkeys(seeds, 0)
    border = set(seeds)
    for distance in range(1, depth + 1):
        border = {node for known in border for node in beside[known] if node not in found}
        found.update(dict.fromkeys(border, distance))
    return found


def excerpt(graph: Graph, near: dict[str, int] | None, most_nodes: int, most_edges: int) -> Excerpt:
    """Return what to show of a graph, or of the part of it that is near something."""
    edges = [edge for edge in graph.edges if near is None or (edge.origin in near and edge.goal in near)]
    degree: Counter[str] = Counter()
    for edge in edges:
        degree[edge.origin] += 1
        degree[edge.goal] += 1
    names = list(graph.nodes) if near is None else list(near)
    ranked = sorted(names, key=lambda name: (near[name] if near is not None else 0, -degree[name], name))
    kept = set(ranked[:most_nodes])
    inner = [edge for edge in edges if edge.origin in kept and edge.goal in kept]
    inner.sort(key=lambda edge: (edge.certainty == "guess", -edge.weight, edge))
    nodes = [graph.nodes[name] for name in sorted(kept)]
    return Excerpt(nodes, sorted(inner[:most_edges]), len(names), len(edges))
