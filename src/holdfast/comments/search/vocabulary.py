"""The different words of all comments, and the different kinds of white space between them.

The words of comments repeat: a hundred thousand comments have some ten thousand different ones. So what a
query matches in words is looked for in each different word once, and what it matches between them in each
kind of gap. White space looks like the end of a text to everything that a query can ask about its
surroundings within a word, so a word has the same matches wherever it stands.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import accumulate, islice
from typing import Any, TypeVar

from holdfast.comments.search.folding import folded
from holdfast.comments.search.pattern import encoded, expression_of

BEFORE, AFTER = 0, 1
"""The numbers before the first and after the last word of a comment, which no word has."""
_NO_WORDS = 2
EDGE = 0
"""The kind of gap before the first and after the last word of a comment."""
SPACE = 1
"""The kind of gap that is one space."""
ANY_GAP = 255
"""The kind of all gaps that are not like one of the first 254."""

Spelled = TypeVar("Spelled", str, bytes)

FITS, UNKNOWN = 1, 3


class Side(Enum):
    """Which side of a word or a gap something is to fit: its text, written as an expression."""

    BEGINNING = "beginning"
    END = "end"
    WHOLE = "whole"


_OF_LINES = {
    Side.BEGINNING: "(?m:^(?:(?:{})[^\\n]*\\n)+)",
    Side.END: "(?m:^(?:[^\\n]*(?:{})\\n)+)",
    Side.WHOLE: "(?m:^(?:(?:{})\\n)+)",
}
_OF_GAP = {
    Side.BEGINNING: "\\A(?:{})",
    Side.END: "(?:{})\\z",
    Side.WHOLE: "\\A(?:{})\\z",
}


class TooComplex(Exception):
    """Trying an expression on every comment is the better way."""


class _Numbers(dict[str, int]):
    """A number for each text, in the order in which they came."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = first

    def __missing__(self, text: str) -> int:
        number = self[text] = self._first + len(self)
        return number


class Vocabulary:
    """Different words, numbered in the order in which they came."""

    def __init__(self) -> None:
        self._numbers = _Numbers(_NO_WORDS)
        self._spelled = 0
        self.alphabet: set[str] = set()
        """All letters that words have."""
        # One below the other, as texts and as expressions are looked for, and where each word ends.
        self._folded, self._folded_ends = "\n" * _NO_WORDS, list(range(1, _NO_WORDS + 1))
        self._encoded, self._encoded_ends = b"\n" * _NO_WORDS, list(range(1, _NO_WORDS + 1))

    def __len__(self) -> int:
        """Return how many numbers there are, those of no words included."""
        return len(self._numbers) + _NO_WORDS

    def numbered(self, words: Iterable[str]) -> Iterator[int]:
        """Return the numbers of words, new ones included."""
        return map(self._numbers.__getitem__, words)

    def spell(self) -> None:
        """Write down the words that came since the last time; only then are they found."""
        new = list(islice(self._numbers, self._spelled, None))
        self._spelled += len(new)
        self.alphabet.update(*new)
        small = [f"{folded(word)}\n" for word in new]
        self._folded += "".join(small)
        self._folded_ends += accumulate(map(len, small), initial=self._folded_ends.pop())
        raw = [encoded(f"{word}\n") for word in new]
        self._encoded += b"".join(raw)
        self._encoded_ends += accumulate(map(len, raw), initial=self._encoded_ends.pop())

    def containing(self, source: str, *, is_literal: bool) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the words that a folded text or an expression matches in, and how often."""
        return self._with_text(source) if is_literal else self._with_expression(source)

    def fitting(self, source: str, side: Side, *, is_literal: bool) -> bytearray:
        """Return a byte for each number, which tells whether one side of the word fits."""
        return self._fitting_text(source, side) if is_literal else self._fitting_expression(source, side)

    def _with_text(self, text: str) -> Iterator[tuple[int, int]]:
        return _containing(self._folded, self._folded_ends, text)

    def with_letter(self, letter: str) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the words that have a letter as it is, and how often."""
        return _containing(self._encoded, self._encoded_ends, encoded(letter))

    def letters(self, occurrences: Iterable[int]) -> Counter[str]:
        """Return how often each letter occurs, given how often each number does."""
        found: Counter[str] = Counter()
        for word, number in zip(self._numbers, islice(occurrences, _NO_WORDS, None), strict=True):
            for letter in word:
                found[letter] += number
        return found

    def _with_expression(self, source: str) -> Iterator[tuple[int, int]]:
        ends = self._encoded_ends
        starts = (match.start() for match in _compiled(source).finditer(self._encoded))
        return iter(Counter(bisect_right(ends, start) for start in starts).items())

    def _fitting_text(self, text: str, side: Side) -> bytearray:
        joined, ends = self._folded, self._folded_ends
        table = bytearray(len(ends))
        after = "" if side is Side.END else "\n"
        wanted = after + text + ("" if side is Side.BEGINNING else "\n")
        position = joined.find(wanted)
        while position >= 0:
            word = bisect_right(ends, position + len(after))
            table[word] = FITS
            position = joined.find(wanted, ends[word] - 1)
        return table

    def _fitting_expression(self, source: str, side: Side) -> bytearray:
        ends = self._encoded_ends
        table = bytearray(len(ends))
        # One match is as many words in a row as fit, so that it hardly matters how many they are.
        for match in _compiled(_OF_LINES[side].format(source)).finditer(self._encoded, _NO_WORDS):
            first, last = bisect_right(ends, match.start()), bisect_left(ends, match.end())
            table[first : last + 1] = bytes([FITS]) * (last + 1 - first)
        return table


def _containing(joined: Spelled, ends: list[int], text: Spelled) -> Iterator[tuple[int, int]]:
    position = joined.find(text)
    while position >= 0:
        word = bisect_right(ends, position)
        yield word, joined.count(text, position, ends[word])
        position = joined.find(text, ends[word])


class Gaps:
    """Different kinds of white space, numbered from one."""

    def __init__(self) -> None:
        self._numbers = _Numbers(SPACE)
        self.numbered(" ")

    def __len__(self) -> int:
        """Return how many kinds there are, the edge included."""
        return min(len(self._numbers), ANY_GAP) + 1

    def numbered(self, gaps: Iterable[str]) -> bytes:
        """Return the numbers of gaps, new ones included."""
        return bytes(min(self._numbers[gap], ANY_GAP) for gap in gaps)

    def fitting(self, source: str, side: Side, *, is_literal: bool) -> bytearray:
        """Return a byte for each kind, which tells whether one side of the gap fits."""
        if is_literal:
            return self._table(gap for gap in self._numbers if _is_on_side(gap, source, side))
        expression = _compiled(_OF_GAP[side].format(source))
        return self._table(gap for gap in self._numbers if expression.search(encoded(gap)) is not None)

    def are_all(self, table: bytearray) -> bool:
        """Tell whether all kinds fit, the edge aside."""
        return table.count(FITS, EDGE + 1) >= len(self) - 1

    def _table(self, fitting: Iterable[str]) -> bytearray:
        table = bytearray(ANY_GAP + 1)
        for gap in fitting:
            table[min(self._numbers[gap], ANY_GAP)] = FITS
        if len(self._numbers) >= ANY_GAP:
            table[ANY_GAP] = UNKNOWN
        return table


def _is_on_side(gap: str, text: str, side: Side) -> bool:
    if side is Side.WHOLE:
        return gap == text
    return gap.startswith(text) if side is Side.BEGINNING else gap.endswith(text)


def _compiled(source: str) -> Any:
    expression, _ = expression_of(source)
    if expression is None:
        raise TooComplex
    return expression
