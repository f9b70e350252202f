"""Which lines of a text changed, in time that grows with its length.

The algorithm: cut off what both texts share at the start and at the end; pin down the lines that occur
exactly once on each side and keep their order (patience); compare the gaps between those pins exactly while a
budget lasts, and report the rest of the gaps as changed. A hostile text costs precision, never time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence

LineRange = tuple[int, int]
Change = tuple[int, int, int, int]
"""From and to in the old text, from and to in the new one."""

_EXACT_COMPARISONS = 300_000
_BINARY_PROBE_BYTES = 8000


def is_binary(data: bytes) -> bool:
    """Tell whether git would take these bytes for something else than text."""
    return b"\0" in data[:_BINARY_PROBE_BYTES]


def changed_lines(old: bytes, new: bytes) -> list[LineRange]:
    """Return the ranges of lines (from 1, both ends included) in `new` that differ from `old`.

    Line ends are compared as if they were all `\\n`, and a missing one at the end of the text is no change.
    Lines that were only deleted show as the line after which they stood, or line 1 when they stood first; a
    text without any line left has no ranges.
    """
    before, after = lines_of(old), lines_of(new)
    ranges = [
        (start + 1, end) if start < end else (max(start, 1), max(start, 1))
        for _, _, start, end in line_changes(before, after)
    ]
    return _joined(ranges) if after else []


def kept_lines(before: Sequence[bytes], after: Sequence[bytes], wanted: Collection[int]) -> dict[int, int]:
    """Return where lines of `after`, by their index, stood in `before`; those that are new are left out.

    A line that is there once on both sides of what differs is the same: moving it is no change.
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
    """Return the lines of a text without their ends, of whatever kind these are."""
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def line_changes(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[Change]:
    """Yield which lines or words differ, in order: a span of each side, of which one may be empty."""
    head, tail = _common_ends(before, after)
    old = before[head : len(before) - tail]
    new = after[head : len(after) - tail]
    old_start = new_start = 0
    budget = _EXACT_COMPARISONS
    for old_pin, new_pin in [*unique_pairs(old, new), (len(old), len(new))]:
        if old_pin == old_start and new_pin == new_start:
            old_start, new_start = old_pin + 1, new_pin + 1
            continue
        cost = (old_pin - old_start) * (new_pin - new_start)
        gap = _gap_changes(old[old_start:old_pin], new[new_start:new_pin], exact=cost <= budget)
        was, now = head + old_start, head + new_start
        for old_from, old_to, new_from, new_to in gap:
            yield was + old_from, was + old_to, now + new_from, now + new_to
        budget -= min(cost, budget)
        old_start, new_start = old_pin + 1, new_pin + 1


def _common_ends(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, int]:
    """Return how many lines both share at the start, and how many of the rest at the end."""
    head = _common_length(before, after)
    return head, _common_length(before[head:][::-1], after[head:][::-1])


def _common_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return how many lines are equal; by halves, because slices are compared far more quickly than lines."""
    same, end = 0, min(len(left), len(right))
    while same < end:
        middle = (same + end + 1) // 2
        if left[same:middle] == right[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same


def unique_pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the longest run of lines, unique on both sides, that keep their order: the pins of a patience
    diff."""
    old_counts, new_counts = Counter(old), Counter(new)
    places = {line: index for index, line in enumerate(new) if new_counts[line] == 1}
    pairs = [
        (index, places[line]) for index, line in enumerate(old) if old_counts[line] == 1 and line in places
    ]
    return _longest_increasing(pairs)


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence whose second members rise; the first ones rise already."""
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
    from difflib import SequenceMatcher  # here, because whatever runs git loads this module

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
