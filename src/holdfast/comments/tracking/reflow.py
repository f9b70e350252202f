"""Finds statements whose line breaks changed: the same tokens, laid out on other lines.

Layout tokens (brackets, commas) are ignored. A statement matches only if its token sequence occurs once on
each side.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from holdfast.comments.tracking.lines import Lines

_LAYOUT = frozenset("()[]{},;\\")
"""Tokens that formatters add and remove where they break lines."""

_MIN_REFLOWED = 4
"""Fewest tokens that identify a statement. A judgement: shorter sequences repeat too often."""

_MAX_REFLOWED = 12
"""Most lines of a statement. A chosen bound on time."""


class StatementTokens:
    """The tokens of a range of lines as one sequence, without layout tokens."""

    def __init__(self, lines: Lines, start: int, end: int) -> None:
        self.first = start
        self.tokens: list[str] = []
        self.starts: list[int] = []
        """The index of each line's first token, and the token count at the end."""
        for index in range(start, end):
            self.starts.append(len(self.tokens))
            self.tokens += [token for token in lines.tokens(index) if token not in _LAYOUT]
        self.starts.append(len(self.tokens))
        self._text = "\0".join(["", *self.tokens, ""])
        self._places = [0, *accumulate(len(token) + 1 for token in self.tokens)]

    def only(self, tokens: Sequence[str]) -> int | None:
        """Return where a token sequence occurs, if it occurs once and fills whole lines."""
        needle = "\0".join(["", *tokens, ""])
        place = self._text.find(needle)
        if place < 0 or self._text.find(needle, place + 1) >= 0:
            return None
        number = bisect_left(self._places, place)
        return number if self._breaks(number) and self._breaks(number + len(tokens)) else None

    def _breaks(self, number: int) -> bool:
        """Return whether a line begins with a token, or the last one ends before it."""
        return self.starts[bisect_left(self.starts, number)] == number


def reflowed_line(old: StatementTokens, new: StatementTokens, index: int) -> int | None:
    """Return the line on which an old line begins now, if only the line breaks around it changed."""
    at = index - old.first
    if old.starts[at] == old.starts[at + 1]:
        return None
    for size in range(1, _MAX_REFLOWED + 1):
        for first in range(max(0, at - size + 1), min(at, len(old.starts) - 1 - size) + 1):
            start, end = old.starts[first], old.starts[first + size]
            tokens = old.tokens[start:end]
            place = new.only(tokens) if len(tokens) >= _MIN_REFLOWED else None
            if place is not None and old.only(tokens) is not None:
                return new.first + bisect_right(new.starts, place + old.starts[at] - start) - 1
    return None
