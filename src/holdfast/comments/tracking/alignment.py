"""Aligning the lines of two areas in order: the chain of pairs whose scores add up to the most.

Contract: the result is strictly increasing on both sides, holds only offered pairs, and costs
O(pairs * log(lines)) steps.
"""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int, int, float]
"""Old index, new index, and the score of taking them for the same line."""


def best_chain(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the increasing chain of pairs with the greatest sum of scores."""
    ordered = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    ranks = {index: rank for rank, index in enumerate(sorted({pair[1] for pair in ordered}), start=1)}
    best = _PrefixBest(len(ranks))
    before: list[int] = []
    for number, (_, target, score) in enumerate(ordered):
        total, previous = best.upto(ranks[target] - 1)
        before.append(previous)
        best.offer(ranks[target], total + score, number)
    _, at = best.upto(len(ranks))
    chain: list[Pair] = []
    while at >= 0:
        chain.append(ordered[at])
        at = before[at]
    chain.reverse()
    return chain


class _PrefixBest:
    """The best total among the first ranks, kept in a tree of partial maxima.

    Pairs of one old line are offered from the last new line to the first, so that none builds on another.
    """

    def __init__(self, size: int) -> None:
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)

    def upto(self, rank: int) -> tuple[float, int]:
        """Return the best total that ends at or before a rank, and the pair it ends with."""
        found = (0.0, -1)
        while rank > 0:
            if self._best[rank][0] > found[0]:
                found = self._best[rank]
            rank -= rank & -rank
        return found

    def offer(self, rank: int, total: float, number: int) -> None:
        """Note that a pair at a rank reaches a total."""
        while rank < len(self._best):
            if total > self._best[rank][0]:
                self._best[rank] = (total, number)
            rank += rank & -rank
