"""Which comments the filters of a query let through, as sets of numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import and_

from holdfast.comments.search.globs import fitting
from holdfast.comments.search.query import Facts, Query
from holdfast.comments.search.roll import Roll
from holdfast.comments.search.tally import bits

_FIELDS = {"tag": "tag", "author": "author", "has_ai": "ai", "status": "status", "standing": "standing"}
"""For each filter, the field that it compares."""
_FREQUENT_SHARE = 64
"""A value that one in so many comments has keeps them as bits, a rarer one as a list."""


class Facets:
    """What the comments of a roll have in common; read from them at first use, and then as they come."""

    def __init__(self, roll: Roll) -> None:
        self._roll = roll
        self._columns = {field: _Column(field) for field in _FIELDS.values()}
        self._times = _Times()

    def meant(self, query: Query, files: Mapping[str, range]) -> int:
        """Return the comments that are there and fit all filters, given the numbers of each file's."""
        comments = self._roll.by_number
        wanted = ((self._columns[field], getattr(query, name)) for name, field in _FIELDS.items())
        found = [column.having(value, comments) for column, value in wanted if value is not None]
        if query.start is not None or query.end is not None:
            found.append(self._times.between(query.start, query.end, comments))
        if query.path is not None:
            found.append(_below(query.path, files, len(comments)))
        return reduce(and_, found, self._roll.present)


class _Column:
    """For each value of a field the comments that have it."""

    def __init__(self, field: str) -> None:
        self._field = field
        self._known = 0
        self._having: dict[Hashable, int | list[int]] = {}

    def having(self, value: Hashable, comments: Sequence[Facts]) -> int:
        """Return the comments with a value."""
        new: defaultdict[Hashable, list[int]] = defaultdict(list)
        for number, facts in enumerate(islice(comments, self._known, None), self._known):
            new[getattr(facts, self._field)].append(number)
        self._known = len(comments)
        for one, numbers in new.items():
            self._add(one, numbers)
        found = self._having.get(value, 0)
        return found if isinstance(found, int) else bits(found)

    def _add(self, value: Hashable, numbers: list[int]) -> None:
        before = self._having.get(value, [])
        if isinstance(before, int):
            self._having[value] = before | bits(numbers)
            return
        together = before + numbers
        is_frequent = len(together) > self._known // _FREQUENT_SHARE
        self._having[value] = bits(together) if is_frequent else together


class _Times:
    """Comments in the order in which they were made; those whose time is not known are not among them."""

    def __init__(self) -> None:
        self._known = 0
        self._moments: list[int] = []
        self._numbers: list[int] = []
        self._all = 0

    def between(self, start: int | None, end: int | None, comments: Sequence[Facts]) -> int:
        """Return the comments made in a time, whose ends belong to it."""
        if self._known < len(comments):
            self._catch_up(comments)
        first = 0 if start is None else bisect_left(self._moments, start)
        last = len(self._moments) if end is None else bisect_right(self._moments, end)
        if 2 * (last - first) <= len(self._moments):
            return bits(self._numbers[first:last])
        return self._all & ~bits(self._numbers[:first]) & ~bits(self._numbers[last:])

    def _catch_up(self, comments: Sequence[Facts]) -> None:
        new = enumerate(islice(comments, self._known, None), self._known)
        pairs = list(zip(self._moments, self._numbers, strict=True))
        pairs += [(facts.moment, number) for number, facts in new if facts.moment is not None]
        pairs.sort()
        self._moments = [moment for moment, _ in pairs]
        self._numbers = [number for _, number in pairs]
        self._all = bits(self._numbers)
        self._known = len(comments)


def _below(pattern: str, files: Mapping[str, range], size: int) -> int:
    """Return the comments of the files that a path or a pattern means."""
    row = bytearray(b"0") * (size + 1)
    numbers = list(files.values())
    for place in fitting(pattern, list(files)):
        row[numbers[place].start : numbers[place].stop] = b"1" * len(numbers[place])
    return int(row[::-1], 2)
