"""Answers from the words and letters of all comments, without a look at the comments themselves.

Contract: comments have numbers that are never given to another one, so that a change touches the words of the
changed files only. Comments that are gone are still counted; whoever asks knows which are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_

from holdfast.comments.search.counting import matches
from holdfast.comments.search.letters import LetterCounts
from holdfast.comments.search.lines import matches_in_lines
from holdfast.comments.search.literals import Every
from holdfast.comments.search.pattern import Pattern
from holdfast.comments.search.sequence import WordRow
from holdfast.comments.search.tally import Tally
from holdfast.comments.search.vocabulary import TooComplex


class Words:
    """The words of all comments, by the comments' numbers."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._row = WordRow()
        self._row.append(enumerate(texts))
        self._letters = LetterCounts(self._row, texts)

    def append(self, first: int, texts: Sequence[str]) -> None:
        """Add comments that have numbers from `first` on."""
        self._row.append(enumerate(texts, first))
        self._letters.append(first, texts)

    def matches(self, pattern: Pattern) -> tuple[Tally, int] | None:
        """Return how often each comment matches, and the comments for which that is doubtful.

        None: words do not tell.
        """
        try:
            if pattern.chain is not None:
                return matches_in_lines(self._row, pattern.chain, self._letters.having("\n"))
            if pattern.shape is None:
                return None
            if pattern.shape.is_one_letter:
                return self._letters.matches(pattern), 0
            return matches(self._row, pattern.shape)
        except TooComplex:
            return None

    def holding(self, needs: Every) -> int | None:
        """Return the comments that have the words that a match needs, and perhaps others; None: all have."""
        found = [self._having(word) for text in needs.texts for word in text.split()]
        for choice in needs.choices:
            branches = [self.holding(branch) for branch in choice]
            met = [branch for branch in branches if branch is not None]
            found.append(reduce(or_, met) if len(met) == len(branches) else None)
        known = [some for some in found if some is not None]
        return reduce(and_, known) if known else None

    def _having(self, text: str) -> int | None:
        """Return the comments with a word that contains a folded text; None: that takes too long to tell."""
        words = [word for word, _ in self._row.vocabulary.containing(text, is_literal=True)]
        return None if self._row.rare_places(words) > self._row.most_places else self._row.having(words)
