"""Aligns the lines of two areas in order: the increasing chain of line pairs with the greatest sum of scores.

This is a maximum-weight increasing subsequence, computed with a Fenwick tree of prefix maxima. In a small
area every pair is scored, in a large one only pairs of lines that share text or rare words.

Contract: the result is strictly increasing on both sides, contains only scored pairs, and costs O(pairs *
log(lines)) steps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from holdfast.comments.tracking.diff import Area
from holdfast.comments.tracking.lines import Bag, Lines
from holdfast.comments.tracking.similarity import LineSimilarity

_COMMON = 60
"""A word part that occurs in more lines than this selects no candidates. A chosen bound."""

_MAX_READ = 20_000
"""Lines that are indexed by words; beyond them only equal texts are found. A chosen bound on time."""


class UnmatchedLines:
    """The new lines that no confirmed line matches, indexed by text and by word parts."""

    def __init__(self, lines: Lines, matched: set[int]) -> None:
        self._lines = lines
        self._indices = [index for index in range(len(lines)) if index not in matched]

    @cached_property
    def _by_text(self) -> dict[str, list[int]]:
        """The lines by their normalized text, each list increasing."""
        found: dict[str, list[int]] = defaultdict(list)
        for index in self._indices:
            found[self._lines.normal[index]].append(index)
        return found

    @cached_property
    def _by_piece(self) -> dict[str, list[int]]:
        """An inverted index from word parts to lines."""
        found: dict[str, list[int]] = defaultdict(list)
        for index in self._indices[:_MAX_READ]:
            for piece in self._lines.bag(index).counts:
                found[piece].append(index)
        return found

    def equal(self, text: str, goal: int, most: int) -> list[int]:
        """Return the lines with a text, nearest to `goal` first."""
        found = self._by_text.get(text, [])
        place = bisect_left(found, goal)
        near = found[max(0, place - most) : place + most]
        return sorted(near, key=lambda index: (abs(index - goal), index))[:most]

    def sharing_words(self, bag: Bag, start: int, end: int, most: int) -> list[int]:
        """Return the lines from start to end (exclusive) that share the most rare word parts."""
        votes: dict[int, float] = defaultdict(float)
        for piece in bag.counts:
            holders = self._by_piece.get(piece, [])
            low, high = bisect_left(holders, start), bisect_left(holders, end)
            if high - low <= _COMMON:
                worth = 1 / (1 + high - low)
                for index in holders[low:high]:
                    votes[index] += worth
        return sorted(votes, key=lambda index: (-votes[index], index))[:most]


Pair = tuple[int, int, float]
"""Old index, new index, and the score of matching them."""


def heaviest_chain(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the increasing chain of pairs with the greatest sum of scores."""
    ordered = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    ranks = {index: rank for rank, index in enumerate(sorted({pair[1] for pair in ordered}), start=1)}
    best = _PrefixMaxima(len(ranks))
    before: list[int] = []
    for number, (_, target, score) in enumerate(ordered):
        total, previous = best.best_up_to(ranks[target] - 1)
        before.append(previous)
        best.update(ranks[target], total + score, number)
    _, at = best.best_up_to(len(ranks))
    chain: list[Pair] = []
    while at >= 0:
        chain.append(ordered[at])
        at = before[at]
    chain.reverse()
    return chain


class _PrefixMaxima:
    """A Fenwick tree of the best chain that ends at or before each rank.

    Pairs of one old line are inserted from the last new line to the first, so that none extends another.
    """

    def __init__(self, size: int) -> None:
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)

    def best_up_to(self, rank: int) -> tuple[float, int]:
        """Return the best total that ends at or before a rank, and the pair it ends with."""
        found = (0.0, -1)
        while rank > 0:
            if self._best[rank][0] > found[0]:
                found = self._best[rank]
            rank -= rank & -rank
        return found

    def update(self, rank: int, total: float, number: int) -> None:
        """Record that a chain ending in a pair at a rank reaches a total."""
        while rank < len(self._best):
            if total > self._best[rank][0]:
                self._best[rank] = (total, number)
            rank += rank & -rank


_FLOOR = 0.42
"""Lowest score of a pair that may be matched. This and the next bound were tuned with `bench/anchors`
(docs/accuracy.md, decision 0016)."""

_MIN_CONTENT = 0.25
"""Lowest text similarity of a pair that may be matched."""

_MAX_PAIRS = 3000
"""Areas with at most this many pairs are searched exhaustively. A chosen bound on time."""

_PER_LINE = 6
"""Candidates for one line of a large area, by text and by words each. A chosen bound on time."""

_BLOCK = 100
"""Lines of a large area that are aligned together, with as many before and after them. A chosen bound."""


def is_small(area: Area) -> bool:
    """Return whether all pairs of an area are scored."""
    return (area[1] - area[0]) * (area[3] - area[2]) <= _MAX_PAIRS


def window(area: Area, index: int) -> Area:
    """Return the part of an area that decides about a line: a small one whole, else nearby blocks."""
    if is_small(area) or area[1] - area[0] <= 3 * _BLOCK:
        return area
    start = area[0] + ((index - area[0]) // _BLOCK - 1) * _BLOCK
    return max(area[0], start), min(area[1], start + 3 * _BLOCK), area[2], area[3]


def scored_pairs(
    before: Lines, likeness: LineSimilarity, left_over: UnmatchedLines, area: Area, whole: Area
) -> list[Pair]:
    """Return the pairs of an area, itself a part of `whole`, that score above the floor."""
    old_start, old_end, new_start, new_end = area
    if is_small(area):
        targets = range(new_start, new_end)
        tried = [(source, target) for source in range(old_start, old_end) for target in targets]
    else:
        tried = _candidate_pairs(before, left_over, area, whole)
    pairs: list[Pair] = []
    for source, target in tried:
        if likeness.content(source, target) >= _MIN_CONTENT:
            score = likeness.score(source, target)
            if score >= _FLOOR:
                pairs.append((source, target, score))
    return pairs


def _candidate_pairs(
    before: Lines, left_over: UnmatchedLines, area: Area, whole: Area
) -> list[tuple[int, int]]:
    """Return for each old line the new lines that share its text or most of its rare words."""
    _, _, new_start, new_end = area
    pairs: list[tuple[int, int]] = []
    for source in range(area[0], area[1]):
        goal = new_start + (source - whole[0]) * (new_end - new_start) // max(1, whole[1] - whole[0])
        equal = left_over.equal(before.normal[source], goal, _PER_LINE)
        alike = left_over.sharing_words(before.bag(source), new_start, new_end, _PER_LINE)
        pairs += [(source, target) for target in sorted({*alike, *equal}) if new_start <= target < new_end]
    return pairs
