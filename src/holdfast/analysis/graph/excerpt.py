"""A part of a graph small enough to show: around a focus, with a limited number of nodes and edges.

Nodes near the focus are selected before distant ones, then nodes with many edges before those with few. Of
the edges between selected nodes, certain ones are selected before guesses, then heavier before lighter ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from holdfast.analysis.graph.dependency_graph import CodeGraph, DependencyEdge, DependencyNode

SELECTION_METHOD = "nodes with the most edges, edges with the most places"
SELECTION_METHOD_AROUND_FOCUS = "nodes nearest to the focus, then those with the most edges"


@dataclass(frozen=True)
class Excerpt:
    """The nodes and edges to show, and the total numbers they were selected from."""

    nodes: list[DependencyNode]
    edges: list[DependencyEdge]
    total_nodes: int
    total_edges: int


def matching_nodes(graph: CodeGraph, focus: str) -> list[str]:
    """Return the ids of the nodes that a focus matches: a node id, a file with its definitions, or a symbol.

    A symbol such as `Class.method` matches at the end of a qualified name, a file name at the end of a path.
    """
    focus = focus.removeprefix("./")
    if focus in graph.nodes:
        in_file = [node.id for node in graph.nodes.values() if node.file_path == focus]
        return in_file or [focus]
    dotted_suffix = "." + focus.replace("::", ".")
    return [
        node.id
        for node in graph.nodes.values()
        if node.file_path == focus
        or ("." + node.label).endswith(dotted_suffix)
        or node.id.endswith("/" + focus)
    ]


def nodes_around(graph: CodeGraph, seeds: list[str], depth: int) -> dict[str, int]:
    """Return the nodes at most `depth` edges, in any direction, from the seeds, with their distance."""
    neighbours: dict[str, set[str]] = defaultdict(set)
    for edge in graph.edges:
        neighbours[edge.origin].add(edge.target)
        neighbours[edge.target].add(edge.origin)
    distances = dict.fromkeys(seeds, 0)
    frontier = set(seeds)
    for distance in range(1, depth + 1):
        frontier = {node for reached in frontier for node in neighbours[reached] if node not in distances}
        distances.update(dict.fromkeys(frontier, distance))
    return distances


def excerpt(graph: CodeGraph, distances: dict[str, int] | None, max_nodes: int, max_edges: int) -> Excerpt:
    """Return an excerpt of a graph; with distances from a focus, only of the nodes that have one."""
    if distances is None:
        distances = dict.fromkeys(graph.nodes, 0)
    edges = [edge for edge in graph.edges if edge.origin in distances and edge.target in distances]
    degree: Counter[str] = Counter()
    for edge in edges:
        degree[edge.origin] += 1
        degree[edge.target] += 1
    ranked_nodes = sorted(distances, key=lambda node: (distances[node], -degree[node], node))
    selected = set(ranked_nodes[:max_nodes])
    ranked_edges = sorted(
        (edge for edge in edges if edge.origin in selected and edge.target in selected),
        key=lambda edge: (edge.certainty == "guess", -edge.weight, edge),
    )
    nodes = [graph.nodes[node] for node in sorted(selected)]
    return Excerpt(nodes, sorted(ranked_edges[:max_edges]), len(distances), len(edges))
