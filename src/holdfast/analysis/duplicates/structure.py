"""The structural similarity of pieces of code: the cosine of TF-IDF vectors.

The features are the k-grams of one to four tokens, with names and literals blinded: `x = f(1)` and `y = g(2)`
have the same features. A feature has the weight (1 + ln tf) · (1 + ln((1 + n) / (1 + df))), where it occurs
tf times in the piece and in df of the n pieces, so rare features weigh more. Code of similar structure may or
may not do the same.
"""

from __future__ import annotations

import numpy as np

from holdfast.analysis.duplicates.clone import NEAR_SIMILARITY_DECIMALS
from holdfast.analysis.duplicates.sketch import Pieces, hashed_grams

_MAX_GRAM_TOKENS = 4
"""The length of the longest k-gram: a judgement. Longer ones are rarely in both of two changed pieces."""
_FEATURE_BITS = 20
"""Bits of a feature, a hash of a k-gram: a judgement, as the few hundred of a piece then rarely collide."""


class Structures:
    """The TF-IDF vectors of all pieces."""

    def __init__(self, pieces: Pieces) -> None:
        count = len(pieces)
        # One number for each feature of each piece: the piece in the high bits, the feature in the low ones.
        occurrences = _feature_occurrences(pieces)
        firsts = np.flatnonzero(np.diff(occurrences, prepend=-1))
        frequencies = np.diff(firsts, append=len(occurrences))
        owners = occurrences[firsts] >> _FEATURE_BITS
        self._features = occurrences[firsts] & (1 << _FEATURE_BITS) - 1
        pieces_with_feature = np.bincount(self._features, minlength=1 << _FEATURE_BITS)[self._features]
        weights = (1 + np.log(frequencies)) * (1 + np.log((1 + count) / (1 + pieces_with_feature)))
        norms = np.sqrt(np.bincount(owners, weights**2, minlength=count))
        self._weights = weights / norms[owners]
        self._starts: list[int] = np.searchsorted(owners, np.arange(count + 1)).tolist()
        self._compared = -1  # none yet
        """The piece whose weights are in `_weight_of`."""
        self._weight_of = np.zeros(1 << _FEATURE_BITS)
        """The weight of each feature, 0 for those that the piece does not have."""

    def similarity(self, first: int, second: int) -> float:
        """Return the cosine of the vectors of two pieces, from 0 to 1."""
        if first != self._compared:
            if self._compared >= 0:
                self._weight_of[self._features[self._of(self._compared)]] = 0
            self._weight_of[self._features[self._of(first)]] = self._weights[self._of(first)]
            self._compared = first
        weights = self._weight_of[self._features[self._of(second)]]
        common = np.flatnonzero(weights)
        cosine = float(weights[common] @ self._weights[self._of(second)][common])
        return round(min(cosine, 1.0), NEAR_SIMILARITY_DECIMALS)  # it may exceed 1 by a rounding error

    def _of(self, piece: int) -> slice:
        return slice(self._starts[piece], self._starts[piece + 1])


def _feature_occurrences(pieces: Pieces) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return `piece << _FEATURE_BITS | feature` for each occurrence of a feature in a piece, sorted."""
    owners = np.repeat(np.arange(len(pieces)), pieces.lengths)
    tokens_left = np.repeat(pieces.starts[1:], pieces.lengths) - np.arange(len(owners))
    occurrences = []
    for length in range(1, _MAX_GRAM_TOKENS + 1):
        features = hashed_grams(pieces.blind, length) >> np.uint32(32 - _FEATURE_BITS)
        is_inside = tokens_left >= length
        occurrences.append((owners << _FEATURE_BITS | features.astype(np.int64))[is_inside])
    return np.sort(np.concatenate(occurrences))
