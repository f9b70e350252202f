"""Groups of similar items: a greedy clique cover of the graph of similar pairs.

If a is similar to b and b to c, but a not to c, the groups are {a, b} and {b, c}: a connected component would
report a pair that was not found to be similar. A group starts from the most similar pair that no group covers
yet, and takes in every item that is similar to all its members.

Contract: every requested pair is in a group, unless both of its items are in `MAX_GROUPS_PER_ITEM` groups
already. Any two members of a group are a similar pair. The same pairs give the same groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations

MAX_GROUPS_PER_ITEM = 16
"""No group starts from two items that are in this many groups: a judgement. Without a limit, the overlapping
groups of 800 near copies of a function, of whose pairs only some were compared, took minutes."""

Pair = tuple[int, int]
Neighbours = Mapping[int, Mapping[int, float]]
"""The similarity of each item to each item that is similar to it."""


def cliques(similar: Mapping[Pair, float], requested: Iterable[Pair]) -> list[list[int]]:
    """Return sorted groups of at least two items that cover all requested pairs, most similar first."""
    neighbours = _neighbours(similar)
    covered: set[Pair] = set()
    groups: list[list[int]] = []
    group_counts: Counter[int] = Counter()
    for pair in sorted(requested, key=lambda pair: (-similar[pair], pair)):
        is_limited = all(group_counts[item] >= MAX_GROUPS_PER_ITEM for item in pair)
        if pair in covered or is_limited:
            continue
        group = _clique_around(pair, neighbours)
        covered.update(combinations(group, 2))
        group_counts.update(group)
        groups.append(group)
    return groups


def _neighbours(similar: Mapping[Pair, float]) -> Neighbours:
    """Return the graph of similar pairs, in both directions."""
    neighbours: dict[int, dict[int, float]] = {}
    for (first, second), similarity in similar.items():
        neighbours.setdefault(first, {})[second] = similarity
        neighbours.setdefault(second, {})[first] = similarity
    return neighbours


def _clique_around(pair: Pair, neighbours: Neighbours) -> list[int]:
    """Extend a pair by each item that is similar to all members, those most similar to the pair first."""
    first, second = pair

    def order(item: int) -> tuple[float, int]:
        return -min(neighbours[first][item], neighbours[second][item]), item

    group = list(pair)
    for item in sorted(neighbours[first].keys() & neighbours[second].keys(), key=order):
        if all(item in neighbours[member] for member in group):
            group.append(item)
    return sorted(group)
