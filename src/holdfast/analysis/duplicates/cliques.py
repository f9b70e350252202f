"""Groups of things that are alike, where every two of a group are: cliques, not chains.

Contract: every wanted pair is in a group, unless each of the two is in `MOST_GROUPS` already; and no group
has two members that are no pair. The same pairs give the same groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

MOST_GROUPS = 16
"""In a crowd where all are alike and not all were compared, groups overlap in very many ways."""

Pair = tuple[int, int]


def cliques(similar: Mapping[Pair, float], wanted: Collection[Pair]) -> list[list[int]]:
    """Return sorted groups of at least two that cover every wanted pair, grown from the most similar ones."""
    neighbours: dict[int, dict[int, float]] = {}
    for (one, other), similarity in similar.items():
        neighbours.setdefault(one, {})[other] = similarity
        neighbours.setdefault(other, {})[one] = similarity
    covered: set[Pair] = set()
    groups: list[list[int]] = []
    times: Counter[int] = Counter()
    for pair in sorted(wanted, key=lambda pair: (-similar[pair], pair)):
        if pair in covered or min(times[pair[0]], times[pair[1]]) >= MOST_GROUPS:
            continue
        group = _grown(pair, neighbours)
        covered.update((one, other) for place, one in enumerate(group) for other in group[place + 1 :])
        times.update(group)
        groups.append(group)
    return groups


def _grown(pair: Pair, neighbours: Mapping[int, Mapping[int, float]]) -> list[int]:
    group = list(pair)
    one, other = (neighbours[member] for member in pair)
    for thing in sorted(one.keys() & other.keys(), key=lambda thing: (-min(one[thing], other[thing]), thing)):
        if all(thing in neighbours[member] for member in group):
            group.append(thing)
    return sorted(group)
