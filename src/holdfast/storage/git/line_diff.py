"""Patience diff: which lines of a text changed, in time that grows with its length.

Common lines at the start and the end are cut off. Lines that occur exactly once on each side, in the same
order, anchor the comparison; the gaps between these anchors are compared exactly while a budget lasts, and
reported as changed afterwards. So a hostile text costs precision, never time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence

LineRange = tuple[int, int]
Change = tuple[int, int, int, int]
"""Start and end in the old text, start and end in the new one."""

_EXACT_COMPARISONS = 300_000
"""A judgement: pairs of lines to compare exactly. It bounds the quadratic part of the work."""
_BINARY_PROBE_BYTES = 8000
"""How far git looks for a zero byte (`FIRST_FEW_BYTES` in its xdiff-interface.c)."""


def is_binary(data: bytes) -> bool:
    """Return whether git would treat these bytes as binary."""
    return b"\0" in data[:_BINARY_PROBE_BYTES]


def changed_lines(old: bytes, new: bytes) -> list[LineRange]:
    """Return the ranges of lines (from 1, both ends included) in `new` that differ from `old`.

    All kinds of line end are equal, and a missing one at the end of the text is no change. Deleted lines are
    represented by the line before them, or line 1 if they were the first; a text without lines has no ranges.
    """
    before, after = lines_of(old), lines_of(new)
    ranges = [
        (start + 1, end) if start < end else (max(start, 1), max(start, 1))
        for _, _, start, end in line_changes(before, after)
    ]
    return _joined(ranges) if after else []


def kept_lines(before: Sequence[bytes], after: Sequence[bytes], wanted: Collection[int]) -> dict[int, int]:
    """Return the index in `before` of lines of `after`, by their index; new lines are left out.

    A line that occurs once in the differing part of both sides is the same line: moving it is no change.
    """
    head, tail = _common_ends(before, after)
    stop, grown = len(after) - tail, len(after) - len(before)
    kept = {index: index if index < head else index - grown for index in wanted if not head <= index < stop}
    changed = [index for index in wanted if head <= index < stop]
    old, new = (before[head : len(before) - tail], after[head:stop]) if changed else ((), ())
    old_counts, new_counts = Counter(old), Counter(new)
    doubtful = []
    for index in changed:
        line = after[index]
        if old_counts[line] == new_counts[line] == 1:
            kept[index] = head + old.index(line)
        elif line in old_counts:
            doubtful.append(index - head)
    changes = [*line_changes(old, new), (len(old), len(old), len(new), len(new))] if doubtful else []
    for index in doubtful:
        old_start, _, start, _ = next(change for change in changes if change[3] > index)
        if index < start:
            kept[head + index] = head + old_start - (start - index)
    return kept


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
    budget = _EXACT_COMPARISONS
    for old_anchor, new_anchor in [*unique_pairs(old, new), (len(old), len(new))]:
        if old_anchor == old_start and new_anchor == new_start:
            old_start, new_start = old_anchor + 1, new_anchor + 1
            continue
        cost = (old_anchor - old_start) * (new_anchor - new_start)
        gap = _gap_changes(old[old_start:old_anchor], new[new_start:new_anchor], exact=cost <= budget)
        was, now = head + old_start, head + new_start
        for old_from, old_to, new_from, new_to in gap:
            yield was + old_from, was + old_to, now + new_from, now + new_to
        budget -= min(cost, budget)
        old_start, new_start = old_anchor + 1, new_anchor + 1


def _common_ends(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, int]:
    """Return how many lines both have in common at the start, and how many of the rest at the end."""
    head = _common_length(before, after)
    return head, _common_length(before[head:][::-1], after[head:][::-1])


def _common_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the common prefix, by binary search: slices compare much faster than lines."""
    same, end = 0, min(len(left), len(right))
    while same < end:
        middle = (same + end + 1) // 2
        if left[same:middle] == right[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same


def unique_pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the anchors of a patience diff: the most lines, unique on both sides, that keep their order."""
    old_counts, new_counts = Counter(old), Counter(new)
    places = {line: index for index, line in enumerate(new) if new_counts[line] == 1}
    pairs = [
        (index, places[line]) for index, line in enumerate(old) if old_counts[line] == 1 and line in places
    ]
    return _longest_increasing(pairs)


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence with increasing second members (patience sorting)."""
    tails: list[int] = []
    chain: list[int] = []
    previous: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        previous.append(chain[length - 1] if length else -1)
        if length == len(tails):
            tails.append(place)
            chain.append(index)
        else:
            tails[length], chain[length] = place, index
    result: list[tuple[int, int]] = []
    index = chain[-1] if chain else -1
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


def _joined(ranges: Sequence[LineRange]) -> list[LineRange]:
    """Merge ranges that touch or overlap."""
    joined: list[LineRange] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
