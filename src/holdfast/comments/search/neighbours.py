"""Where a frequent word stands, by the word that stands beside it.

Of a word that stands in tens of thousands of places, those with a fitting neighbour are found by looking at
each different neighbour once.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, chain, groupby

from holdfast.comments.search.picking import picked


class Neighbours:
    """The places of a word, in groups with the same neighbour."""

    __slots__ = ("_ends", "_neighbours", "_places")

    def __init__(self, places: Sequence[int], neighbours: Sequence[int]) -> None:
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for place, neighbour in zip(places, neighbours, strict=True):
            groups[neighbour].append(place)
        self._neighbours = array("I", groups)
        self._ends = array("I", accumulate(map(len, groups.values())))
        self._places = array("I", chain.from_iterable(groups.values()))

    def __len__(self) -> int:
        return len(self._places)

    def by_flag(self, table: bytes | bytearray) -> defaultdict[int, array[int]]:
        """Return the places by what a table says of the neighbour."""
        found: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
        start = last = 0
        for flag, run in groupby(picked(table, self._neighbours)):
            last += len(list(run))
            end = self._ends[last - 1]
            found[flag] += self._places[start:end]
            start = end
        return found
