"""Computes how similar an old line and a new line are: in content, context and symbol.

The content score is the mean of the Levenshtein similarity of the token sequences and the cosine similarity
of the word parts, an idea taken from LHDiff (Asaduzzaman et al., 2013).
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.symbol_map import OutlinePair

_CONTENT_WEIGHT = 0.6
"""Weight of the content. The three weights were set on the LHDiff benchmark (decision 0016)."""

_CONTEXT_WEIGHT = 0.25
"""Weight of the surrounding lines."""

_SYMBOL_WEIGHT = 0.15
"""Weight of the enclosing symbol."""

_REFLOWED_FACTOR = 0.95
"""Factor for a statement whose line breaks changed. This factor and those below were tuned with
`bench/anchors` (docs/accuracy.md, decision 0016)."""

_MAX_JOINED_LINES = 8
"""Lines of a broken statement that are joined. A judgement: each one is another comparison."""

_OTHER_BLOCK_FACTOR = 0.85
"""Factor for two lines that do not open the same kind of block."""

_SAME_VARIABLE_SHARE = 0.3
"""Share of the missing similarity that is added if both lines declare the same variable."""


class LineSimilarity:
    """Similarity of pairs of lines, from 0 to 1, each computed once."""

    def __init__(self, old_lines: Lines, new_lines: Lines, outlines: OutlinePair) -> None:
        self._old_lines, self._new_lines = old_lines, new_lines
        self._outlines = outlines
        self._contents: dict[tuple[int, int], float] = {}

    def content(self, old_index: int, new_index: int) -> float:
        found = self._contents.get((old_index, new_index))
        if found is None:
            found = self._contents[old_index, new_index] = self._compute_content(old_index, new_index)
        return found

    def _compute_content(self, old_index: int, new_index: int) -> float:
        """Return the mean of token and word part similarity, adjusted for reflow and roles."""
        old_lines, new_lines = self._old_lines, self._new_lines
        if old_lines.normalized[old_index] == new_lines.normalized[new_index]:
            return 1.0
        old_tokens, new_tokens = old_lines.tokens(old_index), new_lines.tokens(new_index)
        if not old_tokens or not new_tokens:
            return 0.0
        old_words = old_lines.bag(old_index)
        by_words = old_words.cosine(new_lines.bag(new_index))
        # Without a common word, equal punctuation proves nothing.
        by_tokens = Levenshtein.normalized_similarity(old_tokens, new_tokens) if by_words else 0.0
        # Between two lines without words, `by_words` is 1 and proves nothing.
        content = (by_tokens + by_words) / 2 if old_words.counts else by_tokens
        if old_lines.role(old_index).opens == new_lines.role(new_index).opens == "condition":
            # Whether a condition is the first of a chain or follows another says nothing about it.
            is_same = old_lines.condition(old_index) == new_lines.condition(new_index)
            content = max(content, _REFLOWED_FACTOR) if is_same else content
        if old_tokens[0] == new_tokens[0] and content < _REFLOWED_FACTOR:
            content = max(content, self._reflowed_content(old_index, new_index))
        return self._adjust_for_roles(content, old_index, new_index)

    def _adjust_for_roles(self, content: float, old_index: int, new_index: int) -> float:
        """Adjust a similarity for what the lines do: open a block, declare a variable."""
        if not self._outlines.both_parsed:
            return content
        old_role, new_role = self._old_lines.role(old_index), self._new_lines.role(new_index)
        if old_role.opens != new_role.opens:
            return content * _OTHER_BLOCK_FACTOR
        if old_role.declares and old_role.declares == new_role.declares:
            return content + (1 - content) * _SAME_VARIABLE_SHARE
        return content

    def _reflowed_content(self, old_index: int, new_index: int) -> float:
        """Return how similar the longer line is to the shorter one with the lines after it."""
        old_tokens, new_tokens = self._old_lines.tokens(old_index), self._new_lines.tokens(new_index)
        if len(old_tokens) > len(new_tokens):
            return _REFLOWED_FACTOR * _similarity_when_extended(self._new_lines, new_index, old_tokens)
        return _REFLOWED_FACTOR * _similarity_when_extended(self._old_lines, old_index, new_tokens)

    def statement_start(self, old_index: int, new_index: int) -> int | None:
        """Return the line above a new one at which a statement like the old line starts, if there is one."""
        old_tokens = self._old_lines.tokens(old_index)
        content = self.content(old_index, new_index)
        for first in range(new_index - 1, max(-1, new_index - _MAX_JOINED_LINES), -1):
            new_tokens = self._new_lines.tokens(first)
            if not new_tokens or len(new_tokens) >= len(old_tokens):
                return None
            starts_alike = new_tokens[0] == old_tokens[0]
            if starts_alike and _similarity_when_extended(self._new_lines, first, old_tokens) >= content:
                return first
        return None

    def context(self, old_index: int, new_index: int) -> float:
        above, below = self._old_lines.context(old_index)
        new_above, new_below = self._new_lines.context(new_index)
        return (above.cosine(new_above) + below.cosine(new_below)) / 2

    def score(self, old_index: int, new_index: int) -> float:
        return (
            _CONTENT_WEIGHT * self.content(old_index, new_index)
            + _CONTEXT_WEIGHT * self.context(old_index, new_index)
            + _SYMBOL_WEIGHT * self._outlines.nearness(old_index, new_index)
        )


def _similarity_when_extended(lines: Lines, index: int, longer_tokens: tuple[str, ...]) -> float:
    """Return the best similarity of a line to a longer one when the lines after it are appended."""
    best = 0.0
    tokens = lines.tokens(index)
    for following in range(index + 1, min(index + _MAX_JOINED_LINES, len(lines))):
        if len(tokens) >= len(longer_tokens):
            break
        tokens += lines.tokens(following)
        best = max(best, Levenshtein.normalized_similarity(tokens, longer_tokens))
    return best
