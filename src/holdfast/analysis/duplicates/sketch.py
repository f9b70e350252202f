"""Likely similar pairs of pieces of code, from MinHash sketches and locality-sensitive hashing (LSH).

A sketch has the least value of each of many hash functions over the k-grams of a piece. Two pieces agree in a
hash with a probability that equals the Jaccard similarity of their k-grams (Broder, 1997). LSH cuts a sketch
into bands of hashes and only compares pieces with an equal band: with 64 bands of 3 hashes, a pair of
similarity 0.5 is found with probability 1 - (1 - 0.5**3)**64 = 0.9998, one of 0.1 with 0.06.

Contract:
- All arithmetic is on integers, with functions that NumPy and CuPy share: both give the same pairs.
- The work is linear in the number of pieces: in a large bucket, each piece is paired with the next
  `NEIGHBOURS` ones. The same pieces give the same pairs.
- This module imports NumPy and the standard library alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BANDS, ROWS = 64, 3
"""Bands of a sketch and hashes of a band, and below the least agreement: tuned on the labelled pairs of
`bench/clones.py`, docs/accuracy.md#clones."""
HASHES = BANDS * ROWS
NEIGHBOURS = 16
"""Pieces of a bucket that each piece is paired with: a chosen bound on the work in large buckets."""
EXACT_GRAM, BLIND_GRAM = 2, 5
"""The lengths of k-grams of tokens, and of k-grams with names and literals blinded: the former distinguish
code that only has the same structure, the latter recognise renamed code."""
MIN_AGREEMENT = 42
"""Of the 192 hashes: a Jaccard similarity of about 0.22."""
_BINS_SHIFT, _BINS = np.uint32(25), 128
"""A token's bin is the top 7 bits of its hash: a chosen size, at which a bound on shared tokens is cheap."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_GOLDEN = np.uint32(0x9E3779B1)
"""Odd numbers near 2**64 / φ and 2**32 / φ, for multiplicative hashing (Knuth, TAOCP 3, section 6.4)."""
_INDEX_BITS = 24
_SHIFT, _INDEX = np.uint64(_INDEX_BITS), np.uint64(2**_INDEX_BITS - 1)
_HALF = np.uint64(32)
_CHUNK = {True: 2**17, False: 2**24}
"""Numbers processed at once, by whether NumPy runs: chosen to fit a processor's cache, or to occupy a GPU."""

Numbers = NDArray[Any]
Tick = Callable[[], None]
"""Called repeatedly during the work, and may raise to cancel it."""


@dataclass(frozen=True)
class Pieces:
    """The concatenated tokens of many pieces of code."""

    exact: Numbers
    """A 32-bit hash of each token's text."""
    blind: Numbers
    """The same, with one value for all names, one for all strings and one for all numbers."""
    starts: Numbers
    """The start of each piece, followed by the end of the last."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Numbers:
        """The number of tokens of each piece."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class LikelyPairs:
    """Pairs of pieces with similar sketches, sorted."""

    first: Numbers
    second: Numbers
    shared: Numbers
    """An upper bound of the tokens that both have, in any order."""


def likely_pairs(pieces: Pieces, arrays: Any = np, tick: Tick = lambda: None) -> LikelyPairs:
    """Return the pairs of pieces that are worth comparing; `arrays` is NumPy or CuPy."""
    if len(pieces) > _INDEX:
        raise ValueError(f"{len(pieces)} pieces are more than {_INDEX}.")
    sketches = signatures(pieces, arrays, tick)
    codes = agreeing(sketches, candidates(sketches, arrays, tick), arrays)
    first, second = codes // len(pieces), codes % len(pieces)
    shared = shared_tokens(pieces, first, second, arrays)
    return LikelyPairs(*(host(column, arrays).astype(np.int64) for column in (first, second, shared)))


def host(values: Any, arrays: Any) -> Numbers:
    """Return an array of `arrays` as one of NumPy."""
    result: Numbers = values if arrays is np else arrays.asnumpy(values)
    return result


def hashed_grams(tokens: Any, length: int, arrays: Any = np) -> Any:
    """Return a hash of the k-gram at each token, for k = `length`; the last ones wrap around."""
    grams = arrays.zeros(tokens.shape, dtype=np.uint32)
    for offset in range(length):
        grams = (grams ^ arrays.roll(tokens, -offset)) * _GOLDEN
        grams ^= grams >> np.uint32(15)
    return grams


def signatures(pieces: Pieces, arrays: Any = np, tick: Tick = lambda: None) -> Any:
    """Return the MinHash sketch of every piece."""
    lengths, starts = pieces.lengths, pieces.starts[:-1]
    grams = [
        (length, hashed_grams(arrays.asarray(tokens), length, arrays))
        for tokens, length in ((pieces.exact, EXACT_GRAM), (pieces.blind, BLIND_GRAM))
    ]
    factors, offsets = _hash_family()
    result = arrays.empty((len(pieces), HASHES), dtype=np.uint32)
    order = np.argsort(lengths, kind="stable")
    for rows in _chunks(order, lengths, _CHUNK[arrays is np]):
        tick()
        steps = arrays.arange(max(int(lengths[rows[-1]]), 1))[:, None]
        begins, sizes = arrays.asarray(starts[rows]), arrays.asarray(lengths[rows])
        # A shorter piece repeats its last gram, which changes no minimum.
        padded = arrays.concatenate(
            [
                values[begins + arrays.minimum(steps, arrays.maximum(sizes - length, 0))]
                for length, values in grams
            ]
        )
        hashed = arrays.empty_like(padded)
        sketch = arrays.empty((HASHES, len(rows)), dtype=np.uint32)
        for number in range(HASHES):
            arrays.multiply(padded, factors[number], out=hashed)
            arrays.add(hashed, offsets[number], out=hashed)
            sketch[number] = hashed.min(axis=0)
        result[arrays.asarray(rows)] = sketch.T
    return result


def _hash_family() -> tuple[Numbers, Numbers]:
    """Return the odd factor and the offset of each multiply-add hash function, from a fixed sequence."""
    numbers = np.arange(1, 2 * HASHES + 1, dtype=np.uint64) * _MIX
    numbers = (numbers ^ (numbers >> _HALF)) * _MIX >> _HALF
    words = numbers.astype(np.uint32)
    return words[:HASHES] | np.uint32(1), words[HASHES:]


def _chunks(order: Numbers, lengths: Numbers, most: int) -> Iterator[Numbers]:
    """Cut pieces that are sorted by length into chunks of at most `most` tokens, padding included."""
    at = 0
    while at < len(order):
        # The last piece of a chunk is its longest: shrink the chunk until it fits, padded to that length.
        size = max(most // max(int(lengths[order[at]]), 1), 1)
        size = max(min(size, most // max(int(lengths[order[min(at + size, len(order)) - 1]]), 1)), 1)
        yield order[at : at + size]
        at += size


def candidates(sketches: Any, arrays: Any = np, tick: Tick = lambda: None) -> Any:
    """Return the pairs with an equal band, each as `first * count + second`, sorted."""
    count = len(sketches)
    index = arrays.arange(count, dtype=np.uint64)
    found = [arrays.zeros(0, dtype=np.uint64)]
    for band in range(BANDS):
        tick()
        key = arrays.zeros(count, dtype=np.uint64)
        for row in range(band * ROWS, (band + 1) * ROWS):
            key = (key ^ sketches[:, row].astype(np.uint64)) * _MIX
            key ^= key >> _HALF
        # The low bits are the number of the piece, so that pieces with close numbers are neighbours in a
        # bucket.
        key = arrays.sort((key & ~_INDEX) | index)
        bucket, member = key >> _SHIFT, key & _INDEX
        for step in range(1, min(NEIGHBOURS, count - 1) + 1):
            near = arrays.flatnonzero(bucket[step:] == bucket[:-step])
            if not len(near):
                break
            one, other = member[near], member[near + step]
            found.append(arrays.minimum(one, other) * np.uint64(count) + arrays.maximum(one, other))
    codes = arrays.sort(arrays.concatenate(found))  # NumPy's `unique` hashes, which takes far longer
    is_new = arrays.ones(len(codes), dtype=bool)
    is_new[1:] = codes[1:] != codes[:-1]
    return codes[is_new].astype(np.int64)


def agreeing(sketches: Any, codes: Any, arrays: Any = np) -> Any:
    """Return the pairs whose sketches agree in enough hashes."""
    count, kept = len(sketches), [arrays.zeros(0, dtype=np.int64)]
    for part in _parts(codes, _CHUNK[arrays is np] // 32):
        equal = (sketches[part // count] == sketches[part % count]).sum(axis=1)
        kept.append(part[equal >= MIN_AGREEMENT])
    return arrays.concatenate(kept)


def shared_tokens(pieces: Pieces, first: Any, second: Any, arrays: Any = np) -> Any:
    """Return an upper bound of the tokens that both pieces of each pair have: tokens may share a bin."""
    bins = _histograms(pieces, arrays)
    shared = [arrays.zeros(0, dtype=np.int64)]
    size = _CHUNK[arrays is np] // 16
    for one, other in zip(_parts(first, size), _parts(second, size), strict=True):
        shared.append(arrays.minimum(bins[one], bins[other]).sum(axis=1, dtype=np.int64))
    return arrays.concatenate(shared)


def _histograms(pieces: Pieces, arrays: Any) -> Any:
    """Return how many tokens of each piece fall into each of `_BINS` bins."""
    result = arrays.empty((len(pieces), _BINS), dtype=np.uint16)
    for start in range(0, len(pieces), 2**16):
        end = min(start + 2**16, len(pieces))
        tokens = arrays.asarray(pieces.exact[pieces.starts[start] : pieces.starts[end]])
        owner = arrays.asarray(np.repeat(np.arange(end - start), pieces.lengths[start:end]))
        places = owner * _BINS + (tokens * _GOLDEN >> _BINS_SHIFT).astype(np.int64)
        counted = arrays.bincount(places, minlength=(end - start) * _BINS)
        result[start:end] = arrays.minimum(counted, 2**16 - 1).reshape(-1, _BINS)
    return result


def _parts(values: Any, size: int) -> Iterator[Any]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
