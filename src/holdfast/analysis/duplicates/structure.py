"""The structural similarity of pieces of code: the cosine of TF-IDF vectors.

The features are the k-grams of one to four tokens, with names and literals blinded: `x = f(1)` and `y = g(2)`
have the same ones. They are weighted by (1 + ln tf) · (1 + ln((1 + n) / (1 + df))), so that k-grams of few
pieces count more. Code of similar structure may or may not do the same.
"""

from __future__ import annotations

import numpy as np

from holdfast.analysis.duplicates.sketch import Pieces, hashed_grams

_LONGEST_GRAM = 4
_FEATURE_BITS = 20
"""Bits of a feature, which is a hash of a k-gram: a chosen size, at which collisions are rare."""
_DECIMALS = 4


class Structures:
    """The TF-IDF vectors of all pieces."""

    def __init__(self, pieces: Pieces) -> None:
        count, lengths = len(pieces), pieces.lengths
        owner = np.repeat(np.arange(count), lengths)
        left = np.repeat(pieces.starts[1:], lengths) - np.arange(len(owner))
        codes = []
        for length in range(1, _LONGEST_GRAM + 1):
            grams = hashed_grams(pieces.blind, length) >> np.uint32(32 - _FEATURE_BITS)
            codes.append((owner << _FEATURE_BITS | grams.astype(np.int64))[left >= length])
        whole = np.sort(np.concatenate(codes))
        heads = np.flatnonzero(np.diff(whole, prepend=-1))
        whole, counts = whole[heads], np.diff(heads, append=len(whole))
        owner, self._features = whole >> _FEATURE_BITS, whole & (1 << _FEATURE_BITS) - 1
        pieces_with = np.bincount(self._features, minlength=1 << _FEATURE_BITS)[self._features]
        weights = (1 + np.log(counts)) * (1 + np.log((1 + count) / (1 + pieces_with)))
        self._weights = weights / np.sqrt(np.bincount(owner, weights**2, minlength=count))[owner]
        self._starts = np.searchsorted(owner, np.arange(count + 1)).tolist()

    def similarity(self, one: int, other: int) -> float:
        """Return the cosine of two pieces, from 0 to 1."""
        first, second = (slice(self._starts[number], self._starts[number + 1]) for number in (one, other))
        _, in_first, in_second = np.intersect1d(
            self._features[first], self._features[second], assume_unique=True, return_indices=True
        )
        cosine = float(self._weights[first][in_first] @ self._weights[second][in_second])
        return round(min(cosine, 1.0), _DECIMALS)
