"""Repeated windows of tokens: the seeds from which `matches.py` extends clones.

A window is the k tokens from the start of a line (a k-gram, or shingle). Its hash is polynomial, as in
Rabin-Karp search: prefix sums give the hashes of all windows in one pass, and sorting them puts equal windows
next to each other. For k = 4, the windows at these two lines are equal and form a group:

    total = rate + 1   # total = rate +
    total = rate + 2   # total = rate +

In renamed code (see `clone_corpus.py`), a name whose previous occurrence is before the window counts as new.

Contract:
- A window contains no import and does not cross the end of a file.
- The windows of a group have the same 64-bit hash and do not overlap: of equal windows that overlap, as in a
  table, only the first is in the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.clone import DEFAULT_MIN_TOKENS
from holdfast.analysis.duplicates.clone_corpus import (
    Booleans,
    CloneCorpus,
    Integers,
    NormalisedText,
    RowMark,
    family_number,
    segment_rows,
)

Hashes = NDArray[np.uint64]

_HASH_BASE = np.uint64(0x9E3779B97F4A7C15)
"""The base of the polynomial: 2**64 / φ, the increment of SplitMix64 (Steele, Lea and Flood, 2014)."""
_MIXER = np.uint64(0xD6E8FEB86659FD93)
"""An odd number with evenly spread bits, the multiplier of degski's 64-bit integer hash."""
_INVERSE_BASE = np.uint64(pow(int(_HASH_BASE), -1, 2**64))
_HALF_WORD_BITS = np.uint64(32)
_DISTANCE_OFFSET = np.uint64(2**32)
"""Added to the distances of names, as these would otherwise equal codes, which have 32 bits."""


class WindowGroups(NamedTuple):
    """Groups of equal windows, and chains of groups.

    Two groups are consecutive in a chain if each window of the second starts one line after a window of the
    first. A chain of groups is what a clone that is longer than a window leaves.
    """

    anchors: Integers
    """The line starts at which a window may start, in the order of the text."""
    positions: Integers
    """The first token of each window: one group after another, each in the order of the text."""
    bounds: Integers
    """The index in `positions` of each group's first window, followed by the number of windows."""
    chain_heads: Integers
    """The first group of each group's chain, as a group number."""
    group_of_anchor: Integers
    """The group of the window at each anchor, -1 if it is in none; ends with an additional -1."""

    @property
    def heads(self) -> Integers:
        """The groups that are the first of their chains."""
        return np.flatnonzero(self.chain_heads == np.arange(len(self.chain_heads)))


def repeated_windows(corpus: CloneCorpus, text: NormalisedText, length: int) -> WindowGroups:
    """Return the groups of equal windows of `length` tokens."""
    if length == DEFAULT_MIN_TOKENS:
        row_hashes = corpus.rows[window_column(text)]
    else:
        row_hashes = WindowHashes(length).of_rows(
            text, corpus.line_starts, corpus.file_rows, corpus.rows["marks"], corpus.families
        )
    with_window = np.flatnonzero(row_hashes)
    anchors, hashes = corpus.line_starts[with_window], row_hashes[with_window]
    # The numbers of the anchors of windows that occur repeatedly, by hash, then in the order of the text.
    # A stable order takes longer, and is only needed of those.
    by_hash = np.argsort(hashes)
    by_hash = np.sort(by_hash[_is_repeated(hashes[by_hash])])
    by_hash = by_hash[np.argsort(hashes[by_hash], kind="stable")]
    sorted_hashes, positions = hashes[by_hash], anchors[by_hash]
    is_apart = np.ones(len(by_hash), np.bool_)
    is_apart[1:] = (sorted_hashes[1:] != sorted_hashes[:-1]) | (np.diff(positions) >= length)
    by_hash = by_hash[is_apart]
    # Dropping overlapping windows may leave others that now occur once.
    by_hash = by_hash[_is_repeated(hashes[by_hash])]
    return _group_windows(anchors, by_hash, hashes[by_hash])


def window_column(text: NormalisedText) -> str:
    """Return the name of the column with the hashes of a text's windows of the default length."""
    return "exact_window" if text.previous_distances is None else "renamed_window"


class WindowHashes:
    """Computes the polynomial hashes of windows, modulo 2**64.

    They depend on the code of a window alone, not on its position.
    """

    def __init__(self, length: int) -> None:
        self._length = length
        self._powers = self._inverse_powers = np.ones(0, np.uint64)

    def of_rows(
        self,
        text: NormalisedText,
        row_starts: Integers,
        file_rows: Integers,
        marks: NDArray[np.uint8],
        families: Sequence[str],
    ) -> Hashes:
        """Return the hash of the window at the start of each row, 0 if there is none."""
        starts = row_starts[:-1]
        bounds = segment_rows(marks, file_rows)
        rows_of_segments = np.diff(np.append(bounds, len(starts)))
        ends = np.repeat(row_starts[np.append(bounds, len(starts))[1:]], rows_of_segments)
        has_window = (starts + self._length <= ends) & (marks & RowMark.IMPORT == 0)
        rows = np.flatnonzero(has_window)
        # Code is equal only within a language family.
        numbers = np.array([family_number(family) for family in families], np.uint64)
        hashes = np.zeros(len(starts), np.uint64)
        hashes[rows] = self._at(text, starts[rows]) + np.repeat(numbers, np.diff(file_rows))[rows] * _MIXER
        return hashes

    def _at(self, text: NormalisedText, positions: Integers) -> Hashes:
        """Return the hash of the window at each position."""
        size = len(text.exact)
        if size > len(self._powers):
            self._powers, self._inverse_powers = _powers(_HASH_BASE, size), _powers(_INVERSE_BASE, size)
        powers = self._powers[:size]
        terms = _mix(text.codes(text.exact))
        outside_terms: Hashes = np.zeros(1, np.uint64)
        if text.previous_distances is not None:
            distances = text.previous_distances
            names = np.flatnonzero((distances > 0) & (distances < self._length))
            name_terms = _mix(distances[names].astype(np.uint64) + _DISTANCE_OFFSET)
            terms[names] += name_terms
            # A distance does not count in windows that contain the name but not its previous occurrence.
            # A difference array sums the terms to subtract for every possible start of a window.
            # Its indices are distinct, as a name has one next occurrence.
            name_terms *= powers[names]
            changes = np.zeros(size + 1, np.uint64)
            changes[names - distances[names] + 1] += name_terms
            changes[names + 1] -= name_terms
            outside_terms = np.cumsum(changes, out=changes)[positions]
        # The terms of a window are the difference of two prefix sums.
        sums = np.zeros(size + 1, np.uint64)
        np.cumsum(np.multiply(terms, powers, out=terms), out=sums[1:])
        # Equal windows at different positions differ by a power of the base.
        hashes: Hashes = sums[positions + self._length] - sums[positions] - outside_terms
        return hashes * self._inverse_powers[positions]


def _powers(base: np.uint64, count: int) -> Hashes:
    powers = np.full(count, base)
    powers[:1] = 1
    return np.cumprod(powers, out=powers)


def _mix(numbers: NDArray[np.uint32] | NDArray[np.uint64]) -> Hashes:
    """Spread small numbers over all 64 bits, before they are summed."""
    hashes = numbers.astype(np.uint64) * _MIXER
    hashes ^= hashes >> _HALF_WORD_BITS
    hashes *= _MIXER
    return hashes


def _is_repeated(sorted_hashes: Hashes) -> Booleans:
    is_repeated = np.zeros(len(sorted_hashes), np.bool_)
    equals_next = sorted_hashes[1:] == sorted_hashes[:-1]
    is_repeated[1:] |= equals_next
    is_repeated[:-1] |= equals_next
    return is_repeated


def _group_windows(anchors: Integers, by_hash: Integers, hashes: Hashes) -> WindowGroups:
    """Group windows with equal hashes, given their hashes, sorted, and the numbers of their anchors."""
    starts_group = np.ones(len(by_hash), np.bool_)
    starts_group[1:] = hashes[1:] != hashes[:-1]
    bounds = np.append(np.flatnonzero(starts_group), len(by_hash))
    group_of_anchor = np.full(len(anchors) + 1, -1, np.int64)
    group_of_anchor[by_hash] = np.cumsum(starts_group) - 1
    chain_heads = _chain_heads(group_of_anchor[by_hash + 1], bounds)
    return WindowGroups(anchors, anchors[by_hash], bounds, chain_heads, group_of_anchor)


def _chain_heads(following_groups: Integers, bounds: Integers) -> Integers:
    """Return the first group of each group's chain, given the group that follows each window, or -1."""
    sizes = np.diff(bounds)
    heads = np.arange(len(sizes))
    lowest = np.minimum.reduceat(following_groups, bounds[:-1])
    highest = np.maximum.reduceat(following_groups, bounds[:-1])
    # The groups whose windows are all followed by windows of one group, and by all windows of that group.
    continued = np.flatnonzero((lowest == highest) & (lowest >= 0))
    continued = continued[sizes[lowest[continued]] == sizes[continued]]
    heads[lowest[continued]] = continued
    # Pointer jumping: each pass doubles how far back in its chain a group refers.
    while True:
        further = heads[heads]
        if np.array_equal(further, heads):
            return heads
        heads = further
