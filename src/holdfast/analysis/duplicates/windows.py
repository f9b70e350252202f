"""Repeated windows of tokens: the seeds from which `matches.py` grows clones.

A window is the k tokens that follow the start of a line (a k-gram, or shingle). Its hash is polynomial, as in
Rabin and Karp's search: prefix sums give the hashes of all windows in one pass, and sorting them puts equal
windows side by side. For k = 4, the windows at these two lines are equal, and so are one group:

    total = rate + 1   # total = rate +
    total = rate + 2   # total = rate +

Renamed code is compared in Baker's *prev encoding* for parameterised matching: a name is its distance to its
previous occurrence in the window, 0 for the first one, and a literal is its kind. `x = x + 1` and
`sum = sum + 7` both become `0 = 2 + NUMBER`, but `x = y + 1` becomes `0 = 0 + NUMBER`.

Contract:
- A window contains neither an import nor the end of a file. Windows of a group have the same 64-bit hash.
- If equal windows overlap, as in a table, only the first of them counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.engine.token_stream import TokenTable
from holdfast.syntax.lexer import TokenKind

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_BASE = np.uint64(0x9E3779B97F4A7C15)
"""The base of the polynomial: 2**64 / φ, the increment of SplitMix64 (Steele, Lea and Flood, 2014)."""
_MIXER = np.uint64(0xD6E8FEB86659FD93)
"""An odd number with evenly spread bits, the multiplier of degski's 64-bit integer hash."""
_HALF = np.uint64(32)
_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
"""Languages whose code is compared with that of another language."""


class NormalisedText(NamedTuple):
    """The tokens of a project in the form in which they are compared."""

    base: NDArray[np.uint32]
    """The part of each token that must be equal: for renamed code, only the kind of a name or literal."""
    back: NDArray[np.int32] | None = None
    """The distance to the previous occurrence of the same name; 0 if there is none. None for exact code."""
    ahead: NDArray[np.int32] | None = None
    """The distance to the next occurrence of the same name; 0 if there is none."""


class WindowGroups(NamedTuple):
    """Groups of equal windows, one group after another; within a group, in the order of the text."""

    places: Numbers
    """The first token of each window."""
    starts: Numbers
    """The index in `places` of each group's first window, followed by the number of all windows."""
    heads: NDArray[np.bool_]
    """Whether a group starts a chain. A group with the same fragments one line further on continues it."""
    chain: Numbers
    """The group that starts each group's chain."""
    of_anchor: Numbers
    """The group of each possible window, -1 if the window occurs once."""


class CloneCorpus:
    """The tokens of a project, with their lines, files and language families."""

    def __init__(self, table: TokenTable) -> None:
        tokens = self.tokens = table.tokens
        self.table = table
        self.size = len(tokens.exact)
        self.starts = np.array(table.starts)
        is_first = np.ones(self.size + 1, np.bool_)
        is_first[1:-1] = tokens.line[1:] != tokens.line[:-1]
        is_first[self.starts] = True
        self.lines = np.flatnonzero(is_first)
        """The first token of each line, followed by the number of all tokens."""
        self._line_of = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
        self._bounds = np.union1d(self.starts, np.flatnonzero(tokens.kind == TokenKind.IMPORT))
        """The starts of files and the imports: no fragment extends across one."""
        self._part_of = np.repeat(np.arange(len(self._bounds) - 1, dtype=np.int32), np.diff(self._bounds))
        families = [_FAMILIES.get(language, language) for language in table.languages]
        self.family_names = sorted(set(families))
        numbers = {name: number for number, name in enumerate(self.family_names)}
        self.families = np.array([numbers[name] for name in families], np.uint64)

    @cached_property
    def powers(self) -> Hashes:
        """The powers of the hash base, one for each token."""
        powers = np.full(self.size, _BASE)
        powers[:1] = 1
        return np.cumprod(powers, out=powers)

    def lines_of(self, number: int) -> Numbers:
        """Return the first token of each line of a file, followed by the end of the file."""
        first, last = self._line_of[self.starts[number : number + 2]]
        return self.lines[first : last + 1]

    def file_of(self, places: Numbers) -> Numbers:
        """Return the number of the file that contains each place."""
        return np.searchsorted(self.starts, places, "right") - 1

    def stop(self, places: Numbers) -> Numbers:
        """Return where a fragment that starts at each place must end: at an import or the end of the file."""
        stops: Numbers = self._bounds[self._part_of[places] + 1]
        return stops

    def begin(self, places: Numbers) -> Numbers:
        """Return the first token that a fragment around each place may include."""
        bounds: Numbers = self._bounds[self._part_of[places]]
        begins: Numbers = bounds + (self.tokens.kind[bounds] == TokenKind.IMPORT)
        return begins

    def whole_lines(self, begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
        """Shrink ranges of tokens to whole lines; a range without any ends where it begins, or before."""
        lines = self._line_of[begins]
        first = np.where(
            self.lines[lines] == begins, begins, self.lines[np.minimum(lines + 1, len(self.lines) - 1)]
        )
        return first, self.lines[self._line_of[ends]]

    def code_lines(self, begins: Numbers, ends: Numbers) -> Numbers:
        """Return the number of lines that each range of tokens covers."""
        found: Numbers = self._line_of[ends - 1] - self._line_of[begins] + 1
        return found

    def exact(self) -> NormalisedText:
        """Return the tokens as they are written."""
        return NormalisedText(self.tokens.exact)

    def renamed(self) -> NormalisedText:
        """Return the tokens in prev encoding, which a consistent renaming does not change."""
        kind = self.tokens.kind
        names = np.flatnonzero(kind == TokenKind.NAME)
        order = np.sort(self.tokens.exact[names].astype(np.uint64) << _HALF | names.astype(np.uint64))
        places = (order & np.uint64(2**32 - 1)).astype(np.int64)
        repeated = np.flatnonzero(order[1:] >> _HALF == order[:-1] >> _HALF)
        earlier, later = places[repeated], places[repeated + 1]
        back, ahead = np.zeros(self.size, np.int32), np.zeros(self.size, np.int32)
        back[later] = ahead[earlier] = later - earlier
        base = np.where(kind == TokenKind.SIGN, self.tokens.exact, kind.astype(np.uint32))
        return NormalisedText(base, back, ahead)


def bounds_of(sizes: Numbers) -> Numbers:
    """Return the start of each of several consecutive ranges, followed by the end of the last."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))


def indices_of(starts: Numbers, sizes: Numbers) -> Numbers:
    """Return the indices of several ranges, one range after another."""
    bounds = bounds_of(sizes)
    indices: Numbers = np.repeat(starts - bounds[:-1], sizes) + np.arange(bounds[-1])
    return indices


def repeated_windows(corpus: CloneCorpus, text: NormalisedText, length: int) -> tuple[Numbers, WindowGroups]:
    """Return the starts of all windows of `length` tokens, and the groups of those that are equal."""
    anchors = corpus.lines[:-1]
    anchors = anchors[anchors + length <= corpus.stop(anchors)]
    anchors = anchors[corpus.tokens.kind[anchors] != TokenKind.IMPORT]
    hashes = _hashes(text, corpus.powers, anchors, length) + corpus.families[corpus.file_of(anchors)] * _MIXER
    order = np.argsort(hashes, kind="stable")
    order = order[_is_repeated(hashes[order])]
    hashes, places = hashes[order], anchors[order]
    is_apart = np.ones(len(order), np.bool_)
    is_apart[1:] = (hashes[1:] != hashes[:-1]) | (places[1:] - places[:-1] >= length)
    order, hashes = order[is_apart], hashes[is_apart]
    kept = _is_repeated(hashes)
    return anchors, _grouped(anchors, order[kept], hashes[kept])


def _hashes(text: NormalisedText, powers: Hashes, places: Numbers, length: int) -> Hashes:
    """Return the polynomial hash, modulo 2**64, of the window at each place."""
    size = len(text.base)
    codes = _mixed(text.base)
    beyond = np.zeros(1, np.uint64)
    if text.back is not None:
        near = np.flatnonzero((text.back > 0) & (text.back < length))
        distances = _mixed(text.back[near].astype(np.uint64) + np.uint64(2**32))
        codes[near] += distances
        # A distance that leads to before the start of the window is subtracted again: there the name is new.
        distances *= powers[near]
        change = np.zeros(size + 1, np.uint64)
        change[near - text.back[near] + 1] += distances
        change[near + 1] -= distances
        beyond = np.cumsum(change, out=change)[places]
    sums = np.zeros(size + 1, np.uint64)
    np.cumsum(np.multiply(codes, powers, out=codes), out=sums[1:])
    return (sums[places + length] - sums[places] - beyond) * powers[size - 1 - places]


def _mixed(numbers: NDArray[np.uint32] | NDArray[np.uint64] | NDArray[np.int32]) -> Hashes:
    mixed = numbers.astype(np.uint64) * _MIXER
    mixed ^= mixed >> _HALF
    mixed *= _MIXER
    return mixed


def _is_repeated(hashes: Hashes) -> NDArray[np.bool_]:
    """Return for each of sorted hashes whether it occurs more than once."""
    found = np.zeros(len(hashes), np.bool_)
    same = hashes[1:] == hashes[:-1]
    found[1:] |= same
    found[:-1] |= same
    return found


def _grouped(anchors: Numbers, order: Numbers, hashes: Hashes) -> WindowGroups:
    """Group repeated windows, and find the groups that start a chain."""
    begins = np.ones(len(order), np.bool_)
    begins[1:] = hashes[1:] != hashes[:-1]
    starts = np.append(np.flatnonzero(begins), len(order))
    sizes = np.diff(starts)
    of_anchor = np.full(len(anchors) + 1, -1, np.int64)
    of_anchor[order] = np.cumsum(begins) - 1
    after = of_anchor[order + 1]
    chain = np.arange(len(sizes))
    if len(sizes):
        least, most = np.minimum.reduceat(after, starts[:-1]), np.maximum.reduceat(after, starts[:-1])
        continued = np.flatnonzero((least == most) & (least >= 0))
        continued = continued[sizes[least[continued]] == sizes[continued]]
        chain[least[continued]] = continued
    heads = chain == np.arange(len(sizes))
    while not np.array_equal(further := chain[chain], chain):
        chain = further
    return WindowGroups(anchors[order], starts, heads, chain, of_anchor)
