"""The numbers of the comments: by these, sets of comments are kept as bits.

Contract: a number is never given to another comment. The comments of a file have numbers in a row, in the
order of their lines and ids. Answers are in the order of paths, and within a file in that of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdfast.comments.search.query import Facts
from holdfast.comments.search.tally import bits, flags


class Roll:
    """All comments by number, file by file."""

    def __init__(self) -> None:
        self.by_number: list[Facts] = []
        """Those that are gone included."""
        self.present = 0
        """The comments that are there."""
        self._runs: list[range] = []
        """Numbers that are in the order of paths, one run after the other."""

    def update(self, files: Iterable[Sequence[Facts]], gone: Iterable[Facts], new: Sequence[Facts]) -> None:
        """Take over which comments each file has, in the order of paths, and which of them are new."""
        for number, facts in enumerate(new, len(self.by_number)):
            facts.number = number
        self.present &= ~bits([facts.number for facts in gone])
        self.present |= bits([facts.number for facts in new])
        self.by_number += new
        self._runs = _runs(numbers_of(facts) for facts in files if facts)

    def first(self, some: int, most: int) -> list[Facts]:
        """Return the first comments of a set, in order."""
        found: list[Facts] = []
        is_in = flags(some, len(self.by_number))
        for run in self._runs:
            number = is_in.find(True, run.start, run.stop)
            while number >= 0:
                found.append(self.by_number[number])
                if len(found) >= most:
                    return found
                number = is_in.find(True, number + 1, run.stop)
        return found


def numbers_of(facts: Sequence[Facts]) -> range:
    """Return the numbers of all comments of a file."""
    return range(facts[0].number, facts[0].number + len(facts))


def _runs(files: Iterable[range]) -> list[range]:
    """Write files whose numbers follow each other as one run."""
    found: list[range] = []
    for numbers in files:
        if found and found[-1].stop == numbers.start:
            found[-1] = range(found[-1].start, numbers.stop)
        else:
            found.append(numbers)
    return found
