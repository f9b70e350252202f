"""How often each frequent letter is in each comment.

A single letter is in most words and in most comments, so adding up words would take as long as reading all of
them. A query that matches single letters is asked of each different letter once instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from holdfast.comments.search.pattern import Pattern
from holdfast.comments.search.sequence import WordRow
from holdfast.comments.search.syntax import WHITE
from holdfast.comments.search.tally import Tally

_FREQUENT_SHARE = 8
"""A letter that is there more often than once in so many comments is frequent."""
_MOST_IN_A_BYTE = 255


class LetterCounts:
    """The counts of the letters that were frequent among the first comments, and of white space."""

    def __init__(self, row: WordRow, texts: Sequence[str]) -> None:
        self._row = row
        often = row.vocabulary.letters(row.lengths())
        least = len(texts) // _FREQUENT_SHARE
        self._tallies = {
            letter: Tally() for letter in (*WHITE, *(letter for letter in often if often[letter] > least))
        }
        self.append(0, texts)

    def append(self, first: int, texts: Sequence[str]) -> None:
        """Add comments that have numbers from `first` on."""
        for letter, tally in self._tallies.items():
            counts = list(map(str.count, texts, repeat(letter)))
            try:
                tally.count_row(bytes(counts), first)
            except ValueError:
                # More than are ever told apart.
                tally.count_row(bytes(map(min, counts, repeat(_MOST_IN_A_BYTE))), first)

    def having(self, letter: str) -> int:
        """Return the comments that have a letter whose counts are kept."""
        return self._tallies[letter].counted()

    def matches(self, pattern: Pattern) -> Tally:
        """Return how often a pattern that matches single letters matches in each comment."""
        found = Tally()
        for letter, tally in self._tallies.items():
            if pattern.is_letter(letter):
                found.add(tally, 1)
        rare = filter(pattern.is_letter, self._row.vocabulary.alphabet.difference(self._tallies))
        words = chain.from_iterable(map(self._row.vocabulary.with_letter, rare))
        found.count(self._row.comments_of(chain.from_iterable(repeat(word, times) for word, times in words)))
        return found
