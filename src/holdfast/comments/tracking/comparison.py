"""Two versions side by side: the lines that are certainly equal, and the areas between them to search.

Contract: confirmed lines are strictly increasing pairs; every other line is in exactly one area.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import pairwise

from holdfast.comments.tracking.alignment import (
    Pair,
    UnmatchedLines,
    heaviest_chain,
    is_small,
    scored_pairs,
    window,
)
from holdfast.comments.tracking.diff import Area, line_map
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline
from holdfast.comments.tracking.placement import FileVersion
from holdfast.comments.tracking.reflow import StatementTokens, reflowed_line
from holdfast.comments.tracking.similarity import LineSimilarity
from holdfast.comments.tracking.symbol_map import OutlinePair

_CONFIRMED_TOKENS = 6
"""Distinctive tokens that a run of equal lines between two changes needs to be confirmed. Tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_LONGEST_SLIDE = 12
"""Lines at the end of a run that are checked for sliding. A chosen bound."""

_DIVIDING_SCORE = 0.75
"""Score from which a pair divides a large area. Tuned with `bench/anchors`."""


class VersionComparison:
    """What all anchors of a pair of versions share."""

    def __init__(self, old: FileVersion, new: FileVersion) -> None:
        self.before, self.after = Lines(old.text), Lines(new.text)
        self._outlines = Outline(old.path, self.before), Outline(new.path, self.after)
        self._streams: dict[Area, tuple[StatementTokens, StatementTokens]] = {}
        self._aligned: dict[Area, dict[int, tuple[int, float]]] = {}

    @cached_property
    def equal(self) -> dict[int, int]:
        """Lines that the diff found unchanged."""
        return line_map(self.before, self.after)

    @cached_property
    def confirmed(self) -> dict[int, int]:
        """The equal lines that can be trusted.

        Left out are short runs without a unique line, and ambiguous or trivial lines at the ends of runs.
        """
        before, equal, runs = self.before, self.equal, _runs_of(self.equal)
        firm: dict[int, int] = {}
        loose = _sliding_ends(before, self.after, equal, runs)
        for run in runs:
            first, last = run[0], run[-1]
            at_start = first == 0 and equal[first] == 0
            at_end = last == len(before) - 1 and equal[last] == len(self.after) - 1
            while first <= last and not at_start and (first in loose or before.is_trivial(first)):
                first += 1
            while first <= last and not at_end and (last in loose or before.is_trivial(last)):
                last -= 1
            kept = range(first, last + 1)
            tokens = sum(before.distinctive_tokens(index) for index in kept)
            if at_start or at_end or (tokens >= _CONFIRMED_TOKENS and self.is_unique(kept)):
                firm.update((index, equal[index]) for index in kept)
        return firm

    def is_unique(self, indices: range) -> bool:
        """Return whether some old lines contain a line, or two in a row, that is unique in both versions."""
        distinctive = [self.before.normal[index] for index in indices if not self.before.is_trivial(index)]
        keys: list[str | tuple[str, str]] = [*distinctive, *pairwise(distinctive)]
        return any(self.before.counts[key] == self.after.counts[key] == 1 for key in keys)

    @cached_property
    def _confirmed_keys(self) -> list[int]:
        return sorted(self.confirmed)

    @cached_property
    def _confirmed_targets(self) -> list[int]:
        return [self.confirmed[key] for key in self._confirmed_keys]

    @cached_property
    def outlines(self) -> OutlinePair:
        """The symbols of both versions."""
        return OutlinePair(*self._outlines, self.before, self.after, self.equal)

    @cached_property
    def similarity(self) -> LineSimilarity:
        """Similarity of pairs of lines."""
        return LineSimilarity(self.before, self.after, self.outlines)

    def area(self, index: int) -> Area:
        """Return the area around a line that is not confirmed."""
        return self._area(bisect_left(self._confirmed_keys, index))

    def area_of_new(self, index: int) -> Area:
        """Return the area around a new line that matches no confirmed line."""
        return self._area(bisect_left(self._confirmed_targets, index))

    def _area(self, place: int) -> Area:
        """Return the area before the confirmed line number `place`; after the last, the rest."""
        keys, targets = self._confirmed_keys, self._confirmed_targets
        old_start, new_start = (keys[place - 1] + 1, targets[place - 1] + 1) if place else (0, 0)
        if place == len(keys):
            return old_start, len(self.before), new_start, len(self.after)
        return old_start, keys[place], new_start, targets[place]

    def reflowed_line(self, index: int) -> int | None:
        """Return where a line's code begins now, if only line breaks changed."""
        area = self.area(index)
        streams = self._streams.get(area)
        if streams is None:
            old_start, old_end, new_start, new_end = area
            streams = (
                StatementTokens(self.before, old_start, old_end),
                StatementTokens(self.after, new_start, new_end),
            )
            self._streams[area] = streams
        found = reflowed_line(*streams, index)
        # For lines with equal text, equal tokens add no evidence.
        return None if found is None or self.before.normal[index] == self.after.normal[found] else found

    @cached_property
    def unmatched(self) -> UnmatchedLines:
        """The new lines that no confirmed line matches."""
        return UnmatchedLines(self.after, set(self.confirmed.values()))

    def aligned(self, area: Area, index: int) -> dict[int, tuple[int, float]]:
        """Return for the old lines of an area, or those near `index`, the aligned new line and its score."""
        part = window(area, index)
        found = self._aligned.get(part)
        if found is None:
            chain = self._align(part, area)
            if not is_small(part):
                chain = self._refine(part, chain)
            found = {source: (target, score) for source, target, score in chain}
            self._aligned[part] = found
        return found

    def _align(self, part: Area, whole: Area) -> list[Pair]:
        """Return the best chain of the pairs of an area; trivial lines get a fifth of the weight."""
        scores = {
            (source, target): score
            for source, target, score in scored_pairs(
                self.before, self.similarity, self.unmatched, part, whole
            )
        }
        weighed = [
            (source, target, score * (0.2 if self.before.is_trivial(source) else 1.0))
            for (source, target), score in scores.items()
        ]
        return [(source, target, scores[source, target]) for source, target, _ in heaviest_chain(weighed)]

    def _refine(self, part: Area, chain: list[Pair]) -> list[Pair]:
        """Return a chain in which the small gaps between its certain pairs are aligned exhaustively."""
        refined: list[Pair] = []
        old_start, old_end, new_start, new_end = part
        certain = [pair for pair in chain if pair[2] >= _DIVIDING_SCORE]
        for source, target, score in [*certain, (old_end, new_end, 0.0)]:
            gap = (old_start, source, new_start, target)
            if old_start == source or new_start == target:
                pass
            elif is_small(gap):
                refined += self._align(gap, gap)
            else:
                refined += [pair for pair in chain if old_start <= pair[0] < source]
            if source < old_end:
                refined.append((source, target, score))
            old_start, new_start = source + 1, target + 1
        return refined


def _sliding_ends(before: Lines, after: Lines, equal: dict[int, int], runs: list[list[int]]) -> set[int]:
    """Return the lines at the ends of runs that could equally match at the other end of a change."""
    loose: set[int] = set()
    for upper, lower in pairwise(runs):
        above, below = upper[-1], lower[0]
        # Text inserted (or deleted) between them may be attributed to either end: diff sliding.
        for lines, first, last in ((after, equal[above], equal[below]), (before, above, below)):
            for step in range(min(_LONGEST_SLIDE, len(upper), last - first - 1)):
                if lines.normal[last - 1 - step] != before.normal[above - step]:
                    break
                loose.add(above - step)
            for step in range(min(_LONGEST_SLIDE, len(lower), last - first - 1)):
                if lines.normal[first + 1 + step] != before.normal[below + step]:
                    break
                loose.add(below + step)
    return loose


def _runs_of(equal: dict[int, int]) -> list[list[int]]:
    """Return the equal lines as runs that are contiguous on both sides."""
    runs: list[list[int]] = []
    for index in sorted(equal):
        if runs and runs[-1][-1] == index - 1 and equal[index - 1] == equal[index] - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs
