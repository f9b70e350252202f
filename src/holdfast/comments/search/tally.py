"""How often each of many numbers was counted, kept as bits: adding to a hundred thousand counts is one step.

A set of numbers is one integer with a bit for each. Counts are written in binary across such sets: the first
holds the ones of all counts, the second their twos, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import compress

_FLAGS = bytes.maketrans(b"01", b"\0\1")
_DIGITS = [bytes(48 + (byte >> level & 1) for byte in range(256)) for level in range(8)]
"""For each level, which digit of a byte is on it."""
_ONE = ord("1")
_FEW_TO_COUNT = 8
_FEW = 16
"""Where one in so many is in a set, going through all costs as much as leaping from one to the next."""


class Tally:
    """A count for each number, zero at first."""

    __slots__ = ("_levels",)

    def __init__(self, numbers: Collection[int] = ()) -> None:
        self._levels: list[int] = []
        self.count(numbers)

    @classmethod
    def once(cls, some: int) -> Tally:
        """Return a count of one for each of a set of numbers."""
        found = cls()
        found._levels = [some]
        return found

    def count(self, numbers: Collection[int], size: int | None = None) -> None:
        """Count each number once for each time it is given; `size` is above all of them."""
        if len(numbers) < _FEW_TO_COUNT:
            for number in numbers:
                self._carry(1 << number, 0)
            return
        # All counts in a row, one byte each; a level is one binary digit of all of them.
        first = 0 if size is not None else min(numbers)
        row = bytearray((max(numbers) + 1 if size is None else size) - first)
        try:
            for number in map((-first).__add__, numbers) if first else numbers:
                row[number] += 1
        except ValueError:
            self.count_each(Counter(numbers))
        else:
            self.count_row(row, first)

    def count_each(self, times: Mapping[int, int]) -> None:
        """Count each number as often as is said."""
        by_times: dict[int, list[int]] = {}
        for number, count in times.items():
            by_times.setdefault(count, []).append(number)
        for count, some in by_times.items():
            self._add(bits(some), count)

    def count_row(self, row: bytes | bytearray, first: int = 0) -> None:
        """Count numbers from `first` on as often as each byte says."""
        backwards = row[::-1]
        for level, digits in enumerate(_DIGITS):
            if not row.translate(None, bytes(range(1 << level))):
                break
            self._carry(int(backwards.translate(digits), 2) << first, level)

    def add(self, other: Tally, times: int) -> None:
        """Add the counts of another one, so many times."""
        for level, some in enumerate(other._levels):
            self._add(some, times << level)

    def subtract(self, other: Tally) -> None:
        """Take away the counts of another one, none of which is higher."""
        for level, some in enumerate(other._levels):
            self._borrow(some, level)

    def without(self, some: int) -> Tally:
        """Return the same counts, but zero for a set of numbers."""
        found = Tally()
        found._levels = [level & ~some for level in self._levels]
        return found

    def counted(self) -> int:
        """Return the set of all numbers whose count is not zero."""
        found = 0
        for some in self._levels:
            found |= some
        return found

    def of(self, number: int) -> int:
        """Return the count of one number."""
        return sum((some >> number & 1) << level for level, some in enumerate(self._levels))

    def groups(self, among: int) -> Iterator[tuple[int, int]]:
        """Yield the counts in a set of numbers, zero aside, highest first, each with its numbers."""
        return self._below(len(self._levels), 0, among & self.counted())

    def _below(self, level: int, count: int, among: int) -> Iterator[tuple[int, int]]:
        if not among:
            return
        if not level:
            yield count, among
            return
        level -= 1
        high = among & self._levels[level]
        yield from self._below(level, count + (1 << level), high)
        yield from self._below(level, count, among ^ high)

    def _add(self, some: int, times: int) -> None:
        for level in range(times.bit_length()):
            if times >> level & 1:
                self._carry(some, level)

    def _carry(self, some: int, level: int) -> None:
        while some:
            if level >= len(self._levels):
                self._levels.extend([0] * (level + 1 - len(self._levels)))
            before = self._levels[level]
            self._levels[level] = before ^ some
            some &= before
            level += 1

    def _borrow(self, some: int, level: int) -> None:
        while some:
            before = self._levels[level]
            self._levels[level] = before ^ some
            some &= ~before
            level += 1


def bits(numbers: Collection[int]) -> int:
    """Return a set of numbers as one integer."""
    if not numbers:
        return 0
    row = bytearray(b"0") * (max(numbers) + 1)
    for number in numbers:
        row[number] = _ONE
    return int(row[::-1], 2)


def flags(some: int, size: int) -> bytes:
    """Return a byte for each number below `size`, which tells whether it is in a set."""
    # A one above all others makes the digits as many as are wanted.
    return bin(some | 1 << size)[:2:-1].encode().translate(_FLAGS)


def numbers_in(some: int) -> Iterator[int]:
    """Return the numbers of a set, lowest first."""
    # The digits of `bin`, last first, without the `0b` in front.
    digits = bin(some)[:1:-1].encode()
    if some.bit_count() * _FEW > len(digits):
        return compress(range(len(digits)), digits.translate(_FLAGS))
    return _ones(digits)


def _ones(digits: bytes) -> Iterator[int]:
    """Yield where the ones are, leaping over what is between them."""
    position = digits.find(b"1")
    while position >= 0:
        yield position
        position = digits.find(b"1", position + 1)
