"""Metrics of a directed graph: centrality, PageRank, clustering, communities and components.

Contract
- Parallel edges count once; loops are kept. Every figure equals that of networkx for the same graph;
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
"""Exact paths take time in O(nodes × edges): about 1.5 s for 5,000 nodes (`bench.graph_metrics`)."""
SAMPLED_NODES = 256
"""A judgement: networkx' sampled betweenness with the same `k` is the reference."""
DAMPING = 0.85
"""The damping factor of Brin and Page, http://infolab.stanford.edu/~backrub/google.html."""
SEED = 1
_AT_ONCE = 64
"""How many start nodes are processed between checks for cancellation; a judgement."""
_LONG = 50
"""The distance at which bit-parallel search gives way to one search per node; a judgement."""
_DIGITS = 9
"""Significant digits; further ones differ between machines."""
_RANDOM_LOCK = threading.Lock()


class Figures(NamedTuple):
    """Columns with a figure for each node, by name, and totals for the graph."""

    columns: dict[str, list[float]]
    totals: dict[str, Any]


class MetricGraph:
    """Computes the metrics of one graph, whose nodes are numbered from 0."""

    def __init__(self, nodes: int, edges: Iterable[tuple[int, int]]) -> None:
        self.nodes = nodes
        self._graph: Any = _igraph().Graph(n=nodes, edges=sorted(set(edges)), directed=True)

    @cached_property
    def _undirected(self) -> Any:
        return self._graph.as_undirected(mode="collapse")

    def figures(self, wanted: Iterable[Metric], seeds: Collection[int]) -> dict[Metric, Figures]:
        """Return the requested metrics."""
        return {
            name: self.pagerank(seeds) if name == "pagerank" else getattr(self, name)() for name in wanted
        }

    def centrality(self) -> Figures:
        """Return degree, betweenness and closeness."""
        into, out = self._graph.degree(mode="in"), self._graph.degree(mode="out")
        degrees = [one + other for one, other in zip(into, out, strict=True)]
        sampled = self.nodes > EXACT_NODES
        sources = _random().sample(range(self.nodes), SAMPLED_NODES) if sampled else range(self.nodes)
        columns = {
            "in_degree": into,
            "out_degree": out,
            "degree": _significant(degree / (self.nodes - 1) if self.nodes > 1 else 1 for degree in degrees),
            "betweenness": _significant(self._betweenness(sources)),
            "closeness": _significant(self._closeness(sources)),
        }
        totals = {
            "average_degree": _mean(degrees),
            "max_degree": max(degrees, default=None),
            "paths": "sampled" if sampled else "exact",
            "path_sources": len(sources),
        }
        return Figures(columns, totals)

    def _betweenness(self, sources: Sequence[int]) -> Iterator[float]:
        """Yield the betweenness of each node by Brandes' algorithm, from the given sources."""
        total = [0.0] * self.nodes
        for part in _parts(sources, "Following shortest paths"):
            found = self._graph.betweenness(directed=True, sources=part)
            total = [one + more for one, more in zip(total, found, strict=True)]
        chosen = set(sources)
        for node, value in enumerate(total):  # normalize by the pairs of other nodes, the first a source
            yield value / max(1, (len(chosen) - (node in chosen)) * (self.nodes - 2))

    def _closeness(self, sources: Sequence[int]) -> Iterator[float]:
        """Yield Wasserman and Faust's closeness, estimated from the paths that begin at the sources."""
        chosen = set(sources)
        for node, (reached, total) in enumerate(self._distances(sources) or self._long_distances(sources)):
            others = len(chosen) - (node in chosen)  # not itself, although it is reached from itself
            yield (reached - (node in chosen)) ** 2 / (total * others) if total else 0.0

    def _distances(self, sources: Sequence[int]) -> list[tuple[int, int]]:
        """Return for each node how many sources reach it and the sum of distances; empty if paths are long.

        Bit-parallel breadth-first search: each source is a bit, and one step moves all of them along the
        edges.
        """
        call, after, total = current_call(), self._graph.get_adjlist(), [0] * self.nodes
        missing = [(1 << len(sources)) - 1] * self.nodes
        arrived = {node: 1 << place for place, node in enumerate(sources)}
        for distance in range(_LONG):
            call.progress(distance, message="Measuring distances")
            arriving: defaultdict[int, int] = defaultdict(int)
            for node, bits in arrived.items():
                missing[node] ^= bits
                total[node] += distance * bits.bit_count()
                for goal in after[node]:
                    arriving[goal] |= bits
            arrived = {node: new for node, bits in arriving.items() if (new := bits & missing[node])}
        reached = (len(sources) - bits.bit_count() for bits in missing)
        return [] if arrived else list(zip(reached, total, strict=True))

    def _long_distances(self, sources: Sequence[int]) -> Iterator[tuple[float, float]]:
        """Return the same as `_distances` with one search per source: faster only if paths are long."""
        import numpy as np

        reached, total = np.zeros(self.nodes), np.zeros(self.nodes)
        for part in _parts(sources, "Measuring distances"):
            distances = np.array(self._graph.distances(source=part, mode="out"))
            known = np.isfinite(distances)
            reached += known.sum(axis=0)
            total += np.where(known, distances, 0).sum(axis=0)
        return zip(reached.tolist(), total.tolist(), strict=True)

    def pagerank(self, seeds: Collection[int] = ()) -> Figures:
        """Return PageRank; with seeds, the personalized variant that restarts at one of them."""
        reset = [float(not seeds or node in seeds) for node in range(self.nodes)]
        ranks = self._graph.personalized_pagerank(damping=DAMPING, reset=reset) if reset else []
        return Figures({"pagerank": _significant(ranks)}, {"damping": DAMPING})

    def clustering(self) -> Figures:
        """Return clustering coefficients, and communities by the Leiden algorithm with their modularity."""
        igraph = _igraph()
        coefficients = self._undirected.copy().simplify().transitivity_local_undirected(mode="zero")
        with _RANDOM_LOCK:  # igraph's random number generator is global
            igraph.set_random_number_generator(_random())
            found = self._undirected.community_leiden(objective_function="modularity", n_iterations=-1)
            igraph.set_random_number_generator(random)
        communities, sizes = _by_size(found.membership)
        totals = {
            "average_coefficient": _mean(coefficients),
            "modularity": _significant([found.modularity])[0] if self._graph.ecount() else None,
            "communities": len(sizes),
            "community_sizes": sizes,
        }
        return Figures({"clustering": _significant(coefficients), "community": communities}, totals)

    def components(self) -> Figures:
        """Return the weakly and strongly connected components."""
        figures = Figures({}, {})
        for mode in ("weak", "strong"):
            groups, sizes = _by_size(self._graph.connected_components(mode=mode).membership)
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
    return random.Random(SEED)  # noqa: S311 # nosec B311 # samples of a graph


def _parts(nodes: Sequence[int], message: str) -> Iterator[list[int]]:
    call = current_call()
    for done in range(0, len(nodes), _AT_ONCE):
        call.progress(done, len(nodes), message)
        yield list(nodes[done : done + _AT_ONCE])


def _significant(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values]


def _mean(values: Sequence[float]) -> float | None:
    return _significant([sum(values) / len(values)])[0] if values else None


def _by_size(groups: Sequence[int]) -> tuple[list[float], list[int]]:
    """Renumber groups by descending size, ties by their first node; return them with their sizes."""
    ordered = Counter(groups).most_common()  # stable: ties in order of appearance
    number = {group: place for place, (group, _) in enumerate(ordered)}
    return [number[group] for group in groups], [count for _, count in ordered]
