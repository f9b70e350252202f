"""The longest common subsequence (LCS) of two pieces of code, with Hyyrö's bit-parallel algorithm.

The length of the LCS is the number of tokens that both pieces have in the same order, with any gaps. For
`a b c d` and `a x c d` it is 3. One bit per token of the first piece stands for a column of the usual dynamic
programming table, so one addition of long integers computes a row (Heikki Hyyrö, "Bit-Parallel LCS-length
Computation Revisited", 2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_TOKENS_BETWEEN_CHECKS = 16
"""Tokens between two checks of the length that can still be reached: a judgement, as a check costs little."""


class Aligner:
    """Compares one piece of code with others."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._length = len(tokens)
        self._positions: dict[int, int] = {}
        """The positions of each token, as bits."""
        for position, token in enumerate(tokens):
            self._positions[token] = self._positions.get(token, 0) | 1 << position

    def common_length(self, tokens: Iterable[int], at_least: float = 0) -> int:
        """Return the length of the longest common subsequence with other tokens.

        If it is less than `at_least`, any number that is less may be returned.
        """
        mask = row = (1 << self._length) - 1
        known = list(filter(None, map(self._positions.get, tokens)))
        common = 0
        for start in range(0, len(known), _TOKENS_BETWEEN_CHECKS):
            if common + len(known) - start < at_least:
                break
            for positions in known[start : start + _TOKENS_BETWEEN_CHECKS]:
                matches = row & positions
                row = row + matches | row - matches  # carries beyond the mask never return
            # A bit is cleared for each token of the subsequence.
            common = self._length - (row & mask).bit_count()
        return common
