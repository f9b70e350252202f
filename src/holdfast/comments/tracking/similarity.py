"""How similar an old line and a new line are: by content, context and symbol.

The content score is the mean of the Levenshtein similarity of the token sequences and the cosine similarity
of the word parts, an idea taken from LHDiff (Asaduzzaman et al., 2013).
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.symbol_map import OutlinePair

_CONTENT = 0.6
"""Weights of the three parts, first set on the LHDiff benchmark (decision 0016)."""

_CONTEXT = 0.25
_SYMBOL = 0.15

_REFLOWED = 0.95
"""Factor for a statement whose line breaks changed. This and the factors below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_MAX_BROKEN = 8
"""Lines over which a broken statement is joined. A chosen bound."""


_OTHER_BLOCK = 0.85
"""Factor for two lines that do not open the same kind of block."""

_SAME_VARIABLE = 0.3
"""Share of the difference that is waived when both lines declare the same variable."""


class LineSimilarity:
    """Similarity of pairs of lines, from 0 to 1, each computed once."""

    def __init__(self, before: Lines, after: Lines, outlines: OutlinePair) -> None:
        self._before, self._after = before, after
        self._outlines = outlines
        self._contents: dict[tuple[int, int], float] = {}

    def content(self, old_index: int, new_index: int) -> float:
        """Return how similar the texts of two lines are."""
        found = self._contents.get((old_index, new_index))
        if found is None:
            found = self._contents[old_index, new_index] = self._compared(old_index, new_index)
        return found

    def _compared(self, old_index: int, new_index: int) -> float:
        """Return the mean of token and word part similarity, adjusted for reflow and roles."""
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
        """Adjust a similarity for what the lines do: open a block, declare a variable."""
        if not self._outlines.both_parsed:
            return content
        one, other = self._before.role(old_index), self._after.role(new_index)
        if one.opens != other.opens:
            return content * _OTHER_BLOCK
        if one.declares and one.declares == other.declares:
            return content + (1 - content) * _SAME_VARIABLE
        return content

    def _reflowed(self, old_index: int, new_index: int) -> float:
        """Return how similar one line is to several, as when a statement was broken or joined."""
        tokens, others = self._before.tokens(old_index), self._after.tokens(new_index)
        if len(tokens) > len(others):
            return _REFLOWED * _similarity_when_extended(self._after, new_index, tokens)
        return _REFLOWED * _similarity_when_extended(self._before, old_index, others)

    def statement_start(self, old_index: int, new_index: int) -> int | None:
        """Return the line above a new one where a statement like the old line begins, if there is one."""
        tokens = self._before.tokens(old_index)
        found = self.content(old_index, new_index)
        for first in range(new_index - 1, max(-1, new_index - _MAX_BROKEN), -1):
            others = self._after.tokens(first)
            if not others or len(others) >= len(tokens):
                return None
            if others[0] == tokens[0] and _similarity_when_extended(self._after, first, tokens) >= found:
                return first
        return None

    def context(self, old_index: int, new_index: int) -> float:
        """Return how similar the surrounding lines are."""
        above, below = self._before.context(old_index)
        new_above, new_below = self._after.context(new_index)
        return (above.cosine(new_above) + below.cosine(new_below)) / 2

    def score(self, old_index: int, new_index: int) -> float:
        """Return the weighted sum of content, context and symbol."""
        return (
            _CONTENT * self.content(old_index, new_index)
            + _CONTEXT * self.context(old_index, new_index)
            + _SYMBOL * self._outlines.nearness(old_index, new_index)
        )


def _similarity_when_extended(lines: Lines, index: int, goal: tuple[str, ...]) -> float:
    """Return the best similarity of a line to some tokens when the lines after it are appended."""
    best = 0.0
    tokens = lines.tokens(index)
    for following in range(index + 1, min(index + _MAX_BROKEN, len(lines))):
        if len(tokens) >= len(goal):
            break
        tokens += lines.tokens(following)
        best = max(best, Levenshtein.normalized_similarity(tokens, goal))
    return best
