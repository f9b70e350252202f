"""Which pairs of lines of an area are worth it: in a small one all, in a large one those sharing words."""

from __future__ import annotations

from collections import defaultdict

from holdfast.comments.tracking.alignment import Pair
from holdfast.comments.tracking.diff import Area
from holdfast.comments.tracking.likeness import Likeness
from holdfast.comments.tracking.lines import Lines

_FLOOR = 0.42
_LEAST_CONTENT = 0.25
_MOST_PAIRS = 3000
_PER_LINE = 6
_COMMON = 60
"""Lines in which a part of a word occurs beyond which it tells nothing."""


def offered(before: Lines, after: Lines, likeness: Likeness, area: Area) -> list[Pair]:
    """Return the pairs of an area that score above the floor."""
    old_start, old_end, new_start, new_end = area
    if (old_end - old_start) * (new_end - new_start) <= _MOST_PAIRS:
        tried = [
            (source, target) for source in range(old_start, old_end) for target in range(new_start, new_end)
        ]
    else:
        tried = _likely(before, after, area)
    pairs: list[Pair] = []
    for source, target in tried:
        content = likeness.content(source, target)
        if content < _LEAST_CONTENT:
            continue
        score = likeness.score(source, target)
        if score >= _FLOOR:
            pairs.append((source, target, score))
    return pairs


def _likely(before: Lines, after: Lines, area: Area) -> list[tuple[int, int]]:
    """Return for each old line of a large area the new lines that share most of its rarer words."""
    old_start, old_end, new_start, new_end = area
    places: dict[str, list[int]] = defaultdict(list)
    same: dict[str, list[int]] = defaultdict(list)
    for target in range(new_start, new_end):
        same[after.normal[target]].append(target)
        for piece in after.bag(target).counts:
            places[piece].append(target)
    pairs: list[tuple[int, int]] = []
    for source in range(old_start, old_end):
        votes: dict[int, float] = defaultdict(float)
        for piece in before.bag(source).counts:
            holders = places.get(piece, ())
            if len(holders) <= _COMMON:
                for target in holders:
                    votes[target] += 1 / (1 + len(holders))
        ranked = sorted(votes, key=lambda target: (-votes[target], target))[:_PER_LINE]
        goal = new_start + (source - old_start) * (new_end - new_start) // max(1, old_end - old_start)
        equal = sorted(same.get(before.normal[source], ()), key=lambda target: (abs(target - goal), target))
        pairs += [(source, target) for target in sorted({*ranked, *equal[:_PER_LINE]})]
    return pairs
