"""How much two pieces of code share beyond what is frequent in their project.

`self.c.LogAction(self.c.Tr.` may be most of two short functions and in a hundred others. So a token weighs
ln((n + 1) / (d + 1/2)) if it occurs in d of the n other pieces: its inverse document frequency.
"""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np

from holdfast.analysis.duplicates.sketch import Pieces

_SMOOTHING = 0.5
"""Added to the number of pieces with a token, so that one in no other piece has a weight: the usual half."""


class Rarity:
    """The number of pieces that contain each token."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        owners = np.repeat(np.arange(len(pieces), dtype=np.uint64), pieces.lengths)
        # Sorted, as NumPy's `unique` builds a hash table, which takes several times as long.
        occurrences = np.sort(pieces.exact.astype(np.uint64) << np.uint64(32) | owners)
        is_first = np.append(True, occurrences[1:] != occurrences[:-1])[: len(occurrences)]
        tokens, counts = np.unique(occurrences[is_first] >> np.uint64(32), return_counts=True)
        self._piece_counts: dict[int, int] = dict(zip(tokens.tolist(), counts.tolist(), strict=True))

    def shared(self, first: int, second: int) -> float:
        """Return the share of the weight of two pieces that both have, from 0 to 1."""
        one, other = self._tokens_of(first), self._tokens_of(second)
        others = len(self._pieces) - 2
        shared = total = 0.0
        for token in one.keys() | other.keys():
            elsewhere = self._piece_counts[token] - (token in one) - (token in other)
            weight = log((others + 1) / (elsewhere + _SMOOTHING))
            shared += 2 * min(one[token], other[token]) * weight
            total += (one[token] + other[token]) * weight
        return shared / total

    def _tokens_of(self, piece: int) -> Counter[int]:
        starts = self._pieces.starts
        return Counter(self._pieces.exact[starts[piece] : starts[piece + 1]].tolist())
