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
        mask = rows = (1 << self._length) - 1
        for met in filter(None, map(self._places.get, tokens)):
            taken = rows & met
            rows = rows + taken | rows - taken  # what a sum carries beyond the mask never comes back
        return self._length - (rows & mask).bit_count()
