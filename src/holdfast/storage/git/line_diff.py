"""Which lines of a text changed, in time that grows with its length.

The algorithm: cut off what both texts share at the start and at the end; pin down the lines that occur
exactly once on each side and keep their order (patience); compare the gaps between those pins exactly while a
budget lasts, and report the rest of the gaps as changed. A hostile text costs precision, never time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

LineRange = tuple[int, int]

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
    before, after = _lines(old), _lines(new)
    ranges = [
        (start + 1, end) if start < end else (max(start, 1), max(start, 1))
        for start, end in _changed_spans(before, after)
    ]
    return _joined(ranges) if after else []


def _lines(data: bytes) -> list[bytes]:
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def _changed_spans(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yield half-open spans of `after` that are not in `before`; an empty one where something was removed."""
    head = _common_length(before, after)
    tail = _common_length(before[head:][::-1], after[head:][::-1])
    old = before[head : len(before) - tail]
    new = after[head : len(after) - tail]
    old_start = new_start = 0
    budget = _EXACT_COMPARISONS
    for old_pin, new_pin in [*unique_pairs(old, new), (len(old), len(new))]:
        cost = (old_pin - old_start) * (new_pin - new_start)
        for start, end in _gap_spans(old[old_start:old_pin], new[new_start:new_pin], exact=cost <= budget):
            yield head + new_start + start, head + new_start + end
        budget -= min(cost, budget)
        old_start, new_start = old_pin + 1, new_pin + 1


def _common_length(left: Sequence[bytes], right: Sequence[bytes]) -> int:
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


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


def _gap_spans(old: Sequence[bytes], new: Sequence[bytes], *, exact: bool) -> list[tuple[int, int]]:
    if not old and not new:
        return []
    if not old or not new or not exact:
        return [(0, len(new))]
    from difflib import SequenceMatcher  # here, because whatever runs git loads this module

    operations = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(start, end) for kind, _, _, start, end in operations if kind != "equal"]


def _joined(ranges: Sequence[LineRange]) -> list[LineRange]:
    """Merge ranges that touch or overlap."""
    joined: list[LineRange] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
