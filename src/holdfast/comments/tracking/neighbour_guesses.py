"""Guesses where a line went from the new places of its neighbours.

This finds lines that were joined into another line, lines that were replaced one for one, and lines too
trivial to be identified by their own text.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.guess import Guess

_MAX_NEIGHBOUR_DISTANCE = 12
"""Lines searched for a neighbour with a known place. A judgement: farther ones say little about the line."""

_MIN_JOINED_SCORE = 0.55
"""Lowest score of a line that was joined into another. This value and those below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_MIN_JOINED_CONTENT = 0.4
"""Lowest text similarity of a line that was joined into another."""

_MIN_WHOLE_LINE_CONTENT = 0.85
"""Text similarity from which on a new line is regarded as one old line, into which no other was joined."""

_MIN_REPLACED_SCORE = 0.38
"""Lowest score of the only line that replaced another."""


class _Neighbour(NamedTuple):
    """A distinctive line near the searched one whose new place is known."""

    old: int
    new: int


class NeighbourGuesses:
    """Guesses for the lines of one comparison from the places of their neighbours."""

    def __init__(self, comparison: VersionComparison) -> None:
        self._comparison = comparison
        self._old_lines, self._new_lines = comparison.old_lines, comparison.new_lines

    def guess(self, index: int) -> Guess | None:
        above = self._nearest(index, range(index - 1, max(-1, index - 1 - _MAX_NEIGHBOUR_DISTANCE), -1))
        below = self._nearest(
            index, range(index + 1, min(len(self._old_lines), index + 1 + _MAX_NEIGHBOUR_DISTANCE))
        )
        if above is None or below is None or above.new > below.new:
            return None
        if self._old_lines.is_trivial(index):
            return self._same_between(index, above, below)
        return self._joined(index, above.new, below.new) or self._replaced(index, above, below)

    def _nearest(self, index: int, indices: range) -> _Neighbour | None:
        """Return the first distinctive line among `indices` with a known place."""
        aligned = self._comparison.alignment(self._comparison.area(index), index)
        for neighbour in indices:
            if self._old_lines.is_trivial(neighbour):
                continue
            if neighbour in self._comparison.confirmed:
                return _Neighbour(neighbour, self._comparison.confirmed[neighbour])
            if neighbour in aligned:
                return _Neighbour(neighbour, aligned[neighbour].target)
        return None

    def _same_between(self, index: int, above: _Neighbour, below: _Neighbour) -> Guess | None:
        """Return the only equal line between the neighbours or, of several, the one at the same distance."""
        text = self._old_lines.normalized[index]
        same = [at for at in range(above.new + 1, below.new) if self._new_lines.normalized[at] == text]
        if len(same) > 1:
            expected = (above.new + index - above.old, below.new - (below.old - index))
            same = [at for at in same if at in expected]
        if len(same) != 1:
            return None
        return Guess(same[0], self._comparison.similarity.score(index, same[0]), "between")

    def _joined(self, index: int, start: int, end: int) -> Guess | None:
        """Return the line into which this one was joined, between the new places of its neighbours."""
        similarity = self._comparison.similarity
        aligned = self._comparison.alignment(self._comparison.area(index), index)
        whole_lines = {
            pair.target
            for pair in aligned.values()
            if similarity.content(pair.source, pair.target) >= _MIN_WHOLE_LINE_CONTENT
        }
        candidates = [
            candidate
            for candidate in range(start, end + 1)
            if candidate not in self._comparison.confirmed_targets
            and (candidate not in whole_lines or self._contains_tokens(candidate, index))
        ]
        if not candidates:
            return None
        best = max(candidates, key=lambda candidate: (similarity.score(index, candidate), -candidate))
        score = similarity.score(index, best)
        if score < _MIN_JOINED_SCORE or similarity.content(index, best) < _MIN_JOINED_CONTENT:
            return None
        return Guess(best, score, "joined")

    def _contains_tokens(self, target: int, index: int) -> bool:
        """Return whether a new line contains every token of an old one, and more."""
        old_tokens, new_tokens = self._old_lines.tokens(index), self._new_lines.tokens(target)
        is_part = Counter(old_tokens) < Counter(new_tokens)
        return is_part and self._old_lines.distinctive_tokens(index) > 1

    def _replaced(self, index: int, above: _Neighbour, below: _Neighbour) -> Guess | None:
        """Return the only distinctive line between the neighbours, if the old line was the only one, too."""
        old = [at for at in range(above.old + 1, below.old) if not self._old_lines.is_trivial(at)]
        new = [at for at in range(above.new + 1, below.new) if not self._new_lines.is_trivial(at)]
        if old != [index] or len(new) != 1:
            return None
        score = self._comparison.similarity.score(index, new[0])
        return Guess(new[0], score, "replaced") if score >= _MIN_REPLACED_SCORE else None
