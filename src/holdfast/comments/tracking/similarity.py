"""How alike a line of the old version and one of the new are: by content, context and symbol."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.symbol_map import OutlinePair

_CONTENT = 0.6
_CONTEXT = 0.25
_SYMBOL = 0.15

_REFLOWED = 0.95
"""What a statement that was broken differently is worth, compared with an equal line."""

_MOST_BROKEN = 8

_OTHER_BLOCK = 0.85
"""What likeness is worth between lines of which one opens a block of another kind, or none."""

_SAME_VARIABLE = 0.3
"""The share of the difference that declaring the same variable makes up for."""


class LineSimilarity:
    """Scores of pairs of lines from 0 to 1, each computed once."""

    def __init__(self, before: Lines, after: Lines, places: OutlinePair) -> None:
        self._before, self._after = before, after
        self._places = places
        self._contents: dict[tuple[int, int], float] = {}

    def content(self, old_index: int, new_index: int) -> float:
        """Return how alike the texts of two lines are."""
        found = self._contents.get((old_index, new_index))
        if found is None:
            found = self._contents[old_index, new_index] = self._compared(old_index, new_index)
        return found

    def _compared(self, old_index: int, new_index: int) -> float:
        """Return the mean of the likeness of tokens in order and of parts of words in any order."""
        before, after = self._before, self._after
        if before.normal[old_index] == after.normal[new_index]:
            return 1.0
        tokens, others = before.tokens(old_index), after.tokens(new_index)
        if not tokens or not others:
            return 0.0
        pieces = before.bag(old_index).cosine(after.bag(new_index))
        order = Levenshtein.normalized_similarity(tokens, others) if pieces else 0.0
        found = min(order, pieces) if not before.bag(old_index).counts else (order + pieces) / 2
        if tokens[0] == others[0] and found < _REFLOWED:
            found = max(found, self._reflowed(old_index, new_index))
        return self._in_role(found, old_index, new_index)

    def _in_role(self, content: float, old_index: int, new_index: int) -> float:
        """Return a likeness with regard to what the lines do."""
        if not self._places.both_parsed:
            return content
        one, other = self._before.role(old_index), self._after.role(new_index)
        if one.opens != other.opens:
            return content * _OTHER_BLOCK
        if one.declares and one.declares == other.declares:
            return content + (1 - content) * _SAME_VARIABLE
        return content

    def _reflowed(self, old_index: int, new_index: int) -> float:
        """Return how alike a line and several lines are, where a statement was broken or drawn together."""
        tokens, others = self._before.tokens(old_index), self._after.tokens(new_index)
        if len(tokens) > len(others):
            return _REFLOWED * _similarity_when_extended(self._after, new_index, tokens)
        return _REFLOWED * _similarity_when_extended(self._before, old_index, others)

    def statement_start(self, old_index: int, new_index: int) -> int | None:
        """Return the line above a new one with which a statement like the old line begins, if one does."""
        tokens = self._before.tokens(old_index)
        found = self.content(old_index, new_index)
        for first in range(new_index - 1, max(-1, new_index - _MOST_BROKEN), -1):
            others = self._after.tokens(first)
            if not others or len(others) >= len(tokens):
                return None
            if others[0] == tokens[0] and _similarity_when_extended(self._after, first, tokens) >= found:
                return first
        return None

    def context(self, old_index: int, new_index: int) -> float:
        """Return how alike the lines around are."""
        above, below = self._before.context(old_index)
        new_above, new_below = self._after.context(new_index)
        return (above.cosine(new_above) + below.cosine(new_below)) / 2

    def score(self, old_index: int, new_index: int) -> float:
        """Return the likeness as a whole."""
        return (
            _CONTENT * self.content(old_index, new_index)
            + _CONTEXT * self.context(old_index, new_index)
            + _SYMBOL * self._places.nearness(old_index, new_index)
        )


def _similarity_when_extended(lines: Lines, index: int, goal: tuple[str, ...]) -> float:
    """Return how alike a line becomes to other tokens when the lines after it are added."""
    best = 0.0
    tokens = lines.tokens(index)
    for following in range(index + 1, min(index + _MOST_BROKEN, len(lines))):
        if len(tokens) >= len(goal):
            break
        tokens += lines.tokens(following)
        best = max(best, Levenshtein.normalized_similarity(tokens, goal))
    return best
