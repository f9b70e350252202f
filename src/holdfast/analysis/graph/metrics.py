"""Metrics of a directed graph: centrality, PageRank, clustering, communities and components.

Contract:
- Parallel edges are merged; loops are not removed. Every figure equals that of networkx for the same graph;
  docs/analysis.md has the formulas.
- Above `EXACT_NODES` nodes, shortest paths start from a fixed sample of the nodes.
- The same graph gives the same figures, even with concurrent calls; groups are numbered by descending size.
"""

from __future__ import annotations

import random
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, Literal, NamedTuple

from holdfast.kernel.call import current_call

Metric = Literal["centrality", "pagerank", "clustering", "components"]

EXACT_NODES = 5000
"""Nodes of the largest graph in which paths from all nodes are followed. That takes time in O(nodes × edges):
about 1.5 s for 5,000 nodes (`bench.graph_metrics`)."""
SAMPLED_NODES = 256
"""Nodes from which paths start in a larger graph: a judgement. The time then grows with the edges
alone, and the figures equal networkx' sampled betweenness with this `k`."""
DAMPING = 0.85
"""The damping factor of Brin and Page, http://infolab.stanford.edu/~backrub/google.html."""
RANDOM_SEED = 1
"""The seed of the sample and of the Leiden algorithm; any fixed number makes the figures reproducible."""
_SOURCES_PER_BATCH = 64
"""Start nodes between two checks for cancellation: a judgement. A batch takes a fraction of a second."""
_MAX_BIT_PARALLEL_DISTANCE = 50
"""The path length from which one search per node is used instead of bit-parallel search: a judgement. Each
step of the latter visits all nodes that were just reached, so long paths take many expensive steps."""
_SIGNIFICANT_DIGITS = 9
"""Digits of a figure; further digits differ between machines."""
_RANDOM_LOCK = threading.Lock()


class Figures(NamedTuple):
    """The results of one metric."""

    columns: dict[str, list[float]]
    """By name of the figure, its value for each node."""
    totals: dict[str, Any]
    """Figures for the whole graph."""


class MetricGraph:
    """Computes the metrics of one graph, whose nodes are numbered from 0."""

    def __init__(self, nodes: int, edges: Iterable[tuple[int, int]]) -> None:
        self.nodes = nodes
        self._graph: Any = _igraph().Graph(n=nodes, edges=sorted(set(edges)), directed=True)

    @cached_property
    def _undirected(self) -> Any:
        return self._graph.as_undirected(mode="collapse")

    def figures(self, requested: Iterable[Metric], seeds: Collection[int]) -> dict[Metric, Figures]:
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
        in_degrees, out_degrees = self._graph.degree(mode="in"), self._graph.degree(mode="out")
        degrees = [ins + outs for ins, outs in zip(in_degrees, out_degrees, strict=True)]
        is_sampled = self.nodes > EXACT_NODES
        sources: Sequence[int] = range(self.nodes)
        if is_sampled:
            sources = _random().sample(sources, SAMPLED_NODES)
        columns = {
            "in_degree": in_degrees,
            "out_degree": out_degrees,
            "degree": _round(degree / (self.nodes - 1) if self.nodes > 1 else 1 for degree in degrees),
            "betweenness": _round(self._betweenness(sources)),
            "closeness": _round(self._closeness(sources)),
        }
        totals = {
            "average_degree": _mean(degrees),
            "max_degree": max(degrees, default=None),
            "paths": "sampled" if is_sampled else "exact",
            "path_sources": len(sources),
        }
        return Figures(columns, totals)

    def _betweenness(self, sources: Sequence[int]) -> Iterator[float]:
        """Yield the betweenness of each node by Brandes' algorithm, from the given sources."""
        sums = [0.0] * self.nodes
        for batch in _batches(sources, "Following shortest paths"):
            more = self._graph.betweenness(directed=True, sources=batch)
            sums = [old + new for old, new in zip(sums, more, strict=True)]
        source_set = set(sources)
        for node, betweenness in enumerate(sums):
            # Normalize by the pairs of a source and another node, without the node itself.
            other_sources = len(source_set) - (node in source_set)
            yield betweenness / max(1, other_sources * (self.nodes - 2))

    def _closeness(self, sources: Sequence[int]) -> Iterator[float]:
        """Yield Wasserman and Faust's closeness, estimated from the paths that start at the sources."""
        source_set = set(sources)
        distances = self._distances(sources) or self._long_distances(sources)
        for node, (reached_from, distance_sum) in enumerate(distances):
            if not distance_sum:
                yield 0.0
                continue
            # A source is reached from itself, which does not count.
            is_source = node in source_set
            other_sources = len(source_set) - is_source
            yield (reached_from - is_source) ** 2 / (distance_sum * other_sources)

    def _distances(self, sources: Sequence[int]) -> list[tuple[int, int]]:
        """Return for each node the number of sources that reach it, and the sum of their distances.

        The result is empty if paths are longer than `_MAX_BIT_PARALLEL_DISTANCE`.

        Bit-parallel breadth-first search: each source is a bit, and one step moves all of them along the
        edges.
        """
        call, successors = current_call(), self._graph.get_adjlist()
        distance_sums = [0] * self.nodes
        missing = [(1 << len(sources)) - 1] * self.nodes  # the sources that have not reached each node
        arrived = {node: 1 << bit for bit, node in enumerate(sources)}
        for distance in range(_MAX_BIT_PARALLEL_DISTANCE):
            call.progress(distance, message="Measuring distances")
            arriving: defaultdict[int, int] = defaultdict(int)
            for node, bits in arrived.items():
                missing[node] ^= bits
                distance_sums[node] += distance * bits.bit_count()
                for successor in successors[node]:
                    arriving[successor] |= bits
            first_arrivals = {node: bits & missing[node] for node, bits in arriving.items()}
            arrived = {node: bits for node, bits in first_arrivals.items() if bits}
        if arrived:
            return []
        reached_from = (len(sources) - bits.bit_count() for bits in missing)
        return list(zip(reached_from, distance_sums, strict=True))

    def _long_distances(self, sources: Sequence[int]) -> Iterator[tuple[float, float]]:
        """Return the same as `_distances` with one search per source: faster only if paths are long."""
        import numpy as np

        reached_from, distance_sums = np.zeros(self.nodes), np.zeros(self.nodes)
        for batch in _batches(sources, "Measuring distances"):
            distances = np.array(self._graph.distances(source=batch, mode="out"))  # a row for each source
            is_reached = np.isfinite(distances)
            reached_from += is_reached.sum(axis=0)
            distance_sums += np.where(is_reached, distances, 0).sum(axis=0)
        return zip(reached_from.tolist(), distance_sums.tolist(), strict=True)

    def pagerank(self, seeds: Collection[int] = ()) -> Figures:
        """Return PageRank; with seeds, the personalized variant that restarts at one of them."""
        reset = [float(not seeds or node in seeds) for node in range(self.nodes)]
        ranks = self._graph.personalized_pagerank(damping=DAMPING, reset=reset) if reset else []
        return Figures({"pagerank": _round(ranks)}, {"damping": DAMPING})

    def clustering(self) -> Figures:
        """Return clustering coefficients, and communities by the Leiden algorithm with their modularity."""
        igraph = _igraph()
        coefficients = self._undirected.copy().simplify().transitivity_local_undirected(mode="zero")
        with _RANDOM_LOCK:  # igraph's random number generator is global
            igraph.set_random_number_generator(_random())
            partition = self._undirected.community_leiden(objective_function="modularity", n_iterations=-1)
            igraph.set_random_number_generator(random)
        communities, sizes = _renumber_by_size(partition.membership)
        totals = {
            "average_coefficient": _mean(coefficients),
            "modularity": _round([partition.modularity])[0] if self._graph.ecount() else None,
            "communities": len(sizes),
            "community_sizes": sizes,
        }
        return Figures({"clustering": _round(coefficients), "community": communities}, totals)

    def components(self) -> Figures:
        figures = Figures({}, {})
        for mode in ("weak", "strong"):
            groups, sizes = _renumber_by_size(self._graph.connected_components(mode=mode).membership)
            figures.columns[f"{mode}_component"] = groups
            figures.totals.update({f"{mode}_components": len(sizes), f"{mode}_sizes": sizes})
        return figures


def _igraph() -> Any:
    """Import igraph without matplotlib, which it loads for drawing and which writes to the home folder."""
    stub = ModuleType("igraph.drawing.matplotlib.utils")
    stub.find_matplotlib = lambda: (SimpleNamespace(), SimpleNamespace())  # type: ignore[attr-defined]
    sys.modules.setdefault(stub.__name__, stub)
    return import_module("igraph")


def _random() -> random.Random:
    return random.Random(RANDOM_SEED)  # noqa: S311 # nosec B311 # samples of a graph


def _batches(nodes: Sequence[int], message: str) -> Iterator[list[int]]:
    """Yield the nodes in batches, and report progress before each."""
    call = current_call()
    for done in range(0, len(nodes), _SOURCES_PER_BATCH):
        call.progress(done, len(nodes), message)
        yield list(nodes[done : done + _SOURCES_PER_BATCH])


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
