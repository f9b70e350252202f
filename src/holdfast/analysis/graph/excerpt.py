"""A part of a graph small enough to show: around a focus, up to a number of nodes and edges.

The nodes nearest to the focus are kept first, then those with the most edges. Of the edges between kept
nodes, certain ones are kept before guesses, then heavier ones before lighter ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from holdfast.analysis.graph.dependency_graph import CodeGraph, DependencyEdge, DependencyNode

METHOD = "nodes with the most edges, edges with the most places"
METHOD_AROUND = "nodes nearest to the focus, then those with the most edges"


@dataclass(frozen=True)
class Excerpt:
    """The nodes and edges to show, and the total numbers."""

    nodes: list[DependencyNode]
    edges: list[DependencyEdge]
    total_nodes: int
    total_edges: int


def matching(graph: CodeGraph, focus: str) -> list[str]:
    """Return the ids of the nodes that a focus matches: a node id, a file, or a symbol."""
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


def around(graph: CodeGraph, seeds: list[str], depth: int) -> dict[str, int]:
    """Return the nodes at most `depth` edges, in any direction, from the seeds, with their distance."""
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


def excerpt(graph: CodeGraph, near: dict[str, int] | None, max_nodes: int, max_edges: int) -> Excerpt:
    """Return an excerpt of a graph, or of its nodes in `near`, ranked by their distance there."""
    edges = [edge for edge in graph.edges if near is None or (edge.origin in near and edge.goal in near)]
    degree: Counter[str] = Counter()
    for edge in edges:
        degree[edge.origin] += 1
        degree[edge.goal] += 1
    names = list(graph.nodes) if near is None else list(near)
    ranked = sorted(names, key=lambda name: (near[name] if near is not None else 0, -degree[name], name))
    kept = set(ranked[:max_nodes])
    inner = [edge for edge in edges if edge.origin in kept and edge.goal in kept]
    inner.sort(key=lambda edge: (edge.certainty == "guess", -edge.weight, edge))
    nodes = [graph.nodes[name] for name in sorted(kept)]
    return Excerpt(nodes, sorted(inner[:max_edges]), len(names), len(edges))
