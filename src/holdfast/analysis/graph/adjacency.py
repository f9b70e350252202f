"""The searches of graph metrics that take most time, over compressed adjacency lists.

Contract:
- `compressed` uses the compiled core (`core/src/graph.rs`) if that was built, otherwise `ArrayAdjacency`.
  Both give the same results to the last bit: they add the same numbers in the same order.
- Nothing is random. Of equally good choices, the first one in the order of the edges is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from holdfast.analysis.graph.leiden import Network, leiden_pass
from holdfast.kernel.call import current_call
from holdfast.syntax.core import library

Integers = npt.NDArray[np.int64]

_CELLS_PER_SEARCH = 2**19
"""Pairs of a source and an edge that one step of `ArrayAdjacency` may visit: a judgement,
for about 50 MiB."""


class Adjacency(Protocol):
    """A directed graph: the successors of node n are `targets[starts[n]:starts[n + 1]]`."""

    def shortest_paths(self, sources: Sequence[int]) -> Sequence[Sequence[float]]:
        """Return three sums over the sources for each node.

        These are the shares of the node in the shortest paths from the source to each other node (Brandes'
        dependencies), the number of sources that reach it, and its distances from them.
        """

    def leiden_pass(self, membership: Sequence[int]) -> list[int]:
        """Improve a partition by one pass of the Leiden algorithm; see `leiden.leiden_pass`."""


def compressed(nodes: int, origins: Integers, targets: Integers) -> Adjacency:
    """Return the graph of the edges, which are sorted by origin and target."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(origins, minlength=nodes))))
    return _implementation()(starts.tolist(), targets.tolist())


def _implementation() -> Callable[[Sequence[int], Sequence[int]], Adjacency]:
    if library.is_used():
        from holdfast._core import Graph

        return Graph
    return ArrayAdjacency


class ArrayAdjacency:
    """The searches in NumPy and Python."""

    def __init__(self, starts: Sequence[int], targets: Sequence[int]) -> None:
        self._starts, self._targets = np.array(starts, np.int64), np.array(targets, np.int64)
        self._out_degrees = np.diff(self._starts)

    def shortest_paths(self, sources: Sequence[int]) -> Sequence[Sequence[float]]:
        nodes = len(self._out_degrees)
        shares, reached_from, distance_sums = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
        together = max(1, _CELLS_PER_SEARCH // max(1, nodes, len(self._targets)))
        for done in range(0, len(sources), together):
            current_call().check()
            with np.errstate(over="ignore", invalid="ignore"):  # where paths are too many to count
                shares_by_source, distances = self._search(np.array(sources[done : done + together]))
            for shares_of_one in shares_by_source:  # one by one, as the core adds them
                shares += shares_of_one
            is_reached = distances >= 0
            reached_from += is_reached.sum(axis=0)
            distance_sums += (distances * is_reached).sum(axis=0)
        return shares.tolist(), reached_from.tolist(), distance_sums.tolist()

    def leiden_pass(self, membership: Sequence[int]) -> list[int]:
        targets = self._targets.tolist()
        rows = (targets[start:end] for start, end in pairwise(self._starts.tolist()))
        return leiden_pass(Network(list(map(Counter, rows))), membership)

    def _search(self, sources: Integers) -> tuple[npt.NDArray[np.float64], Integers]:
        """Return the shares of each node, and its distances, for several sources: Brandes' algorithm.

        Each pair of a source and a node is a cell, and one step follows the edges from all cells that were
        just reached.
        """
        nodes = len(self._out_degrees)
        first_cells = np.arange(len(sources)) * nodes
        cells = first_cells + sources
        paths, distances = np.zeros(len(sources) * nodes), np.full(len(sources) * nodes, -1)
        discovery = np.empty_like(distances)  # of each cell, the index of the edge that reached it first
        paths[cells], distances[cells] = 1, 0
        steps: list[tuple[Integers, Integers, Integers]] = []
        while len(cells):
            origins, targets = self._edges_from(cells)
            is_new = distances[targets] < 0
            origins, targets = origins[is_new], targets[is_new]
            steps.append((cells, origins, targets))
            distances[targets] = len(steps)
            np.add.at(paths, targets, paths[origins])
            indexes = np.arange(len(targets))
            discovery[targets[::-1]] = indexes[::-1]
            cells = targets[discovery[targets] == indexes]
        shares, shares_per_path = np.zeros_like(paths), np.zeros_like(paths)
        for cells, origins, targets in reversed(steps):
            np.add.at(shares, origins, shares_per_path[targets])
            shares[cells] *= paths[cells]
            shares_per_path[cells] = (1 + shares[cells]) / paths[cells]
        shares[first_cells + sources] = 0
        return shares.reshape(-1, nodes), distances.reshape(-1, nodes)

    def _edges_from(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return the cells at both ends of all edges from the cells."""
        nodes = cells % len(self._out_degrees)
        counts = self._out_degrees[nodes]
        ends = np.cumsum(counts)
        edges = np.arange(ends[-1]) + np.repeat(self._starts[nodes] - ends + counts, counts)
        return np.repeat(cells, counts), self._targets[edges] + np.repeat(cells - nodes, counts)
