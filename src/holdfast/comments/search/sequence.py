"""All comments as one row of words, and where in it each word stands.

Contract: places in the row are never given to other words. A comment is its words and the gaps between them,
and there is a mark before the first and after the last one.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, repeat

from holdfast.comments.search.neighbours import Neighbours
from holdfast.comments.search.picking import picked
from holdfast.comments.search.tally import Tally, bits
from holdfast.comments.search.vocabulary import AFTER, BEFORE, EDGE, SPACE, Gaps, Vocabulary

REACH = 8
"""How far from a word its neighbours can be asked for."""
_FREQUENT_SHARE = 128
"""A word that stands in the row more often than once in so many comments has its comments counted as bits."""
_FEWEST_FREQUENT = 64
_MOST_GROWTH = 1.25
"""When a frequent word has so many times as many places, they are brought in order again."""
_GAPS = re.compile("([\t\n\f\r ]+)")
_SPACE = bytes([SPACE])
_EDGE = bytes([EDGE])


class WordRow:
    """The row of words, with the number of the comment that each belongs to."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.gaps = Gaps()
        self._places: list[array[int]] = []
        """For each word where it stands."""
        self._comments_of: list[array[int]] = []
        """For each word the comments at these places."""
        self._counts: dict[int, Tally] = {}
        """For each frequent word how often it is in each comment."""
        self._neighbours: dict[tuple[int, int], Neighbours] = {}
        """For each frequent word its first places by the word before, and by the word after it."""
        # Nothing on both sides, so that every word has neighbours. Places are counted without it.
        self._words = array("I", [AFTER]) * (2 * REACH)
        self._gaps = bytearray([EDGE]) * (2 * REACH)
        self._comments = array("I")

    def append(self, texts: Iterable[tuple[int, str]]) -> None:
        """Add comments by their numbers, which are higher than those before."""
        start = len(self._comments)
        del self._words[-REACH:], self._gaps[-REACH:]
        for number, text in texts:
            words, gaps = self._parted(text)
            self._words.append(BEFORE)
            self._words.extend(self.vocabulary.numbered(words))
            self._words.append(AFTER)
            self._gaps += gaps
            self._comments.extend(repeat(number, len(words) + 2))
        self.vocabulary.spell()
        new = self._words[start + REACH :]
        self._words.extend(repeat(AFTER, REACH))
        self._gaps += bytes(REACH)
        self._note(new, start)

    def _parted(self, text: str) -> tuple[list[str], bytes]:
        """Return the words of a text, and what is before the first and after each of them."""
        words = text.split()
        if words and " ".join(words) == text:
            return words, _EDGE + _SPACE * (len(words) - 1) + _EDGE * 2
        parts = _GAPS.split(text)
        return parts[::2], _EDGE + self.gaps.numbered(parts[1::2]) + _EDGE * 2

    def _note(self, words: array[int], start: int) -> None:
        """Keep where words stand that were added."""
        for known in (self._places, self._comments_of):
            known += [array("I") for _ in range(len(self.vocabulary) - len(known))]
        for place, word in enumerate(words, start):
            self._places[word].append(place)
        for word in set(words) - {BEFORE, AFTER}:
            self._settle(word)

    def _settle(self, word: int) -> None:
        """Bring up to date what is known about a word, after places were added."""
        places, comments = self._places[word], self._comments_of[word]
        new = self.comments(places[len(comments) :])
        comments.extend(new)
        if word in self._counts:
            self._counts[word].count(new)
        elif len(places) > max(self.size // _FREQUENT_SHARE, _FEWEST_FREQUENT):
            self._counts[word] = Tally(comments)
        else:
            return
        for side in (-1, 1):
            known = self._neighbours.get((word, side), ())
            if len(places) > _MOST_GROWTH * len(known):
                self._neighbours[word, side] = Neighbours(places, self.words_beside(places, side))

    def places(self, words: Iterable[int]) -> array[int]:
        """Return where some words stand."""
        return _joined(self._places, words)

    def comments_of(self, words: Iterable[int]) -> array[int]:
        """Return the numbers of the comments that some words stand in, once for each time."""
        return _joined(self._comments_of, words)

    @property
    def size(self) -> int:
        """Return a number above those of all comments."""
        return self._comments[-1] + 1 if self._comments else 0

    @property
    def most_places(self) -> int:
        """Return how many places are worth looking at: above that, trying every comment is quicker."""
        return 2 * self.size

    def occurrences(self, table: bytes | bytearray) -> int:
        """Return how often the words that fit stand in the row."""
        return sum(map(len, compress(self._places, table)))

    def lengths(self) -> Iterator[int]:
        """Return how often each word stands in the row."""
        return map(len, self._places)

    def counts(self, word: int) -> Tally | None:
        """Return how often a word is in each comment, if it is frequent."""
        return self._counts.get(word)

    def by_neighbour(self, word: int, side: int, table: bytearray) -> dict[int, array[int]]:
        """Return the places of a frequent word by what a table says of the word before or after it."""
        known = self._neighbours[word, side]
        found = known.by_flag(table)
        further = self._places[word][len(known) :]
        for place, neighbour in zip(further, self.words_beside(further, side), strict=True):
            found[table[neighbour]].append(place)
        return found

    def rare_places(self, words: Iterable[int]) -> int:
        """Return how often those of some words stand in the row that are not frequent."""
        return sum(len(self._places[word]) for word in words if word not in self._counts)

    def having(self, words: Iterable[int]) -> int:
        """Return the comments that have one of some words."""
        found, rare = 0, []
        for word in words:
            if word in self._counts:
                found |= self._counts[word].counted()
            else:
                rare.append(word)
        return found | bits(self.comments_of(rare))

    def comments(self, places: Sequence[int]) -> Sequence[int]:
        """Return the numbers of the comments at some places."""
        return picked(self._comments, places)

    def words_beside(self, places: Sequence[int], distance: int) -> Sequence[int]:
        """Return the words that stand so far after places, or before them."""
        with memoryview(self._words) as words, words[REACH + distance :] as beside:
            return picked(beside, places)

    def gaps_beside(self, places: Sequence[int], distance: int) -> bytes:
        """Return the gaps after the words that stand so far after places, or before them."""
        with memoryview(self._gaps) as gaps, gaps[REACH + distance :] as beside:
            return bytes(picked(beside, places))


def _joined(arrays: list[array[int]], numbers: Iterable[int]) -> array[int]:
    found = array("I")
    for number in numbers:
        found.extend(arrays[number])
    return found
