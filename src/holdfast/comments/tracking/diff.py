"""A patience diff: lines that are unchanged between two versions.

Lines that occur once on each side are matched first, recursively between the matches (Bram Cohen's patience
diff). This is done with exact lines, and then, for the lines between, with normalized lines. The rest is
matched by a longest common subsequence of the lines that have distinctive tokens.

Contract: the map is strictly increasing, and mapped lines differ at most in white space and quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from holdfast.comments.tracking.lines import Lines
from holdfast.storage.git.line_diff import unique_pairs

_MAX_TABLE_CELLS = 25_000_000
"""Largest product of line counts for which a longest common subsequence is computed. A judgement: rapidfuzz's
bit-parallel algorithm takes one step for 64 cells, so at most about 400,000 steps."""

_MAX_RECURSION_DEPTH = 24
"""Recursion depth of the patience diff. A judgement: each level needs new unique lines, so files use few."""


class Area(NamedTuple):
    """A range of old lines and the range of new lines that is searched for them; the ends are exclusive."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def line_map(old: Lines, new: Lines) -> dict[int, int]:
    """Return the new index of each old line that is unchanged."""
    matches: dict[int, int] = {}
    exact = _Diff(*_intern(old.raw, new.raw), matches)
    exact.match(Area(0, len(old), 0, len(new)), _MAX_RECURSION_DEPTH)
    normalized = _Diff(*_intern(old.normalized, new.normalized), matches)
    for area in gaps(matches, len(old), len(new)):
        normalized.match(area, _MAX_RECURSION_DEPTH)
    for area in gaps(matches, len(old), len(new)):
        normalized.match_longest_common(area, old, new)
    return matches


def gaps(matches: dict[int, int], old_length: int, new_length: int) -> list[Area]:
    """Return the areas between matched lines that have lines on both sides."""
    areas: list[Area] = []
    old_start = new_start = 0
    for old_index, new_index in [*sorted(matches.items()), (old_length, new_length)]:
        if old_index > old_start and new_index > new_start:
            areas.append(Area(old_start, old_index, new_start, new_index))
        old_start, new_start = old_index + 1, new_index + 1
    return areas


def _intern(old: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]]:
    """Replace the lines of both sequences with integers; equal lines have equal integers."""
    numbers: dict[str, int] = {}
    old_numbers = [numbers.setdefault(line, len(numbers)) for line in old]
    new_numbers = [numbers.setdefault(line, len(numbers)) for line in new]
    return old_numbers, new_numbers


class _Diff:
    """Adds matches of lines, which are given as integers, to a map from old to new indices."""

    def __init__(self, old: list[int], new: list[int], matches: dict[int, int]) -> None:
        self._old = old
        self._new = new
        self._matches = matches

    def match(self, area: Area, depth: int) -> None:
        """Match the common prefix, suffix and unique lines of an area, then recurse between them."""
        old_start, old_end, new_start, new_end = area = self._match_equal_ends(area)
        pivots = self._unique_pairs(area) if depth and old_start < old_end and new_start < new_end else []
        if not pivots:
            return
        for old_index, new_index in [*pivots, (old_end, new_end)]:
            self.match(Area(old_start, old_index, new_start, new_index), depth - 1)
            if old_index < old_end:
                self._matches[old_index] = new_index
            old_start, new_start = old_index + 1, new_index + 1

    def _match_equal_ends(self, area: Area) -> Area:
        """Match the common prefix and suffix of an area, and return what is between them."""
        old_start, old_end, new_start, new_end = area
        old, new, matches = self._old, self._new, self._matches
        while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
            matches[old_start] = new_start
            old_start, new_start = old_start + 1, new_start + 1
        while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
            old_end, new_end = old_end - 1, new_end - 1
            matches[old_end] = new_end
        return Area(old_start, old_end, new_start, new_end)

    def _unique_pairs(self, area: Area) -> list[tuple[int, int]]:
        """Return the longest increasing chain of lines that occur once on each side of the area."""
        old_start, old_end, new_start, new_end = area
        pairs = unique_pairs(self._old[old_start:old_end], self._new[new_start:new_end])
        return [(old_start + old_index, new_start + new_index) for old_index, new_index in pairs]

    def match_longest_common(self, area: Area, old_lines: Lines, new_lines: Lines) -> None:
        """Match a longest common subsequence of the distinctive lines, and equal lines next to them."""
        old_start, old_end, new_start, new_end = area
        if (old_end - old_start) * (new_end - new_start) > _MAX_TABLE_CELLS:
            return
        old_indices = [index for index in range(old_start, old_end) if not old_lines.is_trivial(index)]
        new_indices = [index for index in range(new_start, new_end) if not new_lines.is_trivial(index)]
        pivots: list[tuple[int, int]] = []
        old_numbers = [self._old[index] for index in old_indices]
        new_numbers = [self._new[index] for index in new_indices]
        for step in LCSseq.opcodes(old_numbers, new_numbers):
            if step.tag == "equal":
                length = step.src_end - step.src_start
                pivots += zip(
                    old_indices[step.src_start : step.src_start + length],
                    new_indices[step.dest_start : step.dest_start + length],
                    strict=True,
                )
        if not pivots:
            return
        for old_index, new_index in [*pivots, (old_end, new_end)]:
            self._match_equal_ends(Area(old_start, old_index, new_start, new_index))
            if old_index < old_end:
                self._matches[old_index] = new_index
            old_start, new_start = old_index + 1, new_index + 1
