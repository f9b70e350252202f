"""Repeated windows of tokens: the seeds from which `matches.py` extends clones.

A window is the k tokens from the start of a line (a k-gram, or shingle). Its hash is polynomial, as in
Rabin-Karp search: prefix sums give the hashes of all windows in one pass, and sorting them puts equal windows
next to each other. For k = 4, the windows at these two lines are equal and form a group:

    total = rate + 1   # total = rate +
    total = rate + 2   # total = rate +

Renamed code is compared in Baker's *prev encoding* for parameterised matching: a name becomes its distance to
its previous occurrence in the window, 0 if there is none, and a literal becomes its kind. `x = x + 1` and
`sum = sum + 7` both become `0 = 2 + NUMBER`, but `x = y + 1` becomes `0 = 0 + NUMBER`.

A *position* is the index of a token among the tokens of all files.

Contract:
- A window contains no import and does not cross the end of a file.
- The windows of a group have the same 64-bit hash and do not overlap: of equal windows that overlap, as in a
  table, only the first is in the group.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.engine.token_stream import TokenTable
from holdfast.syntax.lexer import TokenKind

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Hashes = NDArray[np.uint64]

_HASH_BASE = np.uint64(0x9E3779B97F4A7C15)
"""The base of the polynomial: 2**64 / φ, the increment of SplitMix64 (Steele, Lea and Flood, 2014)."""
_MIXER = np.uint64(0xD6E8FEB86659FD93)
"""An odd number with evenly spread bits, the multiplier of degski's 64-bit integer hash."""
_HALF_WORD_BITS = np.uint64(32)
_LANGUAGE_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
"""The family of each language whose code is also compared with another language's."""


class NormalisedText(NamedTuple):
    """The tokens of a project in the form in which they are compared; each array has one item per token."""

    codes: NDArray[np.uint32]
    """Numbers that are equal for equal tokens. In renamed code, a name or literal has only its kind."""
    previous_distances: NDArray[np.int32] | None = None
    """The distance to the previous occurrence of the same name, 0 if there is none. None for exact code."""
    next_distances: NDArray[np.int32] | None = None
    """The distance to the next occurrence of the same name, 0 if there is none. None for exact code."""


class WindowGroups(NamedTuple):
    """Groups of equal windows, and chains of groups.

    Two groups are consecutive in a chain if each window of the second starts one line after a window of the
    first. A chain of groups is what a clone that is longer than a window leaves.
    """

    positions: Integers
    """The first token of each window: one group after another, each in the order of the text."""
    bounds: Integers
    """The index in `positions` of each group's first window, followed by the number of windows."""
    chain_heads: Integers
    """The first group of each group's chain, as a group number."""
    group_of_anchor: Integers
    """The group of the window at each anchor, -1 if its window occurs once; ends with an additional -1."""

    @property
    def heads(self) -> Integers:
        """The groups that are the first of their chains."""
        return np.flatnonzero(self.chain_heads == np.arange(len(self.chain_heads)))


class CloneCorpus:
    """The tokens of a project, with their lines, files and language families.

    A *segment* is a longest run of tokens without an import in one file; no fragment extends beyond one.
    """

    def __init__(self, table: TokenTable) -> None:
        tokens = self.tokens = table.tokens
        self.table = table
        self.size = len(tokens.exact)
        """The number of tokens."""
        self.file_starts = np.array(table.starts)
        """The first token of each file, followed by the number of tokens."""
        starts_line = np.ones(self.size + 1, np.bool_)
        starts_line[1:-1] = tokens.line[1:] != tokens.line[:-1]
        starts_line[self.file_starts] = True
        self.line_starts = np.flatnonzero(starts_line)
        """The first token of each line, followed by the number of tokens."""
        self._line_of_token = np.cumsum(starts_line, dtype=np.int32) - np.int32(1)
        imports = np.flatnonzero(tokens.kind == TokenKind.IMPORT)
        self._segment_bounds = np.union1d(self.file_starts, imports)
        """The start of each segment, or the import just before it; followed by the number of tokens."""
        segments = np.arange(len(self._segment_bounds) - 1, dtype=np.int32)
        self._segment_of_token = np.repeat(segments, np.diff(self._segment_bounds))
        families = [_LANGUAGE_FAMILIES.get(language, language) for language in table.languages]
        self.family_names = sorted(set(families))
        numbers = {name: number for number, name in enumerate(self.family_names)}
        self.file_families = np.array([numbers[name] for name in families], np.uint64)
        """The language family of each file, as an index in `family_names`."""

    @cached_property
    def hash_powers(self) -> Hashes:
        """The powers of the hash base from 0 on, one for each token."""
        powers = np.full(self.size, _HASH_BASE)
        powers[:1] = 1
        return np.cumprod(powers, out=powers)

    def file_line_starts(self, file: int) -> Integers:
        """Return the first token of each line of a file, followed by the end of the file."""
        first, last = self._line_of_token[self.file_starts[file : file + 2]]
        return self.line_starts[first : last + 1]

    def files_at(self, positions: Integers) -> Integers:
        """Return the number of the file that contains each position."""
        return np.searchsorted(self.file_starts, positions, "right") - 1

    def segment_ends(self, positions: Integers) -> Integers:
        """Return where the segment at each position ends: at an import or the end of the file."""
        ends: Integers = self._segment_bounds[self._segment_of_token[positions] + 1]
        return ends

    def segment_starts(self, positions: Integers) -> Integers:
        """Return the first token of the segment at each position."""
        bounds: Integers = self._segment_bounds[self._segment_of_token[positions]]
        starts: Integers = bounds + (self.tokens.kind[bounds] == TokenKind.IMPORT)
        return starts

    def shrink_to_lines(self, starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
        """Shrink ranges of tokens to whole lines; a range without a whole line becomes empty or negative."""
        lines = self._line_of_token[starts]
        next_lines = np.minimum(lines + 1, len(self.line_starts) - 1)
        is_whole = self.line_starts[lines] == starts
        first = np.where(is_whole, starts, self.line_starts[next_lines])
        return first, self.line_starts[self._line_of_token[ends]]

    def line_counts(self, starts: Integers, ends: Integers) -> Integers:
        """Return the number of lines with tokens that each range of tokens covers."""
        counts: Integers = self._line_of_token[ends - 1] - self._line_of_token[starts] + 1
        return counts

    def exact_text(self) -> NormalisedText:
        return NormalisedText(self.tokens.exact)

    def renamed_text(self) -> NormalisedText:
        """Return the tokens in prev encoding, which a consistent renaming does not change."""
        exact, kind = self.tokens.exact, self.tokens.kind
        names = np.flatnonzero(kind == TokenKind.NAME)
        # One number for each name, sorted by its text in the upper half, then by its position in the lower.
        occurrences = np.sort(exact[names].astype(np.uint64) << _HALF_WORD_BITS | names.astype(np.uint64))
        texts = occurrences >> _HALF_WORD_BITS
        positions = (occurrences & np.uint64(2**32 - 1)).astype(np.int64)
        repeated = np.flatnonzero(texts[1:] == texts[:-1])
        earlier, later = positions[repeated], positions[repeated + 1]
        previous_distances, next_distances = np.zeros(self.size, np.int32), np.zeros(self.size, np.int32)
        previous_distances[later] = later - earlier
        next_distances[earlier] = later - earlier
        codes = np.where(kind == TokenKind.SIGN, exact, kind.astype(np.uint32))
        return NormalisedText(codes, previous_distances, next_distances)


def bounds_from_sizes(sizes: Integers) -> Integers:
    """Return where consecutive ranges start, followed by the end of the last: [2, 3] gives [0, 2, 5]."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))


def indices_of_ranges(starts: Integers, sizes: Integers) -> Integers:
    """Return the indices of several ranges: starts [7, 1] and sizes [2, 3] give [7, 8, 1, 2, 3]."""
    bounds = bounds_from_sizes(sizes)
    indices: Integers = np.repeat(starts - bounds[:-1], sizes) + np.arange(bounds[-1])
    return indices


def repeated_windows(corpus: CloneCorpus, text: NormalisedText, length: int) -> tuple[Integers, WindowGroups]:
    """Return the anchors, and the groups of equal windows of `length` tokens.

    Anchors are the line starts at which a window may start, in the order of the text.
    """
    line_starts = corpus.line_starts[:-1]
    has_room = line_starts + length <= corpus.segment_ends(line_starts)
    is_import = corpus.tokens.kind[line_starts] == TokenKind.IMPORT
    anchors = line_starts[has_room & ~is_import]
    hashes = _window_hashes(text, corpus.hash_powers, anchors, length)
    # Code is equal only within a language family.
    hashes += corpus.file_families[corpus.files_at(anchors)] * _MIXER
    # Anchor numbers, sorted by hash, then in the order of the text; windows that occur once are dropped.
    order = np.argsort(hashes, kind="stable")
    order = order[_is_repeated(hashes[order])]
    hashes, positions = hashes[order], anchors[order]
    is_apart = np.ones(len(order), np.bool_)
    is_apart[1:] = (hashes[1:] != hashes[:-1]) | (positions[1:] - positions[:-1] >= length)
    order, hashes = order[is_apart], hashes[is_apart]
    # Dropping overlapping windows may leave others that now occur once.
    is_repeated = _is_repeated(hashes)
    return anchors, _group_windows(anchors, order[is_repeated], hashes[is_repeated])


def _window_hashes(text: NormalisedText, powers: Hashes, positions: Integers, length: int) -> Hashes:
    """Return the polynomial hash, modulo 2**64, of the window at each position."""
    size = len(text.codes)
    codes = _mix(text.codes)
    excess: Hashes = np.zeros(1, np.uint64)
    if text.previous_distances is not None:
        distances = text.previous_distances
        names = np.flatnonzero((distances > 0) & (distances < length))
        terms = _mix(distances[names].astype(np.uint64) + np.uint64(2**32))
        codes[names] += terms
        # The distance of a name does not count in windows that start after its previous occurrence, up to the
        # name itself. A difference array sums the terms to subtract for every possible start of a window.
        terms *= powers[names]
        changes = np.zeros(size + 1, np.uint64)
        changes[names - distances[names] + 1] += terms
        changes[names + 1] -= terms
        excess = np.cumsum(changes, out=changes)[positions]
    sums = np.zeros(size + 1, np.uint64)
    np.cumsum(np.multiply(codes, powers, out=codes), out=sums[1:])
    hashes = sums[positions + length] - sums[positions] - excess
    # Equal windows at different positions differ by a power of the base: raise all to the same power.
    return hashes * powers[size - 1 - positions]


def _mix(numbers: NDArray[np.uint32] | NDArray[np.uint64]) -> Hashes:
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


def _group_windows(anchors: Integers, order: Integers, hashes: Hashes) -> WindowGroups:
    """Group windows with equal hashes; `order` has their anchor numbers, sorted by hash."""
    starts_group = np.ones(len(order), np.bool_)
    starts_group[1:] = hashes[1:] != hashes[:-1]
    bounds = np.append(np.flatnonzero(starts_group), len(order))
    group_of_anchor = np.full(len(anchors) + 1, -1, np.int64)
    group_of_anchor[order] = np.cumsum(starts_group) - 1
    chain_heads = _chain_heads(group_of_anchor[order + 1], bounds)
    return WindowGroups(anchors[order], bounds, chain_heads, group_of_anchor)


def _chain_heads(following_groups: Integers, bounds: Integers) -> Integers:
    """Return the first group of each group's chain, given the group that follows each window, or -1."""
    sizes = np.diff(bounds)
    heads = np.arange(len(sizes))
    if not len(sizes):
        return heads
    lowest = np.minimum.reduceat(following_groups, bounds[:-1])
    highest = np.maximum.reduceat(following_groups, bounds[:-1])
    # Groups whose windows are all followed by windows of one group, and by all windows of that group.
    continued = np.flatnonzero((lowest == highest) & (lowest >= 0))
    continued = continued[sizes[lowest[continued]] == sizes[continued]]
    heads[lowest[continued]] = continued
    # Pointer jumping: each pass doubles how far back in its chain a group refers.
    while True:
        further = heads[heads]
        if np.array_equal(further, heads):
            return heads
        heads = further
