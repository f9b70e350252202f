"""A patience diff: lines that are unchanged between two versions.

Unique common lines are matched first (Bram Cohen's patience diff), recursively between the matches; what is
left is matched by a longest common subsequence of the lines that have distinctive tokens. All of it runs on
exact lines first and then on lines without white space.

Contract: the map is strictly increasing, and mapped lines differ in white space and quotes at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from holdfast.comments.tracking.lines import Lines
from holdfast.storage.git.line_diff import unique_pairs

Area = tuple[int, int, int, int]
"""Old start and end, new start and end; the ends are exclusive."""

_LARGEST_TABLE = 25_000_000
"""Largest product of line counts for which a longest common subsequence is computed. A bound chosen to cap
the time: rapidfuzz's bit-parallel algorithm takes one step for 64 cells, so at most about 400,000 steps."""

_DEEPEST = 24
"""Recursion depth of the patience diff. A chosen bound: each level needs new unique lines, so real files use
only a few."""


def line_map(old: Lines, new: Lines) -> dict[int, int]:
    """Return the new index of each old line that is unchanged."""
    found: dict[int, int] = {}
    exact = _Diff(*_interned(old.raw, new.raw), found)
    exact.match((0, len(old), 0, len(new)), _DEEPEST)
    loose = _Diff(*_interned(old.normal, new.normal), found)
    for area in gaps(found, len(old), len(new)):
        loose.match(area, _DEEPEST)
    for area in gaps(found, len(old), len(new)):
        loose.longest_common(area, old, new)
    return found


def gaps(found: dict[int, int], old_length: int, new_length: int) -> list[Area]:
    """Return the areas between matched lines that have lines on both sides."""
    areas: list[Area] = []
    old_start = new_start = 0
    for old_index, new_index in [*sorted(found.items()), (old_length, new_length)]:
        if old_index > old_start and new_index > new_start:
            areas.append((old_start, old_index, new_start, new_index))
        old_start, new_start = old_index + 1, new_index + 1
    return areas


def _interned(old: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return both sequences as integers that are equal where the lines are."""
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(key, len(numbers)) for key in old]
    right = [numbers.setdefault(key, len(numbers)) for key in new]
    return left, right


class _Diff:
    """A diff under construction."""

    def __init__(self, old: list[int], new: list[int], found: dict[int, int]) -> None:
        self._old = old
        self._new = new
        self._found = found

    def match(self, area: Area, depth: int) -> None:
        """Match the common prefix, suffix and unique lines of an area, then recurse between them."""
        old_start, old_end, new_start, new_end = area = self._equal_ends(area)
        pivots = self._unique_pairs(area) if depth and old_start < old_end and new_start < new_end else []
        if not pivots:
            return
        for old_index, new_index in [*pivots, (old_end, new_end)]:
            self.match((old_start, old_index, new_start, new_index), depth - 1)
            if old_index < old_end:
                self._found[old_index] = new_index
            old_start, new_start = old_index + 1, new_index + 1

    def _equal_ends(self, area: Area) -> Area:
        """Match the common prefix and suffix of an area, and return what is between them."""
        old_start, old_end, new_start, new_end = area
        old, new, found = self._old, self._new, self._found
        while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
            found[old_start] = new_start
            old_start, new_start = old_start + 1, new_start + 1
        while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
            old_end, new_end = old_end - 1, new_end - 1
            found[old_end] = new_end
        return old_start, old_end, new_start, new_end

    def _unique_pairs(self, area: Area) -> list[tuple[int, int]]:
        """Return the longest increasing chain of lines that occur once on each side of the area."""
        old_start, old_end, new_start, new_end = area
        pairs = unique_pairs(self._old[old_start:old_end], self._new[new_start:new_end])
        return [(old_start + old_index, new_start + new_index) for old_index, new_index in pairs]

    def longest_common(self, area: Area, before: Lines, after: Lines) -> None:
        """Match a longest common subsequence of the distinctive lines, and equal lines next to them."""
        old_start, old_end, new_start, new_end = area
        if (old_end - old_start) * (new_end - new_start) > _LARGEST_TABLE:
            return
        left = [index for index in range(old_start, old_end) if not before.is_trivial(index)]
        right = [index for index in range(new_start, new_end) if not after.is_trivial(index)]
        pivots: list[tuple[int, int]] = []
        for step in LCSseq.opcodes([self._old[at] for at in left], [self._new[at] for at in right]):
            if step.tag == "equal":
                length = step.src_end - step.src_start
                pivots += zip(
                    left[step.src_start : step.src_start + length],
                    right[step.dest_start : step.dest_start + length],
                    strict=True,
                )
        for old_index, new_index in [*pivots, (old_end, new_end)]:
            if pivots:
                self._equal_ends((old_start, old_index, new_start, new_index))
            if old_index < old_end:
                self._found[old_index] = new_index
            old_start, new_start = old_index + 1, new_index + 1
