"""How alike pieces of code are built, whatever their names and values: the cosine of TF-IDF vectors.

A vector counts the runs of one to four tokens, names and values blinded; runs that few pieces have weigh
more. Nothing is trained. It tells what is built alike, which may or may not do the same.
"""

from __future__ import annotations

import numpy as np

from holdfast.analysis.duplicates.sketch import Pieces, hashed_grams

_LONGEST_RUN = 4
_FEATURE_BITS = 20
_DECIMALS = 4


class Structures:
    """The vectors of all pieces."""

    def __init__(self, pieces: Pieces) -> None:
        count, lengths = len(pieces), pieces.lengths
        owner = np.repeat(np.arange(count), lengths)
        left = np.repeat(pieces.starts[1:], lengths) - np.arange(len(owner))
        codes = []
        for length in range(1, _LONGEST_RUN + 1):
            grams = hashed_grams(pieces.blind, length) >> np.uint32(32 - _FEATURE_BITS)
            codes.append((owner << _FEATURE_BITS | grams.astype(np.int64))[left >= length])
        whole = np.sort(np.concatenate(codes))
        heads = np.flatnonzero(np.diff(whole, prepend=-1))
        whole, times = whole[heads], np.diff(heads, append=len(whole))
        owner, self._features = whole >> _FEATURE_BITS, whole & (1 << _FEATURE_BITS) - 1
        pieces_with = np.bincount(self._features, minlength=1 << _FEATURE_BITS)[self._features]
        weights = (1 + np.log(times)) * (1 + np.log((1 + count) / (1 + pieces_with)))
        self._weights = weights / np.sqrt(np.bincount(owner, weights**2, minlength=count))[owner]
        self._starts = np.searchsorted(owner, np.arange(count + 1)).tolist()

    def similarity(self, one: int, other: int) -> float:
        """Return how alike two pieces are, from 0 to 1."""
        mine, theirs = (slice(self._starts[number], self._starts[number + 1]) for number in (one, other))
        _, here, there = np.intersect1d(
            self._features[mine], self._features[theirs], assume_unique=True, return_indices=True
        )
        cosine = float(self._weights[mine][here] @ self._weights[theirs][there])
        return round(min(cosine, 1.0), _DECIMALS)
