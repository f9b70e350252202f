"""The longest common subsequence (LCS) of two pieces of code, with Hyyrö's bit-parallel algorithm.

The length of the LCS is the number of tokens that both pieces have in the same order, with any gaps. For
`a b c d` and `a x c d` it is 3. One bit per token of the first piece stands for a column of the usual table,
so that one addition of long integers computes a row (Heikki Hyyrö, "Bit-Parallel LCS-length Computation
Revisited", 2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Aligner:
    """Compares one piece of code with others."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._length = len(tokens)
        self._positions: dict[int, int] = {}
        for position, token in enumerate(tokens):
            self._positions[token] = self._positions.get(token, 0) | 1 << position

    def common(self, tokens: Iterable[int]) -> int:
        """Return the length of the longest common subsequence with other tokens."""
        mask = row = (1 << self._length) - 1
        for matching in filter(None, map(self._positions.get, tokens)):
            taken = row & matching
            row = row + taken | row - taken  # carries beyond the mask never return
        return self._length - (row & mask).bit_count()
