"""Compares two versions: the lines that are certainly unchanged, and the areas between them, to be searched.

Contract: confirmed lines are strictly increasing pairs; every other line is in exactly one area. Line numbers
in this package are indices from 0, except those of symbols and placements, which count from 1.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import pairwise

from holdfast.comments.tracking.alignment import (
    ScoredPair,
    UnmatchedLines,
    alignment_window,
    heaviest_chain,
    is_small,
    score_pairs,
)
from holdfast.comments.tracking.diff import Area, line_map
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline
from holdfast.comments.tracking.placement import FileVersion
from holdfast.comments.tracking.reflow import StatementTokens, reflowed_line
from holdfast.comments.tracking.similarity import LineSimilarity
from holdfast.comments.tracking.symbol_map import OutlinePair

_MIN_RUN_TOKENS = 6
"""Distinctive tokens that a run of equal lines between two changes needs to be confirmed. Tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_MAX_SLIDE_LINES = 12
"""Lines at the end of a run that are checked for sliding. A judgement: code rarely repeats longer parts."""

_MIN_DIVIDING_SCORE = 0.75
"""Score from which on a pair of lines divides a large area. Tuned with `bench/anchors`."""

_TRIVIAL_WEIGHT = 0.2
"""Weight of the score of a trivial line in an alignment. A judgement: distinctive lines must decide."""


class VersionComparison:
    """The comparison of two versions, computed step by step as the anchors need it."""

    def __init__(self, old: FileVersion, new: FileVersion) -> None:
        self.old_lines, self.new_lines = Lines(old.text), Lines(new.text)
        self._outlines = Outline(old.path, self.old_lines), Outline(new.path, self.new_lines)
        self._statements: dict[Area, tuple[StatementTokens, StatementTokens]] = {}
        self._aligned: dict[Area, dict[int, ScoredPair]] = {}

    @cached_property
    def unchanged(self) -> dict[int, int]:
        """The new index of each line that the diff found unchanged."""
        return line_map(self.old_lines, self.new_lines)

    @cached_property
    def confirmed(self) -> dict[int, int]:
        """The unchanged lines that can be trusted, with their new indices.

        Left out are short runs without a unique line, and ambiguous or trivial lines at the ends of runs.
        """
        old_lines, unchanged = self.old_lines, self.unchanged
        runs = _group_runs(unchanged)
        sliding = _sliding_ends(old_lines, self.new_lines, unchanged, runs)

        def is_unreliable(index: int) -> bool:
            return index in sliding or old_lines.is_trivial(index)

        confirmed: dict[int, int] = {}
        for run in runs:
            first, last = run[0], run[-1]
            at_start = first == 0 and unchanged[first] == 0
            at_end = last == len(old_lines) - 1 and unchanged[last] == len(self.new_lines) - 1
            while first <= last and not at_start and is_unreliable(first):
                first += 1
            while first <= last and not at_end and is_unreliable(last):
                last -= 1
            kept = range(first, last + 1)
            tokens = sum(old_lines.distinctive_tokens(index) for index in kept)
            if at_start or at_end or (tokens >= _MIN_RUN_TOKENS and self.is_unique(kept)):
                confirmed.update((index, unchanged[index]) for index in kept)
        return confirmed

    def is_unique(self, indices: range) -> bool:
        """Return whether a line among these, or two in a row, occur only once in each version."""
        distinctive = [
            self.old_lines.normalized[index] for index in indices if not self.old_lines.is_trivial(index)
        ]
        keys: list[str | tuple[str, str]] = [*distinctive, *pairwise(distinctive)]
        return any(self.old_lines.counts[key] == self.new_lines.counts[key] == 1 for key in keys)

    @cached_property
    def confirmed_targets(self) -> frozenset[int]:
        """The new indices of the confirmed lines."""
        return frozenset(self.confirmed.values())

    @cached_property
    def _sorted_keys(self) -> list[int]:
        return sorted(self.confirmed)

    @cached_property
    def _sorted_targets(self) -> list[int]:
        return sorted(self.confirmed_targets)

    @cached_property
    def outlines(self) -> OutlinePair:
        return OutlinePair(*self._outlines, self.old_lines, self.new_lines, self.unchanged)

    @cached_property
    def similarity(self) -> LineSimilarity:
        return LineSimilarity(self.old_lines, self.new_lines, self.outlines)

    def area(self, index: int) -> Area:
        """Return the area around a line that is not confirmed."""
        return self._area(bisect_left(self._sorted_keys, index))

    def area_of_new(self, index: int) -> Area:
        """Return the area around a new line that matches no confirmed line."""
        return self._area(bisect_left(self._sorted_targets, index))

    def _area(self, number: int) -> Area:
        """Return the area before a confirmed line, given its number among them; after the last, the rest."""
        keys, targets = self._sorted_keys, self._sorted_targets
        old_start, new_start = (keys[number - 1] + 1, targets[number - 1] + 1) if number else (0, 0)
        if number == len(keys):
            return Area(old_start, len(self.old_lines), new_start, len(self.new_lines))
        return Area(old_start, keys[number], new_start, targets[number])

    def reflowed_line(self, index: int) -> int | None:
        """Return the line on which a line's code starts now, if only line breaks changed."""
        area = self.area(index)
        if area not in self._statements:
            self._statements[area] = (
                StatementTokens(self.old_lines, area.old_start, area.old_end),
                StatementTokens(self.new_lines, area.new_start, area.new_end),
            )
        target = reflowed_line(*self._statements[area], index)
        if target is None or self.old_lines.normalized[index] == self.new_lines.normalized[target]:
            return None  # for lines with equal text, equal tokens add no evidence
        return target

    @cached_property
    def unmatched(self) -> UnmatchedLines:
        return UnmatchedLines(self.new_lines, self.confirmed_targets)

    def alignment(self, area: Area, index: int) -> dict[int, ScoredPair]:
        """Return the aligned pairs of an area, or of its part near the old line `index`, by old line."""
        part = alignment_window(area, index)
        if part not in self._aligned:
            chain = self._align(part, area)
            if not is_small(part):
                chain = self._refine(part, chain)
            self._aligned[part] = {pair.source: pair for pair in chain}
        return self._aligned[part]

    def _align(self, part: Area, whole: Area) -> list[ScoredPair]:
        """Return the best chain of the pairs of an area; trivial lines have little weight in the choice."""
        pairs = score_pairs(self.old_lines, self.similarity, self.unmatched, part, whole)
        scored = {(pair.source, pair.target): pair for pair in pairs}
        is_trivial = self.old_lines.is_trivial
        weighed = [
            pair._replace(score=pair.score * (_TRIVIAL_WEIGHT if is_trivial(pair.source) else 1.0))
            for pair in pairs
        ]
        return [scored[pair.source, pair.target] for pair in heaviest_chain(weighed)]

    def _refine(self, part: Area, chain: list[ScoredPair]) -> list[ScoredPair]:
        """Return a chain in which the small gaps between its certain pairs are aligned exhaustively."""
        refined: list[ScoredPair] = []
        old_start, new_start = part.old_start, part.new_start
        dividers = [pair for pair in chain if pair.score >= _MIN_DIVIDING_SCORE]
        end = ScoredPair(part.old_end, part.new_end, 0.0)  # after the last gap; not in the result
        for divider in [*dividers, end]:
            gap = Area(old_start, divider.source, new_start, divider.target)
            is_empty = gap.old_start == gap.old_end or gap.new_start == gap.new_end
            if not is_empty and is_small(gap):
                refined += self._align(gap, gap)
            elif not is_empty:
                refined += [pair for pair in chain if gap.old_start <= pair.source < gap.old_end]
            if divider is not end:
                refined.append(divider)
            old_start, new_start = divider.source + 1, divider.target + 1
        return refined


def _sliding_ends(
    old_lines: Lines, new_lines: Lines, unchanged: dict[int, int], runs: list[list[int]]
) -> set[int]:
    """Return the lines at the ends of runs that could equally match at the other end of a change.

    If the text between two runs was inserted or deleted, and its lines repeat those around it, the change may
    be attributed to either end. This is known as diff sliding.
    """
    sliding: set[int] = set()
    for upper, lower in pairwise(runs):
        above, below = upper[-1], lower[0]
        # What is between the runs in one version was inserted or deleted; in the other it is usually empty.
        for lines, first, last in (
            (new_lines, unchanged[above], unchanged[below]),
            (old_lines, above, below),
        ):
            for step in range(min(_MAX_SLIDE_LINES, len(upper), last - first - 1)):
                if lines.normalized[last - 1 - step] != old_lines.normalized[above - step]:
                    break
                sliding.add(above - step)
            for step in range(min(_MAX_SLIDE_LINES, len(lower), last - first - 1)):
                if lines.normalized[first + 1 + step] != old_lines.normalized[below + step]:
                    break
                sliding.add(below + step)
    return sliding


def _group_runs(unchanged: dict[int, int]) -> list[list[int]]:
    """Group unchanged lines into runs that are contiguous on both sides."""
    runs: list[list[int]] = []
    for index in sorted(unchanged):
        if runs and runs[-1][-1] == index - 1 and unchanged[index - 1] == unchanged[index] - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs
