"""How often a query of a known shape matches in each comment.

Where matches could touch each other, their number depends on which comes first. Such comments are doubtful:
they have to be counted by trying the expression on them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from holdfast.comments.search.pattern import MOST_COUNTED
from holdfast.comments.search.phrases import Phrase, marked, phrase_of
from holdfast.comments.search.sequence import WordRow
from holdfast.comments.search.shape import Piece, Shape
from holdfast.comments.search.standing import Group, Standing, standing, standing_at
from holdfast.comments.search.tally import Tally, bits
from holdfast.comments.search.vocabulary import FITS


def matches(row: WordRow, shape: Shape) -> tuple[Tally, int]:
    """Return how often each comment matches, and the comments for which that is doubtful."""
    counting = _Counting(row, is_literal=shape.is_literal)
    inside = bytearray(len(row.vocabulary))
    for branch in shape.branches:
        if len(branch) == 1:
            inside = counting.count_inside(branch[0])
    phrases = [
        phrase_of(row, branch, is_literal=shape.is_literal) for branch in shape.branches if len(branch) > 1
    ]
    starts = [phrase.start for phrase in phrases]
    counting.count_phrases(
        [marked(phrase, inside, starts[:place] + starts[place + 1 :]) for place, phrase in enumerate(phrases)]
    )
    return counting.result()


class _Counting:
    """Counts matches by comment."""

    def __init__(self, row: WordRow, *, is_literal: bool) -> None:
        self._row = row
        self._is_literal = is_literal
        self._tally = Tally()
        self._found = array("I")
        self._doubtful: list[int] = []

    def result(self) -> tuple[Tally, int]:
        """Return the counts, and the doubtful comments."""
        self._tally.count(self._found, self._row.size)
        return self._tally, bits(self._doubtful)

    def count_inside(self, piece: Piece) -> bytearray:
        """Count what matches inside words, and return which words these are."""
        table = bytearray(len(self._row.vocabulary))
        rare: dict[int, list[int]] = {}
        for word, found in self._row.vocabulary.containing(str(piece.source), is_literal=self._is_literal):
            times = min(found, MOST_COUNTED)
            table[word] = FITS
            if (counts := self._row.counts(word)) is not None:
                self._tally.add(counts, times)
            else:
                rare.setdefault(times, []).append(word)
        for times, words in rare.items():
            comments = self._row.comments_of(words)
            for _ in range(times):
                self._found += comments
        return table

    def count_phrases(self, phrases: Sequence[Phrase]) -> None:
        """Count where phrases stand, once for each place."""
        found = [standing(self._row, phrase) for phrase in phrases]
        for one in found:
            self._doubtful += self._row.comments(one.doubtful)
            for group in one.groups:
                self._count(group)
        if any(one.touching for one in found):
            self._doubt(phrases, found)

    def _count(self, group: Group) -> None:
        if group.counts is None or len(group.dropped) > len(group.places):
            self._found.extend(self._row.comments(group.places))
            return
        self._tally.add(group.counts, 1)
        self._tally.subtract(Tally(self._row.comments(group.dropped)))

    def _doubt(self, phrases: Sequence[Phrase], found: Sequence[Standing]) -> None:
        """Find out which of the matches that others may touch are touched."""
        for place, (phrase, one) in enumerate(zip(phrases, found, strict=True)):
            # Among them are places that dropped out later, perhaps for being too near to the beginning.
            touching = [at - one.shift for at in one.touching if at >= one.shift]
            for other, that in enumerate(phrases):
                is_gap = that.begins_with_gap
                is_same = other != place and is_gap is phrase.begins_with_gap
                first = 0 if is_same or (phrase.begins_with_gap and not is_gap) else 1
                last = phrase.length + (is_gap and phrase.ends_with_gap)
                for distance in range(first, last):
                    begins = array("I", map(distance.__add__, touching))
                    self._doubtful += self._row.comments(standing_at(self._row, that, begins))
