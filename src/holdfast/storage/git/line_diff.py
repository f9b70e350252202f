"""Patience diff: finds the changed lines of a text, in time almost proportional to its length.

The common lines at the start and at the end are left out. Lines that occur exactly once on each side, in the
same order, are the anchors. The gaps between the anchors are compared line by line as long as a budget
suffices; other gaps are reported as changed. So a hostile text makes the result less precise, but not slow.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

LineRange = tuple[int, int]
"""The first and the last line, counted from 1."""

_MAX_PAIRS_COMPARED = 300_000
"""How many pairs of lines the gaps may have, as their comparison is quadratic. A judgement: a gap of some 550
lines on each side, which takes a fraction of a second."""


class ChangedSpan(NamedTuple):
    """A span of the old text and the span that replaced it in the new one; one of the two may be empty.

    The numbers are indexes; an end is the index after the last line.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def changed_lines(old: bytes, new: bytes) -> list[LineRange]:
    """Return the ranges of lines (from 1, both ends included) in `new` that differ from `old`.

    A different kind of line end, or a missing one at the end of the text, is no change. Deleted lines are
    represented by the line before them, or by line 1 if they were the first; an empty text has no ranges.
    """
    before, after = lines_of(old), lines_of(new)
    ranges = [
        (start + 1, end) if start < end else (max(start, 1), max(start, 1))
        for _old_start, _old_end, start, end in line_changes(before, after)
    ]
    return _merge(ranges) if after else []


def former_indexes(
    before: Sequence[bytes], after: Sequence[bytes], wanted: Collection[int]
) -> dict[int, int]:
    """Map wanted indexes of `after` to the indexes of the same lines in `before`; new lines are left out.

    A line that occurs exactly once in the differing part of each side is the same line, even if it moved. A
    repeated line is the same only if the diff leaves it unchanged.
    """
    head, tail = _common_ends(before, after)
    differing = range(head, len(after) - tail)
    shift = len(before) - len(after)
    former = {index: index if index < head else index + shift for index in wanted if index not in differing}
    if len(former) == len(set(wanted)):
        return former
    old, new = before[head : len(before) - tail], after[head : differing.stop]
    old_counts, new_counts = Counter(old), Counter(new)
    old_indexes = {line: index for index, line in enumerate(old)}
    repeated = []  # indexes within `new` of lines that occur several times on one side
    for index in wanted:
        line = after[index]
        if index not in differing or line not in old_counts:
            continue
        if old_counts[line] == new_counts[line] == 1:
            former[index] = head + old_indexes[line]
        else:
            repeated.append(index - head)
    # A sentinel, so that every index has a change that ends after it.
    end = ChangedSpan(len(old), len(old), len(new), len(new))
    changes = [*line_changes(old, new), end] if repeated else []
    new_ends = [change.new_end for change in changes]
    for index in repeated:
        # The first change that ends after the line: if it also starts after it, the line is unchanged.
        change = changes[bisect_right(new_ends, index)]
        if index < change.new_start:
            former[head + index] = head + change.old_start - (change.new_start - index)
    return former


def lines_of(data: bytes) -> list[bytes]:
    """Return the lines of a text without their ends."""
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def line_changes(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[ChangedSpan]:
    """Yield the spans of lines or words that differ, in order; the span on one side may be empty."""
    head, tail = _common_ends(before, after)
    old = before[head : len(before) - tail]
    new = after[head : len(after) - tail]
    old_start = new_start = 0
    budget = _MAX_PAIRS_COMPARED
    for old_anchor, new_anchor in [*unique_pairs(old, new), (len(old), len(new))]:
        if old_anchor == old_start and new_anchor == new_start:
            old_start, new_start = old_anchor + 1, new_anchor + 1
            continue
        old_gap, new_gap = old[old_start:old_anchor], new[new_start:new_anchor]
        pairs = len(old_gap) * len(new_gap)
        old_offset, new_offset = head + old_start, head + new_start
        is_compared = 0 < pairs <= budget
        if is_compared:
            budget -= pairs
        for change in _gap_changes(old_gap, new_gap, is_compared=is_compared):
            yield ChangedSpan(
                old_offset + change.old_start,
                old_offset + change.old_end,
                new_offset + change.new_start,
                new_offset + change.new_end,
            )
        old_start, new_start = old_anchor + 1, new_anchor + 1


def _common_ends(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, int]:
    """Return how many lines both have in common at the start, and then how many at the end."""
    head = _common_length(before, after)
    return head, _common_length(before[head:][::-1], after[head:][::-1])


def _common_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the common prefix, by binary search: slices compare much faster than lines."""
    common, longest = 0, min(len(left), len(right))
    while common < longest:
        middle = (common + longest + 1) // 2
        if left[common:middle] == right[common:middle]:
            common = middle
        else:
            longest = middle - 1
    return common


def unique_pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the anchors of a patience diff, as pairs of old and new indexes.

    They are the longest run of lines that occur exactly once on each side, in the same order.
    """
    old_counts, new_counts = Counter(old), Counter(new)
    new_indexes = {line: index for index, line in enumerate(new) if new_counts[line] == 1}
    pairs = [
        (index, new_indexes[line])
        for index, line in enumerate(old)
        if old_counts[line] == 1 and line in new_indexes
    ]
    return _longest_increasing(pairs)


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence with increasing second members (patience sorting)."""
    smallest_ends: list[int] = []  # per length: the smallest second member that ends such a subsequence
    end_indexes: list[int] = []  # per length: the index of that pair
    previous: list[int] = []  # per pair: the index of the pair before it, or -1
    for index, (_, value) in enumerate(pairs):
        length = bisect_left(smallest_ends, value)
        previous.append(end_indexes[length - 1] if length else -1)
        if length == len(smallest_ends):
            smallest_ends.append(value)
            end_indexes.append(index)
        else:
            smallest_ends[length], end_indexes[length] = value, index
    result: list[tuple[int, int]] = []
    index = end_indexes[-1] if end_indexes else -1
    while index >= 0:
        result.append(pairs[index])
        index = previous[index]
    return result[::-1]


def _gap_changes(old: Sequence[Hashable], new: Sequence[Hashable], *, is_compared: bool) -> list[ChangedSpan]:
    """Return the changes in a gap: all of it, unless it is compared."""
    if not is_compared:
        return [ChangedSpan(0, len(old), 0, len(new))]
    from difflib import SequenceMatcher  # here, because every user of git loads this module

    operations = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [ChangedSpan(*span) for kind, *span in operations if kind != "equal"]


def _merge(ranges: Sequence[LineRange]) -> list[LineRange]:
    """Merge ranges that touch or overlap. They are sorted by their starts."""
    merged: list[LineRange] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
