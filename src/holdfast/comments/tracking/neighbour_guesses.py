"""Guesses where a line went from where its neighbours went.

Finds lines that were joined into another line, replaced one for one, or are too trivial to identify by
themselves.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.guess import Guess

_REACH = 12
"""Lines on each side that are searched for a neighbour with a known place. A chosen bound."""

_JOINED_SCORE = 0.55
"""Lowest score of a line that was joined into another. This and the bounds below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_JOINED_CONTENT = 0.4
_WHOLE_LINE = 0.85
"""Text similarity from which one old line accounts for all of a new line, so nothing else was joined into it.
"""

_REPLACED_SCORE = 0.38


class NeighbourGuesses:
    """Guesses from the places of the surrounding lines."""

    def __init__(self, comparison: VersionComparison) -> None:
        self._comparison = comparison
        self._before, self._after = comparison.before, comparison.after

    def guess(self, index: int) -> Guess | None:
        """Return the line that the neighbours suggest."""
        above = self._nearest(index, range(index - 1, max(-1, index - 1 - _REACH), -1))
        below = self._nearest(index, range(index + 1, min(len(self._before), index + 1 + _REACH)))
        if above is None or below is None or above[1] > below[1]:
            return None
        if self._before.is_trivial(index):
            return self._same_between(index, above, below)
        return self._joined(index, above[1], below[1]) or self._replaced(index, above, below)

    def _nearest(self, index: int, indices: range) -> tuple[int, int] | None:
        """Return the nearest distinctive line with a known place, and the place."""
        aligned = self._comparison.aligned(self._comparison.area(index), index)
        for at in indices:
            if self._before.is_trivial(at):
                continue
            if at in self._comparison.confirmed:
                return at, self._comparison.confirmed[at]
            if at in aligned:
                return at, aligned[at][0]
        return None

    def _same_between(self, index: int, above: tuple[int, int], below: tuple[int, int]) -> Guess | None:
        """Return the equal line between the neighbours: the only one, or the one at the same distance."""
        text = self._before.normal[index]
        same = [at for at in range(above[1] + 1, below[1]) if self._after.normal[at] == text]
        if len(same) > 1:
            expected = (above[1] + index - above[0], below[1] - (below[0] - index))
            same = [at for at in same if at in expected]
        if len(same) != 1:
            return None
        return Guess(same[0], self._comparison.similarity.score(index, same[0]), "between")

    def _joined(self, index: int, start: int, end: int) -> Guess | None:
        """Return the line into which this one was joined, even if another line became it too."""
        likeness = self._comparison.similarity
        aligned = self._comparison.aligned(self._comparison.area(index), index)
        whole = {
            target
            for source, (target, _) in aligned.items()
            if likeness.content(source, target) >= _WHOLE_LINE
        }
        free = [at for at in range(start, end + 1) if at not in self.confirmed_targets]
        free = [at for at in free if at not in whole or self._holds(at, index)]
        if not free:
            return None
        best = max(free, key=lambda at: (likeness.score(index, at), -at))
        score = likeness.score(index, best)
        if score < _JOINED_SCORE or likeness.content(index, best) < _JOINED_CONTENT:
            return None
        return Guess(best, score, "joined")

    def _holds(self, target: int, index: int) -> bool:
        """Return whether a new line contains every token of an old one, and more."""
        tokens, others = Counter(self._before.tokens(index)), Counter(self._after.tokens(target))
        return tokens < others and self._before.distinctive_tokens(index) > 1

    @cached_property
    def confirmed_targets(self) -> set[int]:
        """The new lines that confirmed lines match."""
        return set(self._comparison.confirmed.values())

    def _replaced(self, index: int, above: tuple[int, int], below: tuple[int, int]) -> Guess | None:
        """Return the one line that replaced this one between the same neighbours."""
        old = [at for at in range(above[0] + 1, below[0]) if not self._before.is_trivial(at)]
        new = [at for at in range(above[1] + 1, below[1]) if not self._after.is_trivial(at)]
        if old != [index] or len(new) != 1:
            return None
        score = self._comparison.similarity.score(index, new[0])
        return Guess(new[0], score, "replaced") if score >= _REPLACED_SCORE else None
