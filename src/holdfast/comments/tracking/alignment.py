"""Aligns the lines of two areas in order: the increasing chain of line pairs with the greatest sum of scores.

This is a maximum-weight increasing subsequence, computed with a Fenwick tree of prefix maxima. In a small
area every pair is scored, in a large one only pairs of lines that share text or rare words.

Contract: the result is strictly increasing on both sides, contains only scored pairs, and costs O(pairs *
log(lines)) steps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence, Set
from functools import cached_property
from typing import NamedTuple

from holdfast.comments.tracking.diff import Area
from holdfast.comments.tracking.lines import Bag, Lines
from holdfast.comments.tracking.similarity import LineSimilarity

_MAX_LINES_PER_WORD = 60
"""A word part that occurs in more lines than this selects no candidates. A judgement: it is too common."""

_MAX_INDEXED_LINES = 20_000
"""Lines indexed by word parts; later ones are found by equal text only. A judgement: people write fewer."""

_MIN_PAIR_SCORE = 0.42
"""Lowest score of a pair that may be matched. This and the next bound were tuned with `bench/anchors`
(docs/accuracy.md, decision 0016)."""

_MIN_PAIR_CONTENT = 0.25
"""Lowest text similarity of a pair that may be matched."""

_MAX_EXHAUSTIVE_PAIRS = 3000
"""Areas with at most this many pairs are searched exhaustively. A judgement: milliseconds for each area."""

_MAX_CANDIDATES_PER_LINE = 6
"""Candidates for one line of a large area, by text and by word parts each. A judgement: the right line is
nearly always among the first, and the time is proportional."""

_BLOCK_LINES = 100
"""Old lines of one block of a large area. A judgement: code that moves farther was cut out and inserted."""


class ScoredPair(NamedTuple):
    """An old and a new line, and the score of matching them."""

    source: int
    target: int
    score: float


class UnmatchedLines:
    """The new lines that no confirmed line matches, indexed by text and by word parts."""

    def __init__(self, lines: Lines, matched: Set[int]) -> None:
        self._lines = lines
        self._indices = [index for index in range(len(lines)) if index not in matched]

    @cached_property
    def _by_text(self) -> dict[str, list[int]]:
        """The indices of the lines with each normalized text, in order."""
        indices: dict[str, list[int]] = defaultdict(list)
        for index in self._indices:
            indices[self._lines.normalized[index]].append(index)
        return indices

    @cached_property
    def _by_word_part(self) -> dict[str, list[int]]:
        """An inverted index from word parts to the indices of lines, in order."""
        indices: dict[str, list[int]] = defaultdict(list)
        for index in self._indices[:_MAX_INDEXED_LINES]:
            for word_part in self._lines.bag(index).counts:
                indices[word_part].append(index)
        return indices

    def with_text(self, text: str, expected: int, limit: int) -> list[int]:
        """Return the lines with a normalized text, nearest to the index `expected` first."""
        indices = self._by_text.get(text, [])
        position = bisect_left(indices, expected)
        near = indices[max(0, position - limit) : position + limit]
        return sorted(near, key=lambda index: (abs(index - expected), index))[:limit]

    def sharing_words(self, bag: Bag, start: int, end: int, limit: int) -> list[int]:
        """Return the lines from start to end (exclusive) that share the most rare word parts."""
        votes: dict[int, float] = defaultdict(float)
        for word_part in bag.counts:
            holders = self._by_word_part.get(word_part, [])
            low, high = bisect_left(holders, start), bisect_left(holders, end)
            if high - low <= _MAX_LINES_PER_WORD:
                vote = 1 / (1 + high - low)
                for index in holders[low:high]:
                    votes[index] += vote
        return sorted(votes, key=lambda index: (-votes[index], index))[:limit]


def heaviest_chain(pairs: Sequence[ScoredPair]) -> list[ScoredPair]:
    """Return the increasing chain of pairs with the greatest sum of scores."""
    ordered = sorted(pairs, key=lambda pair: (pair.source, -pair.target))
    new_indices = sorted({pair.target for pair in ordered})
    ranks = {new_index: rank for rank, new_index in enumerate(new_indices, start=1)}
    best_chains = _PrefixMaxima(len(ranks))
    predecessors: list[int] = []
    for number, (_, new_index, score) in enumerate(ordered):
        total, predecessor = best_chains.best_up_to(ranks[new_index] - 1)
        predecessors.append(predecessor)
        best_chains.update(ranks[new_index], total + score, number)
    _, number = best_chains.best_up_to(len(ranks))
    chain: list[ScoredPair] = []
    while number >= 0:
        chain.append(ordered[number])
        number = predecessors[number]
    chain.reverse()
    return chain


class _PrefixMaxima:
    """A Fenwick tree of the best chain that ends at or before each rank of a new line.

    Pairs of one old line must be inserted from the last new line to the first, so that none extends another.
    """

    def __init__(self, size: int) -> None:
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)
        """The total score of a chain and the number of its last pair, or -1 for the empty chain."""

    def best_up_to(self, rank: int) -> tuple[float, int]:
        """Return the best total of a chain that ends at or before a rank, and its last pair's number."""
        found = (0.0, -1)
        while rank > 0:
            if self._best[rank][0] > found[0]:
                found = self._best[rank]
            rank -= rank & -rank
        return found

    def update(self, rank: int, total: float, number: int) -> None:
        """Record a chain with its total, which ends with pair `number` at a rank."""
        while rank < len(self._best):
            if total > self._best[rank][0]:
                self._best[rank] = (total, number)
            rank += rank & -rank


def is_small(area: Area) -> bool:
    """Return whether all pairs of an area are scored."""
    old_start, old_end, new_start, new_end = area
    return (old_end - old_start) * (new_end - new_start) <= _MAX_EXHAUSTIVE_PAIRS


def alignment_window(area: Area, index: int) -> Area:
    """Return the part of an area to align for an old line.

    That is the area itself if it is small, else the line's block with the blocks before and after it.
    """
    old_start, old_end, new_start, new_end = area
    if is_small(area) or old_end - old_start <= 3 * _BLOCK_LINES:
        return area
    start = old_start + ((index - old_start) // _BLOCK_LINES - 1) * _BLOCK_LINES
    return Area(max(old_start, start), min(old_end, start + 3 * _BLOCK_LINES), new_start, new_end)


def score_pairs(
    old_lines: Lines, similarity: LineSimilarity, unmatched: UnmatchedLines, area: Area, whole: Area
) -> list[ScoredPair]:
    """Return the pairs of an area with a sufficient score; `whole` is the area that it is a part of."""
    old_start, old_end, new_start, new_end = area
    if is_small(area):
        targets = range(new_start, new_end)
        candidates = [(source, target) for source in range(old_start, old_end) for target in targets]
    else:
        candidates = _candidate_pairs(old_lines, unmatched, area, whole)
    pairs: list[ScoredPair] = []
    for source, target in candidates:
        if similarity.content(source, target) >= _MIN_PAIR_CONTENT:
            score = similarity.score(source, target)
            if score >= _MIN_PAIR_SCORE:
                pairs.append(ScoredPair(source, target, score))
    return pairs


def _candidate_pairs(
    old_lines: Lines, unmatched: UnmatchedLines, area: Area, whole: Area
) -> list[tuple[int, int]]:
    """Return the pairs of each old line with the new lines of equal text or with the same rare words."""
    old_start, old_end, new_start, new_end = area
    pairs: list[tuple[int, int]] = []
    for source in range(old_start, old_end):
        # The new line at the same relative position in the area.
        whole_length = max(1, whole.old_end - whole.old_start)
        expected = new_start + (source - whole.old_start) * (new_end - new_start) // whole_length
        equal = unmatched.with_text(old_lines.normalized[source], expected, _MAX_CANDIDATES_PER_LINE)
        alike = unmatched.sharing_words(old_lines.bag(source), new_start, new_end, _MAX_CANDIDATES_PER_LINE)
        pairs += [(source, target) for target in sorted({*alike, *equal}) if new_start <= target < new_end]
    return pairs
