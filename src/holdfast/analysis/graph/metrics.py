"""Metrics of a directed graph: centrality, PageRank, clustering, communities and components.

Contract:
- Parallel edges are merged; loops are not removed. Every figure equals that of networkx for the same graph;
  docs/analysis.md has the formulas.
- Above `EXACT_NODES` nodes, shortest paths start from a fixed sample of the nodes.
- The same graph gives the same figures, with the compiled core and without. Groups are numbered by
  descending size.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from holdfast.analysis.graph.adjacency import Integers, compressed
from holdfast.kernel.call import current_call
from holdfast.syntax.components import strong_components

EXACT_NODES = 5000
"""Nodes of the largest graph in which paths from all nodes are followed. That takes time in O(nodes × edges):
about 1 s for 5,000 nodes (`bench.graph_metrics`)."""
SAMPLED_NODES = 256
"""Nodes from which paths start in a larger graph: a judgement. The time then grows with the edges
alone, and the figures equal networkx' sampled betweenness with this `k`."""
DAMPING = 0.85
"""The damping factor of Brin and Page, http://infolab.stanford.edu/~backrub/google.html."""
RANDOM_SEED = 1
"""The seed of the sample; any fixed number makes the figures reproducible."""
_SOURCES_PER_BATCH = 64
"""Start nodes between two checks for cancellation: a judgement. A batch takes a fraction of a second."""
_RANK_TOLERANCE = 1e-12
"""The change of all ranks together at which PageRank is final: a judgement, below the digits of a figure."""
_MODULARITY_GAIN = 1e-3
"""What one more pass of the Leiden algorithm has to add to the modularity: a judgement. Most passes
after that add less still, and each takes as long."""
_SIGNIFICANT_DIGITS = 9
"""Digits of a figure; further digits differ between machines."""


class Figures(NamedTuple):
    """The results of one metric."""

    columns: dict[str, Sequence[float | None]]
    """By name of the figure, its value for each node."""
    totals: dict[str, Any]
    """Figures for the whole graph."""


class MetricGraph:
    """Computes the metrics of one graph, whose nodes are numbered from 0."""

    def __init__(self, nodes: int, edges: Iterable[tuple[int, int]]) -> None:
        self.nodes = nodes
        origins, targets = np.fromiter(chain.from_iterable(edges), np.int64).reshape(-1, 2).T
        self._origins, self._targets = self._distinct(origins, targets)

    def figures(self, requested: Iterable[str], seeds: Collection[int]) -> dict[str, Figures]:
        """Return the requested metrics; PageRank is personalized if there are seeds."""
        compute = {
            "centrality": self.centrality,
            "pagerank": lambda: self.pagerank(seeds),
            "clustering": self.clustering,
            "components": self.components,
        }
        return {metric: compute[metric]() for metric in requested}

    def centrality(self) -> Figures:
        """Return degree, betweenness and closeness."""
        in_degrees, out_degrees = self._count(self._targets), self._count(self._origins)
        degrees = (in_degrees + out_degrees).tolist()
        is_sampled = self.nodes > EXACT_NODES
        sources: Sequence[int] = range(self.nodes)
        if is_sampled:
            sources = _random().sample(sources, SAMPLED_NODES)
        betweenness, closeness = self._path_figures(sources)
        columns: dict[str, Sequence[float | None]] = {
            "in_degree": in_degrees.tolist(),
            "out_degree": out_degrees.tolist(),
            "degree": _round(degree / (self.nodes - 1) if self.nodes > 1 else 1 for degree in degrees),
            "betweenness": betweenness,
            "closeness": closeness,
        }
        totals = {
            "average_degree": _mean(degrees),
            "max_degree": max(degrees, default=None),
            "paths": "sampled" if is_sampled else "exact",
            "path_sources": len(sources),
        }
        return Figures(columns, totals)

    def _path_figures(self, sources: Sequence[int]) -> tuple[list[float | None], list[float]]:
        """Return the betweenness of each node, and Wasserman and Faust's closeness, from the given sources.

        Betweenness is None where shortest paths are too many for a floating-point number.
        """
        call, graph = current_call(), compressed(self.nodes, self._origins, self._targets)
        sums = np.zeros((3, self.nodes))
        for done in range(0, len(sources), _SOURCES_PER_BATCH):
            call.progress(done, len(sources), "Following shortest paths")
            sums += np.array(graph.shortest_paths(sources[done : done + _SOURCES_PER_BATCH]))
        shares, reached_from, distance_sums = sums
        # A source is reached from itself, which does not count; nor do the shares of a node in its own paths.
        is_source = np.isin(np.arange(self.nodes), sources)
        other_sources = len(sources) - is_source
        betweenness = shares / np.maximum(1, other_sources * (self.nodes - 2))
        closeness = (reached_from - is_source) ** 2 / np.maximum(1, distance_sums * other_sources)
        counted = [None if math.isnan(value) else value for value in _round(betweenness.tolist())]
        return counted, _round(closeness.tolist())

    def pagerank(self, seeds: Collection[int] = ()) -> Figures:
        """Return PageRank; with seeds, the personalized variant that restarts at one of them."""
        call = current_call()
        restart = np.zeros(self.nodes)
        restart[list(seeds) if seeds else slice(None)] = 1 / (len(seeds) or self.nodes or 1)
        ranks, change = restart, 1.0
        out_degrees = self._count(self._origins)
        followed = DAMPING / np.maximum(1, out_degrees)
        while change > _RANK_TOLERANCE and self.nodes:
            call.progress(0, message="Computing PageRank")
            flow = np.bincount(self._targets, (ranks * followed)[self._origins], self.nodes)
            moved = flow + restart * (1 - flow.sum())
            change, ranks = abs(moved - ranks).sum(), moved
        return Figures({"pagerank": _round(ranks.tolist())}, {"damping": DAMPING})

    def clustering(self) -> Figures:
        """Return clustering coefficients, and communities by the Leiden algorithm with their modularity."""
        low, high = np.minimum(self._origins, self._targets), np.maximum(self._origins, self._targets)
        low, high = self._distinct(low, high)
        coefficients = _clustering_coefficients(self.nodes, low.tolist(), high.tolist())
        origins, targets = np.concatenate((low, high)), np.concatenate((high, low))  # counts a loop twice
        order = np.lexsort((targets, origins))
        membership, modularity = self._communities(origins[order], targets[order])
        communities, sizes = _renumber_by_size(membership)
        totals = {
            "average_coefficient": _mean(coefficients),
            "modularity": None if modularity is None else _round([modularity])[0],
            "communities": len(sizes),
            "community_sizes": sizes,
        }
        return Figures({"clustering": _round(coefficients), "community": communities}, totals)

    def _communities(self, origins: Integers, targets: Integers) -> tuple[list[int], float | None]:
        """Return the community of each node and the modularity, given both directions of every edge."""
        call, graph = current_call(), compressed(self.nodes, origins, targets)
        membership, modularity, gain = list(range(self.nodes)), None, 1.0
        ends = self._count(origins)
        while gain > _MODULARITY_GAIN and len(origins):
            call.progress(0, message="Finding communities")
            membership = graph.leiden_pass(membership)
            groups = np.array(membership)
            inside = (groups[origins] == groups[targets]).mean()
            expected = ((np.bincount(groups, ends) / len(origins)) ** 2).sum()
            before, modularity = modularity, float(inside - expected)
            gain = modularity - (before or 0)
        return membership, modularity

    def components(self) -> Figures:
        """Return the weakly and the strongly connected components."""
        figures = Figures({}, {})
        for kind, components in (("weak", self._weak_components()), ("strong", self._strong_components())):
            groups, sizes = _renumber_by_size(components)
            figures.columns[f"{kind}_component"] = groups
            figures.totals.update({f"{kind}_components": len(sizes), f"{kind}_sizes": sizes})
        return figures

    def _weak_components(self) -> list[int]:
        """Return the least node of each node's component: labels spread along edges, and along themselves."""
        labels, spread = None, np.arange(self.nodes)
        while labels is None or (spread != labels).any():
            labels = spread.copy()
            np.minimum.at(spread, labels[self._origins], labels[self._targets])
            np.minimum.at(spread, labels[self._targets], labels[self._origins])
            while (spread[spread] != spread).any():
                spread = spread[spread]
        return labels.tolist()

    def _strong_components(self) -> list[int]:
        successors: dict[int, list[int]] = {node: [] for node in range(self.nodes)}
        for origin, target in zip(self._origins.tolist(), self._targets.tolist(), strict=True):
            successors[origin].append(target)
        components = [0] * self.nodes
        for number, component in enumerate(strong_components(successors)):
            for node in component:
                components[node] = number
        return components

    def _distinct(self, origins: Integers, targets: Integers) -> tuple[Integers, Integers]:
        """Return every edge once, sorted."""
        origins, targets = np.divmod(np.unique(origins * self.nodes + targets), max(1, self.nodes))
        return origins, targets

    def _count(self, ends: Integers) -> Integers:
        """Return how often each node is among the ends of edges."""
        return np.bincount(ends, minlength=self.nodes)


def _random() -> random.Random:
    return random.Random(RANDOM_SEED)  # noqa: S311 # nosec B311 # samples of a graph


def _clustering_coefficients(nodes: int, lows: list[int], highs: list[int]) -> list[float]:
    """Return for each node the share of the pairs of its neighbours that are neighbours."""
    neighbours: list[set[int]] = [set() for _ in range(nodes)]
    linked = [0] * nodes  # twice the number of those pairs
    simple = [(low, high) for low, high in zip(lows, highs, strict=True) if low != high]
    for low, high in simple:
        neighbours[low].add(high)
        neighbours[high].add(low)
    for low, high in simple:
        common = len(neighbours[low] & neighbours[high])
        linked[low] += common
        linked[high] += common
    return [
        pairs / (len(near) * (len(near) - 1)) if pairs else 0.0
        for pairs, near in zip(linked, neighbours, strict=True)
    ]


def _round(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.{_SIGNIFICANT_DIGITS}g}") for value in values]


def _mean(values: Sequence[float]) -> float | None:
    return _round([sum(values) / len(values)])[0] if values else None


def _renumber_by_size(group_of_node: Sequence[int]) -> tuple[list[float], list[int]]:
    """Number groups by descending size, ties by their first node.

    Return the new group of each node, and the size of each group.
    """
    by_size = Counter(group_of_node).most_common()  # stable: ties in order of appearance
    numbers = {group: number for number, (group, _) in enumerate(by_size)}
    return [numbers[group] for group in group_of_node], [size for _, size in by_size]
