"""Which lines of two versions are the same line: first the unique ones, then the longest common rest.

Contract: the map is strictly increasing, and mapped lines have equal keys.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence

from rapidfuzz.distance import LCSseq

_LARGEST_TABLE = 25_000_000
"""Pairs of lines up to which the longest common subsequence is computed; it costs a 64th of that in steps."""

_DEEPEST = 24


def diff_map(old: Sequence[Hashable], new: Sequence[Hashable]) -> dict[int, int]:
    """Return for each old index that lives on its new index."""
    found: dict[int, int] = {}
    left, right = _interned(old, new)
    _match(left, right, (0, len(left), 0, len(right)), found, _DEEPEST)
    return found


def _interned(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    """Return both sequences as small numbers, equal where the keys are."""
    numbers: dict[Hashable, int] = {}
    left = [numbers.setdefault(key, len(numbers)) for key in old]
    right = [numbers.setdefault(key, len(numbers)) for key in new]
    return left, right


def _match(
    old: list[int], new: list[int], area: tuple[int, int, int, int], found: dict[int, int], depth: int
) -> None:
    """Add the matches inside an area (old start and end, new start and end) to those found."""
    old_start, old_end, new_start, new_end = area
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        found[old_start] = new_start
        old_start, new_start = old_start + 1, new_start + 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
        found[old_end] = new_end
    if old_start == old_end or new_start == new_end:
        return
    pivots = _unique_pairs(old, new, (old_start, old_end, new_start, new_end)) if depth else []
    if not pivots:
        _longest_common(old, new, (old_start, old_end, new_start, new_end), found)
        return
    for old_index, new_index in [*pivots, (old_end, new_end)]:
        _match(old, new, (old_start, old_index, new_start, new_index), found, depth - 1)
        if old_index < old_end:
            found[old_index] = new_index
        old_start, new_start = old_index + 1, new_index + 1


def _unique_pairs(old: list[int], new: list[int], area: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Return the longest increasing chain of lines that occur once on each side of the area."""
    old_start, old_end, new_start, new_end = area
    old_count = Counter(old[old_start:old_end])
    new_count = Counter(new[new_start:new_end])
    where = {new[index]: index for index in range(new_start, new_end) if new_count[new[index]] == 1}
    pairs = [
        (index, where[old[index]])
        for index in range(old_start, old_end)
        if old_count[old[index]] == 1 and old[index] in where
    ]
    return _increasing(pairs)


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest chain of pairs in which both members grow; the first members grow already."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for position, (_, value) in enumerate(pairs):
        place = bisect_left(tails, value)
        before.append(ends[place - 1] if place else -1)
        if place == len(tails):
            tails.append(value)
            ends.append(position)
        else:
            tails[place], ends[place] = value, position
    chain: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    chain.reverse()
    return chain


def _longest_common(
    old: list[int], new: list[int], area: tuple[int, int, int, int], found: dict[int, int]
) -> None:
    """Add a longest common subsequence of an area, where the area is small enough for it."""
    old_start, old_end, new_start, new_end = area
    if (old_end - old_start) * (new_end - new_start) > _LARGEST_TABLE:
        return
    for step in LCSseq.opcodes(old[old_start:old_end], new[new_start:new_end]):
        if step.tag == "equal":
            for offset in range(step.src_end - step.src_start):
                found[old_start + step.src_start + offset] = new_start + step.dest_start + offset
