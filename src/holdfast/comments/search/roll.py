"""The numbers of the comments: by these, sets of comments are kept as bits.

Contract: a number is never given to another comment. The comments of a file have numbers in a row. Answers
are in the order of places, which is that of paths, lines and ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from operator import attrgetter, lt

from holdfast.comments.search.query import Facts
from holdfast.comments.search.tally import bits, numbers_in

_number = attrgetter("number")


class Roll:
    """All comments, by number and in order."""

    def __init__(self, in_order: Sequence[Facts]) -> None:
        self.by_number: list[Facts] = []
        self.present = 0
        """The comments that are there."""
        self._places: list[int] | None = None
        """For each number the place of its comment; None: the numbers are in order."""
        self.update(in_order, gone=(), new=in_order)

    def update(self, in_order: Sequence[Facts], gone: Sequence[Facts], new: Sequence[Facts]) -> None:
        """Take over which comments there are, in their order."""
        self.present &= ~bits([facts.number for facts in gone])
        for number, facts in enumerate(new, len(self.by_number)):
            facts.number = number
        self.by_number += new
        self.present |= bits([facts.number for facts in new])
        numbers = list(map(_number, in_order))
        self._places = None
        if not all(map(lt, numbers, numbers[1:])):
            self._places = [0] * len(self.by_number)
            for place, number in enumerate(numbers):
                self._places[number] = place

    def first(self, some: int, most: int) -> list[Facts]:
        """Return the first comments of a set, in order."""
        numbers = numbers_in(some)
        if self._places is not None:
            numbers = iter(sorted(numbers, key=self._places.__getitem__))
        return [self.by_number[number] for number in islice(numbers, most)]
