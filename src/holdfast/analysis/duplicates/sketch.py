"""MinHash sketches of pieces of code, and locality-sensitive hashing that finds pairs of them likely alike.

Contract:
- Everything is counted in whole numbers, with what NumPy and CuPy both have: both give the same pairs.
- The work grows with the number of pieces, not with that of their pairs: where a bucket is large, each piece
  is paired with the `NEIGHBOURS` next ones in it. The same pieces give the same pairs.
- This module needs NumPy and the standard library alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BANDS, ROWS = 64, 3
HASHES = BANDS * ROWS
NEIGHBOURS = 16
EXACT_GRAM, BLIND_GRAM = 2, 5
"""A sketch is of all runs of two tokens, and of all runs of five with names and values blinded: the former
tell apart what is merely built alike, the latter know again what was renamed."""
LEAST_AGREEMENT = 42
"""Of the 192 hashes: about two ninths of both pieces' grams are shared."""
_BINS_SHIFT, _BINS = np.uint32(25), 128
_MIX = np.uint64(0x9E3779B97F4A7C15)
_GOLDEN = np.uint32(0x9E3779B1)
_INDEX_BITS = 24
_SHIFT, _INDEX = np.uint64(_INDEX_BITS), np.uint64(2**_INDEX_BITS - 1)
_HALF = np.uint64(32)
_CHUNK = {True: 2**17, False: 2**24}
"""How many numbers are worked on at a time: what a processor's cache holds, or what keeps a device busy."""

Numbers = NDArray[Any]
Tick = Callable[[], None]
"""Called again and again while work goes on, so that somebody may end it."""


def _go_on() -> None:
    """Let work go on."""


@dataclass(frozen=True)
class Pieces:
    """The tokens of many pieces of code, one after the other."""

    exact: Numbers
    """A number for each token's text, of 32 bits."""
    blind: Numbers
    """The same, but one number for all names, one for all strings and one for all numbers."""
    starts: Numbers
    """Where each piece begins, and where the last one ends."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Numbers:
        """How many tokens each piece has."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class LikelyPairs:
    """Pairs of pieces whose sketches agree, sorted."""

    first: Numbers
    second: Numbers
    shared: Numbers
    """At least as many tokens as both have in common, in whatever order."""


def likely_pairs(pieces: Pieces, arrays: Any = np, tick: Tick = _go_on) -> LikelyPairs:
    """Return the pairs of pieces that are worth comparing, found with an array module: NumPy or CuPy."""
    if len(pieces) > _INDEX:
        raise ValueError(f"{len(pieces)} pieces are more than {_INDEX}.")
    sketches = signatures(pieces, arrays, tick)
    codes = agreeing(sketches, candidates(sketches, arrays, tick), arrays)
    first, second = codes // len(pieces), codes % len(pieces)
    shared = shared_tokens(pieces, first, second, arrays)
    return LikelyPairs(*(host(column, arrays).astype(np.int64) for column in (first, second, shared)))


def host(values: Any, arrays: Any) -> Numbers:
    """Return an array of the array module as one of NumPy."""
    result: Numbers = values if arrays is np else arrays.asnumpy(values)
    return result


def hashed_grams(tokens: Any, length: int, arrays: Any = np) -> Any:
    """Return a number for every run of so many tokens, by where it begins; the last ones go round."""
    grams = arrays.zeros(tokens.shape, dtype=np.uint32)
    for offset in range(length):
        grams = (grams ^ arrays.roll(tokens, -offset)) * _GOLDEN
        grams ^= grams >> np.uint32(15)
    return grams


def signatures(pieces: Pieces, arrays: Any = np, tick: Tick = _go_on) -> Any:
    """Return the sketch of every piece: of each of many hashes the smallest among its grams."""
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
        words = arrays.concatenate(
            [
                values[begins + arrays.minimum(steps, arrays.maximum(sizes - length, 0))]
                for length, values in grams
            ]
        )
        hashed = arrays.empty_like(words)
        sketch = arrays.empty((HASHES, len(rows)), dtype=np.uint32)
        for number in range(HASHES):
            arrays.multiply(words, factors[number], out=hashed)
            arrays.add(hashed, offsets[number], out=hashed)
            sketch[number] = hashed.min(axis=0)
        result[arrays.asarray(rows)] = sketch.T
    return result


def _hash_family() -> tuple[Numbers, Numbers]:
    """Return an odd factor and an offset for each hash, the same ones always."""
    numbers = np.arange(1, 2 * HASHES + 1, dtype=np.uint64) * _MIX
    numbers = (numbers ^ (numbers >> _HALF)) * _MIX >> _HALF
    words = numbers.astype(np.uint32)
    return words[:HASHES] | np.uint32(1), words[HASHES:]


def _chunks(order: Numbers, lengths: Numbers, most: int) -> Iterator[Numbers]:
    """Cut pieces that are sorted by their length into parts of so many tokens, padding included."""
    at = 0
    while at < len(order):
        # The last of a part is its longest: shrink the part until all of it, padded to that, fits.
        size = max(most // max(int(lengths[order[at]]), 1), 1)
        size = max(min(size, most // max(int(lengths[order[min(at + size, len(order)) - 1]]), 1)), 1)
        yield order[at : at + size]
        at += size


def candidates(sketches: Any, arrays: Any = np, tick: Tick = _go_on) -> Any:
    """Return the pairs that are equal in all rows of a band, each as `first * count + second`, sorted."""
    count = len(sketches)
    index = arrays.arange(count, dtype=np.uint64)
    found = [arrays.zeros(0, dtype=np.uint64)]
    for band in range(BANDS):
        tick()
        key = arrays.zeros(count, dtype=np.uint64)
        for row in range(band * ROWS, (band + 1) * ROWS):
            key = (key ^ sketches[:, row].astype(np.uint64)) * _MIX
            key ^= key >> _HALF
        # The low bits are the piece's number: in a large bucket those near each other are neighbours.
        key = arrays.sort((key & ~_INDEX) | index)
        bucket, member = key >> _SHIFT, key & _INDEX
        for step in range(1, min(NEIGHBOURS, count - 1) + 1):
            near = arrays.flatnonzero(bucket[step:] == bucket[:-step])
            if not len(near):
                break
            one, other = member[near], member[near + step]
            found.append(arrays.minimum(one, other) * np.uint64(count) + arrays.maximum(one, other))
    codes = arrays.sort(arrays.concatenate(found))  # `unique` hashes in NumPy, which takes far longer
    is_new = arrays.ones(len(codes), dtype=bool)
    is_new[1:] = codes[1:] != codes[:-1]
    return codes[is_new].astype(np.int64)


def agreeing(sketches: Any, codes: Any, arrays: Any = np) -> Any:
    """Return those of the pairs whose sketches are equal in enough hashes."""
    count, kept = len(sketches), [arrays.zeros(0, dtype=np.int64)]
    for part in _parts(codes, _CHUNK[arrays is np] // 32):
        equal = (sketches[part // count] == sketches[part % count]).sum(axis=1)
        kept.append(part[equal >= LEAST_AGREEMENT])
    return arrays.concatenate(kept)


def shared_tokens(pieces: Pieces, first: Any, second: Any, arrays: Any = np) -> Any:
    """Return for each pair how many tokens both have, or somewhat more where tokens share a bin."""
    bins = _histograms(pieces, arrays)
    shared = [arrays.zeros(0, dtype=np.int64)]
    size = _CHUNK[arrays is np] // 16
    for one, other in zip(_parts(first, size), _parts(second, size), strict=True):
        shared.append(arrays.minimum(bins[one], bins[other]).sum(axis=1, dtype=np.int64))
    return arrays.concatenate(shared)


def _histograms(pieces: Pieces, arrays: Any) -> Any:
    """Return how many tokens of each piece fall into each of a few bins."""
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
