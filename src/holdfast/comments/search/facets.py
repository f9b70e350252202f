"""Which comments the filters of a query let through, as sets of numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Mapping
from functools import reduce
from operator import and_

from holdfast.comments.search.globs import fitting
from holdfast.comments.search.query import Query
from holdfast.comments.search.roll import Roll
from holdfast.comments.search.tally import bits

_FIELDS = {"tag": "tag", "author": "author", "has_ai": "ai", "status": "status", "standing": "standing"}
"""For each filter, the field that it compares."""
_FREQUENT_SHARE = 64
"""A value that one in so many comments has keeps them as bits, a rarer one as a list."""


class Facets:
    """What the comments of a roll have in common, found out at first use."""

    def __init__(self, roll: Roll, spans: Mapping[str, range]) -> None:
        self._roll = roll
        self._spans = spans
        """For each path, in order, the numbers of its comments."""
        self._columns: dict[str, dict[Hashable, int | list[int]]] = {}
        self._by_moment: tuple[list[int], list[int]] | None = None
        self._with_moment = 0

    def meant(self, query: Query) -> int:
        """Return the comments that are there and fit all filters."""
        wanted = ((field, getattr(query, name)) for name, field in _FIELDS.items())
        found = [self._having(field, value) for field, value in wanted if value is not None]
        if query.start is not None or query.end is not None:
            found.append(self._between(query.start, query.end))
        if query.path is not None:
            found.append(self._below(query.path))
        return reduce(and_, found, self._roll.present)

    def _having(self, field: str, value: Hashable) -> int:
        if field not in self._columns:
            self._columns[field] = self._column(field)
        found = self._columns[field].get(value, 0)
        return found if isinstance(found, int) else bits(found)

    def _column(self, field: str) -> dict[Hashable, int | list[int]]:
        numbers: defaultdict[Hashable, list[int]] = defaultdict(list)
        for number, facts in enumerate(self._roll.by_number):
            numbers[getattr(facts, field)].append(number)
        least = len(self._roll.by_number) // _FREQUENT_SHARE
        return {value: bits(some) if len(some) > least else some for value, some in numbers.items()}

    def _between(self, start: int | None, end: int | None) -> int:
        """Return the comments made in a time; those whose time is not known are in none."""
        if self._by_moment is None:
            known = ((facts.moment, number) for number, facts in enumerate(self._roll.by_number))
            pairs = sorted((moment, number) for moment, number in known if moment is not None)
            self._by_moment = [moment for moment, _ in pairs], [number for _, number in pairs]
            self._with_moment = bits(self._by_moment[1])
        moments, numbers = self._by_moment
        first = 0 if start is None else bisect_left(moments, start)
        last = len(moments) if end is None else bisect_right(moments, end)
        if 2 * (last - first) <= len(numbers):
            return bits(numbers[first:last])
        return self._with_moment & ~bits(numbers[:first]) & ~bits(numbers[last:])

    def _below(self, pattern: str) -> int:
        """Return the comments of the files that a path or a pattern means."""
        row = bytearray(b"0") * len(self._roll.by_number)
        spans = list(self._spans.values())
        for place in fitting(pattern, list(self._spans)):
            span = spans[place]
            row[span.start : span.stop] = b"1" * len(span)
        return int(row[::-1] or b"0", 2)
