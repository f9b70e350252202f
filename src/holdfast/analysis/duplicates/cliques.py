"""Groups of similar items: a greedy clique cover of the graph of similar pairs.

If a is similar to b and b to c, but a not to c, the groups are {a, b} and {b, c}: a connected component would
report a pair that nobody measured as similar. A group grows from the most similar pair that no group covers
yet, by every item that is similar to all its members.

Contract: every wanted pair is in a group, unless both of its items are in `MAX_GROUPS` groups already. Any
two members of a group are a similar pair. The same pairs give the same groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

MAX_GROUPS = 16
"""The groups that may start from one item: a chosen bound. Where only part of a large set of similar items
was compared, 800 near copies of a function had so many overlapping cliques that grouping took minutes."""

Pair = tuple[int, int]


def cliques(similar: Mapping[Pair, float], wanted: Collection[Pair]) -> list[list[int]]:
    """Return sorted groups of at least two items that cover every wanted pair, from the most similar on."""
    neighbours: dict[int, dict[int, float]] = {}
    for (one, other), similarity in similar.items():
        neighbours.setdefault(one, {})[other] = similarity
        neighbours.setdefault(other, {})[one] = similarity
    covered: set[Pair] = set()
    groups: list[list[int]] = []
    memberships: Counter[int] = Counter()
    for pair in sorted(wanted, key=lambda pair: (-similar[pair], pair)):
        if pair in covered or min(memberships[pair[0]], memberships[pair[1]]) >= MAX_GROUPS:
            continue
        group = _clique_around(pair, neighbours)
        covered.update((one, other) for index, one in enumerate(group) for other in group[index + 1 :])
        memberships.update(group)
        groups.append(group)
    return groups


def _clique_around(pair: Pair, neighbours: Mapping[int, Mapping[int, float]]) -> list[int]:
    group = list(pair)
    one, other = (neighbours[member] for member in pair)
    for item in sorted(one.keys() & other.keys(), key=lambda item: (-min(one[item], other[item]), item)):
        if all(item in neighbours[member] for member in group):
            group.append(item)
    return sorted(group)
