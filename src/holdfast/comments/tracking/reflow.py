"""Finds statements whose line breaks changed: the same tokens, laid out on other lines.

Layout tokens (brackets, commas) are ignored. A statement matches only if its token sequence occurs once on
each side.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from holdfast.comments.tracking.lines import Lines

_LAYOUT_TOKENS = frozenset("()[]{},;\\")
"""Tokens that formatters add and remove where they break lines."""

_MIN_STATEMENT_TOKENS = 4
"""Tokens that a statement needs to be identified by them. A judgement: shorter sequences repeat too often."""

MAX_STATEMENT_LINES = 12
"""Lines of a statement that are searched or compared. A judgement: longer statements are mostly data."""


class StatementTokens:
    """The tokens of a range of lines as one sequence, without layout tokens."""

    def __init__(self, lines: Lines, start: int, end: int) -> None:
        self.first = start
        self.tokens: list[str] = []
        self.starts: list[int] = []
        """The index of the first token of each line, followed by the number of tokens."""
        for index in range(start, end):
            self.starts.append(len(self.tokens))
            self.tokens += [token for token in lines.tokens(index) if token not in _LAYOUT_TOKENS]
        self.starts.append(len(self.tokens))
        self._text = "\0".join(["", *self.tokens, ""])
        self._offsets = [0, *accumulate(len(token) + 1 for token in self.tokens)]
        """The position of each token in `_text`."""

    def unique_position(self, tokens: Sequence[str]) -> int | None:
        """Return the index at which a token sequence occurs, if it occurs once and fills whole lines."""
        needle = "\0".join(["", *tokens, ""])
        offset = self._text.find(needle)
        if offset < 0 or self._text.find(needle, offset + 1) >= 0:
            return None
        number = bisect_left(self._offsets, offset)
        fills_lines = self._is_line_start(number) and self._is_line_start(number + len(tokens))
        return number if fills_lines else None

    def _is_line_start(self, number: int) -> bool:
        """Return whether a line starts with token `number`; also for the number after the last token."""
        return self.starts[bisect_left(self.starts, number)] == number


def reflowed_line(old: StatementTokens, new: StatementTokens, index: int) -> int | None:
    """Return the line on which an old line starts now, if only the line breaks around it changed."""
    row = index - old.first
    if old.starts[row] == old.starts[row + 1]:
        return None  # the line has no tokens
    for size in range(1, MAX_STATEMENT_LINES + 1):
        for first in range(max(0, row - size + 1), min(row, len(old.starts) - 1 - size) + 1):
            start, end = old.starts[first], old.starts[first + size]
            tokens = old.tokens[start:end]
            position = new.unique_position(tokens) if len(tokens) >= _MIN_STATEMENT_TOKENS else None
            if position is not None and old.unique_position(tokens) is not None:
                new_token = position + old.starts[row] - start
                return new.first + bisect_right(new.starts, new_token) - 1
    return None
