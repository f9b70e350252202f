"""Likely similar pairs of pieces of code, from MinHash sketches and locality-sensitive hashing (LSH).

The MinHash sketch of a piece has, for each of many hash functions, the minimum over the k-grams of the piece.
Two sketches agree in a hash with a probability that equals the Jaccard similarity of the two sets of k-grams
(Broder, 1997). LSH cuts a sketch into bands of hashes and only compares pieces with an equal band: with 64
bands of 3 hashes, a pair of similarity 0.5 is found with probability 1 - (1 - 0.5**3)**64 = 0.9998, one of
similarity 0.1 with probability 0.06.

The parameter `arrays` is the array module that computes: NumPy or CuPy (`array_module.py`).

Contract:
- All arithmetic is on integers, with functions that NumPy and CuPy share: both give the same pairs.
- The work is linear in the number of pieces: among many pieces with an equal band, each is paired only with
  the next `NEIGHBOURS`. The same pieces give the same pairs.
- This module imports only NumPy and the standard library, so that it can run alone on a machine with a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

BANDS = 64
"""Bands of a sketch: tuned on the labelled pairs of `bench/clones.py`, docs/accuracy.md#clones."""
HASHES_PER_BAND = 3
"""Hashes that are equal in an equal band: tuned on the same pairs."""
HASHES = BANDS * HASHES_PER_BAND
NEIGHBOURS = 16
"""Pieces with an equal band that each piece is paired with: a judgement. It limits the work for large groups
of near copies, whose members have many other equal bands."""
EXACT_GRAM_TOKENS = 2
"""The length of k-grams of tokens, which distinguish code that only has the same structure: a judgement."""
BLIND_GRAM_TOKENS = 5
"""The length of k-grams with names and literals blinded, which recognise renamed code: a judgement. They are
longer, as there are few different blinded tokens."""
MIN_EQUAL_HASHES = 42
"""Equal hashes of a likely pair, of 192: a Jaccard similarity of about 0.22. Tuned on the same pairs."""
_BIN_BITS = 7
"""Bits of a token's hash that number its bin: a judgement. Pieces have about 128 different tokens."""
_BINS = 2**_BIN_BITS
_MULTIPLIER_64 = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2**64 / φ, for multiplicative hashing (Knuth, TAOCP 3, section 6.4)."""
_MULTIPLIER_32 = np.uint32(0x9E3779B1)
"""An odd number near 2**32 / φ, for the same."""
_PIECE_BITS = np.uint64(24)
"""Bits of a sort key for the number of a piece, besides 40 of a band's hash: enough for 16 million pieces."""
_PIECE_MASK = np.uint64(2 ** int(_PIECE_BITS) - 1)
"""Selects the number of the piece from a sort key; also the largest number of pieces."""
_HALF_WORD_BITS = np.uint64(32)
CPU_BATCH_ITEMS = 2**17
"""Array items processed at once on a processor: a judgement. They fit into its cache."""
_GPU_BATCH_ITEMS = 2**24
"""Array items processed at once on a GPU: a judgement. They occupy all its cores and fit into its memory."""
_PIECES_PER_HISTOGRAM_BATCH = 2**16
"""Pieces whose tokens are counted at once: a judgement. Their 64-bit counts take 64 MB."""
_MAX_BIN_COUNT = 2**16 - 1
"""The largest number that a bin of 16 bits can count."""

Array = NDArray[Any]
Tick = Callable[[], None]
"""Called repeatedly during the work, and may raise to cancel it."""


@dataclass(frozen=True)
class Pieces:
    """The concatenated tokens of many pieces of code."""

    exact: Array
    """A 32-bit hash of each token's text."""
    blind: Array
    """The same, with one value for all names, one for all strings and one for all numbers."""
    starts: Array
    """The start of each piece, followed by the end of the last."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> Array:
        return np.diff(self.starts)


@dataclass(frozen=True)
class LikelyPairs:
    """Pairs of pieces with similar sketches, sorted; each array has one item per pair."""

    first: Array
    """The number of the first piece."""
    second: Array
    """The number of the second piece, which is higher."""
    max_shared: Array
    """An upper bound on the number of tokens that both have, in any order."""


def likely_pairs(
    pieces: Pieces, arrays: Any = np, tick: Tick = lambda: None, min_equal: int = MIN_EQUAL_HASHES
) -> LikelyPairs:
    """Return the pairs of pieces with an equal band and at least `min_equal` equal hashes."""
    if len(pieces) > _PIECE_MASK:
        raise ValueError(f"{len(pieces)} pieces are more than {_PIECE_MASK}.")
    sketches = minhash_sketches(pieces, arrays, tick)
    pair_codes = select_similar(sketches, candidate_pairs(sketches, arrays, tick), min_equal, arrays)
    first, second = pair_codes // len(pieces), pair_codes % len(pieces)
    max_shared = max_shared_tokens(pieces, first, second, arrays)
    return LikelyPairs(*(to_numpy(column, arrays).astype(np.int64) for column in (first, second, max_shared)))


def to_numpy(values: Any, arrays: Any) -> Array:
    """Return an array of `arrays` as one of NumPy."""
    result: Array = values if arrays is np else arrays.asnumpy(values)
    return result


def _batch_items(arrays: Any) -> int:
    return CPU_BATCH_ITEMS if arrays is np else _GPU_BATCH_ITEMS


def hashed_grams(tokens: Any, length: int, arrays: Any = np) -> Any:
    """Return a hash of the k-gram at each token, for k = `length`; the last ones wrap around."""
    hashes = arrays.zeros(tokens.shape, dtype=np.uint32)
    for offset in range(length):
        hashes = (hashes ^ arrays.roll(tokens, -offset)) * _MULTIPLIER_32
        hashes ^= hashes >> np.uint32(15)
    return hashes


def minhash_sketches(pieces: Pieces, arrays: Any = np, tick: Tick = lambda: None) -> Any:
    """Return the MinHash sketches, one row for each piece and one column for each hash function."""
    grams = [
        (EXACT_GRAM_TOKENS, hashed_grams(arrays.asarray(pieces.exact), EXACT_GRAM_TOKENS, arrays)),
        (BLIND_GRAM_TOKENS, hashed_grams(arrays.asarray(pieces.blind), BLIND_GRAM_TOKENS, arrays)),
    ]
    factors, offsets = _hash_functions()
    sketches = arrays.empty((len(pieces), HASHES), dtype=np.uint32)
    for batch in _batches_by_length(pieces.lengths, _batch_items(arrays)):
        tick()
        batch_grams = _padded_grams(pieces, batch, grams, arrays)
        hashed = arrays.empty_like(batch_grams)
        # One row for each hash function, as whole rows are written faster.
        batch_sketches = arrays.empty((HASHES, len(batch)), dtype=np.uint32)
        for number in range(HASHES):
            arrays.multiply(batch_grams, factors[number], out=hashed)
            arrays.add(hashed, offsets[number], out=hashed)
            batch_sketches[number] = hashed.min(axis=0)
        sketches[arrays.asarray(batch)] = batch_sketches.T
    return sketches


def _padded_grams(pieces: Pieces, batch: Array, grams: list[tuple[int, Any]], arrays: Any) -> Any:
    """Return the k-grams of the pieces in a batch, which is sorted by length: one column for each piece.

    `grams` has the hashes of the k-grams at all tokens, for each k. A short piece repeats its last k-gram,
    which changes no minimum.
    """
    starts, lengths = arrays.asarray(pieces.starts[batch]), arrays.asarray(pieces.lengths[batch])
    max_length = max(int(pieces.lengths[batch[-1]]), 1)
    rows = arrays.arange(max_length)[:, None]
    columns = []
    for gram_tokens, hashes in grams:
        last_grams = arrays.maximum(lengths - gram_tokens, 0)
        columns.append(hashes[starts + arrays.minimum(rows, last_grams)])
    return arrays.concatenate(columns)


def _hash_functions() -> tuple[Array, Array]:
    """Return the odd factor and the offset of each multiply-add hash function, from a fixed sequence."""
    numbers = np.arange(1, 2 * HASHES + 1, dtype=np.uint64) * _MULTIPLIER_64
    numbers = (numbers ^ (numbers >> _HALF_WORD_BITS)) * _MULTIPLIER_64 >> _HALF_WORD_BITS
    words = numbers.astype(np.uint32)
    return words[:HASHES] | np.uint32(1), words[HASHES:]


def _batches_by_length(lengths: Array, max_tokens: int) -> Iterator[Array]:
    """Yield the numbers of all pieces, shortest first, in batches limited by their padded size."""
    order = np.argsort(lengths, kind="stable")

    def pieces_that_fit(longest: int) -> int:
        return max(max_tokens // max(int(lengths[longest]), 1), 1)

    start = 0
    while start < len(order):
        # All pieces of a batch are padded to its last one, which may be longer than the first.
        count = pieces_that_fit(order[start])
        last = min(start + count, len(order)) - 1
        count = min(count, pieces_that_fit(order[last]))
        yield order[start : start + count]
        start += count


def candidate_pairs(sketches: Any, arrays: Any = np, tick: Tick = lambda: None) -> Any:
    """Return the pairs with an equal band as codes, `first * count + second`, sorted."""
    count = len(sketches)
    numbers = arrays.arange(count, dtype=np.uint64)
    found = [arrays.zeros(0, dtype=np.uint64)]
    for band in range(BANDS):
        tick()
        band_hashes = arrays.zeros(count, dtype=np.uint64)
        for column in range(band * HASHES_PER_BAND, (band + 1) * HASHES_PER_BAND):
            band_hashes = (band_hashes ^ sketches[:, column].astype(np.uint64)) * _MULTIPLIER_64
            band_hashes ^= band_hashes >> _HALF_WORD_BITS
        # Pieces with an equal band become neighbours, in the order of their numbers.
        keys = arrays.sort((band_hashes & ~_PIECE_MASK) | numbers)
        sorted_hashes, sorted_pieces = keys >> _PIECE_BITS, keys & _PIECE_MASK
        for distance in range(1, min(NEIGHBOURS, count - 1) + 1):
            equal = arrays.flatnonzero(sorted_hashes[distance:] == sorted_hashes[:-distance])
            if not len(equal):
                break
            one, other = sorted_pieces[equal], sorted_pieces[equal + distance]
            found.append(arrays.minimum(one, other) * np.uint64(count) + arrays.maximum(one, other))
    codes = arrays.sort(arrays.concatenate(found))  # NumPy's `unique` hashes, which takes far longer
    is_new = arrays.ones(len(codes), dtype=bool)
    is_new[1:] = codes[1:] != codes[:-1]
    return codes[is_new].astype(np.int64)


def select_similar(sketches: Any, pair_codes: Any, min_equal: int, arrays: Any = np) -> Any:
    """Return the pairs whose sketches have enough equal hashes."""
    count = len(sketches)
    selected = [arrays.zeros(0, dtype=np.int64)]
    for batch in _batches(pair_codes, _batch_items(arrays) // 32):
        equal_hashes = (sketches[batch // count] == sketches[batch % count]).sum(axis=1)
        selected.append(batch[equal_hashes >= min_equal])
    return arrays.concatenate(selected)


def max_shared_tokens(pieces: Pieces, first: Any, second: Any, arrays: Any = np) -> Any:
    """Return an upper bound on the tokens that both pieces of each pair have: tokens may share a bin."""
    histograms = _histograms(pieces, arrays)
    shared = [arrays.zeros(0, dtype=np.int64)]
    pairs_per_batch = _batch_items(arrays) // 16
    batches = zip(_batches(first, pairs_per_batch), _batches(second, pairs_per_batch), strict=True)
    for one, other in batches:
        shared.append(arrays.minimum(histograms[one], histograms[other]).sum(axis=1, dtype=np.int64))
    return arrays.concatenate(shared)


def _histograms(pieces: Pieces, arrays: Any) -> Any:
    """Return how many tokens of each piece fall into each bin: one row for each piece."""
    histograms = arrays.empty((len(pieces), _BINS), dtype=np.uint16)
    for start in range(0, len(pieces), _PIECES_PER_HISTOGRAM_BATCH):
        end = min(start + _PIECES_PER_HISTOGRAM_BATCH, len(pieces))
        tokens = arrays.asarray(pieces.exact[pieces.starts[start] : pieces.starts[end]])
        rows = arrays.asarray(np.repeat(np.arange(end - start), pieces.lengths[start:end]))
        bins = (tokens * _MULTIPLIER_32 >> np.uint32(32 - _BIN_BITS)).astype(np.int64)
        counts = arrays.bincount(rows * _BINS + bins, minlength=(end - start) * _BINS)
        histograms[start:end] = arrays.minimum(counts, _MAX_BIN_COUNT).reshape(-1, _BINS)
    return histograms


def _batches(values: Any, size: int) -> Iterator[Any]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
