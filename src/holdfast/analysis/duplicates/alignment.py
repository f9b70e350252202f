"""How much of two pieces of code is the same in the same order, however many lines stand between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Aligner:
    """Compares one piece of code with others."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._length = len(tokens)
        self._places: dict[int, int] = {}
        for place, token in enumerate(tokens):
            self._places[token] = self._places.get(token, 0) | 1 << place

    def common(self, tokens: Iterable[int]) -> int:
        """Return the length of the longest common subsequence, found with one bit a token (Hyyrö 2004)."""
        mask = (1 << self._length) - 1
        rows, places = mask, self._places
        for token in tokens:
            if met := places.get(token):
                taken = rows & met
                rows = (rows + taken | rows - taken) & mask
        return self._length - rows.bit_count()
