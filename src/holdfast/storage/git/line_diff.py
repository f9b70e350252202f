"""Patience diff: finds the changed lines of a text, in time that grows with its length.

The common lines at the start and at the end are left out. Lines that occur exactly once on each side, in the
same order, are the anchors. The gaps between the anchors are compared exactly until a budget is used up; the
remaining gaps are reported as changed. So a hostile text makes the result less precise, but not slow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence

LineRange = tuple[int, int]
"""The first and the last line, counted from 1."""
Change = tuple[int, int, int, int]
"""Start and end in the old text, start and end in the new one."""

_MAX_EXACT_COMPARISONS = 300_000
"""How many pairs of lines the exact comparison may cover, which is quadratic. A judgement: two gaps of some
500 lines each."""
_BINARY_PROBE_BYTES = 8000
"""How many bytes git searches for a zero byte (`FIRST_FEW_BYTES` in its xdiff-interface.c)."""


def is_binary(data: bytes) -> bool:
    """Return whether git would treat these bytes as binary."""
    return b"\0" in data[:_BINARY_PROBE_BYTES]


def changed_lines(old: bytes, new: bytes) -> list[LineRange]:
    """Return the ranges of lines (from 1, both ends included) in `new` that differ from `old`.

    A different kind of line end, or a missing one at the end of the text, is no change. Deleted lines are
    represented by the line before them, or by line 1 if they were the first; an empty text has no ranges.
    """
    before, after = lines_of(old), lines_of(new)
    ranges = [
        (start + 1, end) if start < end else (max(start, 1), max(start, 1))
        for _, _, start, end in line_changes(before, after)
    ]
    return _merge(ranges) if after else []


def former_indexes(
    before: Sequence[bytes], after: Sequence[bytes], wanted: Collection[int]
) -> dict[int, int]:
    """Map wanted indexes of `after` to the indexes of the same lines in `before`; new lines are left out.

    A line that occurs exactly once in the differing part of each side is the same line, even if it moved.
    """
    head, tail = _common_ends(before, after)
    stop = len(after) - tail
    added = len(after) - len(before)
    former: dict[int, int] = {}
    differing = []
    for index in wanted:
        if index < head:
            former[index] = index
        elif index >= stop:
            former[index] = index - added
        else:
            differing.append(index)
    if not differing:
        return former
    old, new = before[head : len(before) - tail], after[head:stop]
    old_counts, new_counts = Counter(old), Counter(new)
    repeated = []  # indexes within `new` of lines that occur several times on one side
    for index in differing:
        line = after[index]
        if old_counts[line] == new_counts[line] == 1:
            former[index] = head + old.index(line)
        elif line in old_counts:
            repeated.append(index - head)
    changes = [*line_changes(old, new), (len(old), len(old), len(new), len(new))] if repeated else []
    for index in repeated:
        # The first change that ends after the line: if it also starts after it, the line is unchanged.
        old_start, _, new_start, _ = next(change for change in changes if change[3] > index)
        if index < new_start:
            former[head + index] = head + old_start - (new_start - index)
    return former


def lines_of(data: bytes) -> list[bytes]:
    """Return the lines of a text without their ends."""
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def line_changes(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[Change]:
    """Yield the spans of lines or words that differ, in order; the span on one side may be empty."""
    head, tail = _common_ends(before, after)
    old = before[head : len(before) - tail]
    new = after[head : len(after) - tail]
    old_start = new_start = 0
    budget = _MAX_EXACT_COMPARISONS
    for old_anchor, new_anchor in [*unique_pairs(old, new), (len(old), len(new))]:
        if old_anchor == old_start and new_anchor == new_start:
            old_start, new_start = old_anchor + 1, new_anchor + 1
            continue
        cost = (old_anchor - old_start) * (new_anchor - new_start)
        gap = _gap_changes(old[old_start:old_anchor], new[new_start:new_anchor], exact=cost <= budget)
        old_offset, new_offset = head + old_start, head + new_start
        for old_from, old_to, new_from, new_to in gap:
            yield old_offset + old_from, old_offset + old_to, new_offset + new_from, new_offset + new_to
        budget -= min(cost, budget)
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
    """Return the anchors of a patience diff: the most lines that are unique and in the same order."""
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


def _gap_changes(old: Sequence[Hashable], new: Sequence[Hashable], *, exact: bool) -> list[Change]:
    if not old or not new or not exact:
        return [(0, len(old), 0, len(new))]
    from difflib import SequenceMatcher  # here, because every user of git loads this module

    operations = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(a, b, c, d) for kind, a, b, c, d in operations if kind != "equal"]


def _merge(ranges: Sequence[LineRange]) -> list[LineRange]:
    """Merge ranges that touch or overlap."""
    merged: list[LineRange] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
