"""Which places of a project begin alike: windows of tokens hashed, sorted and put into groups.

Contract:
- A window begins where a line does and holds neither an import nor the end of a file. Windows of one group
  have the same hash of 64 bits.
- Renamed windows are hashed by what stays under a consistent renaming: of a literal its kind, of a name how
  many tokens before it the same one stands in that window (Baker's encoding of parameterised matches).
- Of windows that overlap their own like, as in a table, only the first counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.engine.token_stream import TokenTable
from holdfast.syntax.lexer import Kind

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIXER = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
"""Languages in which a copy may stand in the other's file; all others are compared with themselves alone."""


class Text(NamedTuple):
    """The tokens of a project, normalised in one way."""

    base: NDArray[np.uint32]
    """What has to be equal of a token in any case."""
    back: NDArray[np.int32] | None = None
    """How many tokens before it the same name stands; 0 for the first, and for what is no name."""
    ahead: NDArray[np.int32] | None = None
    """How many tokens after it the same name stands; 0 for the last, and for what is no name."""


class Groups(NamedTuple):
    """Places that begin alike, group by group, in the order of the text within each."""

    places: Numbers
    starts: Numbers
    """Where each group begins among the places; one more at the end."""
    heads: NDArray[np.bool_]
    """Whether a group does not merely go on, line by line, with what an earlier group began."""
    chain: Numbers
    """Which group began what this one goes on with."""
    of_anchor: Numbers
    """The group of each anchor, -1 where it is alone."""


class Corpus:
    """The tokens of a project with what is asked of them again and again."""

    def __init__(self, table: TokenTable) -> None:
        tokens = self.tokens = table.tokens
        self.table = table
        self.size = len(tokens.exact)
        self.starts = np.array(table.starts)
        is_first = np.ones(self.size + 1, np.bool_)
        is_first[1:-1] = tokens.line[1:] != tokens.line[:-1]
        is_first[self.starts] = True
        self.lines = np.flatnonzero(is_first)
        """The first token of each line; the one after the last is one."""
        self._line_of = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
        self._bounds = np.union1d(self.starts, np.flatnonzero(tokens.kind == Kind.IMPORT))
        self._part_of = np.repeat(np.arange(len(self._bounds) - 1, dtype=np.int32), np.diff(self._bounds))
        """Which part of the text, from one bound to the next, each token is in."""
        named = [_FAMILIES.get(language, language) for language in table.languages]
        self.family_names = sorted(set(named))
        numbers = {name: number for number, name in enumerate(self.family_names)}
        self.families = np.array([numbers[name] for name in named], np.uint64)

    @cached_property
    def powers(self) -> Hashes:
        """The powers of the base of hashes, as many as there are tokens."""
        powers = np.full(self.size, _BASE)
        powers[:1] = 1
        return np.cumprod(powers, out=powers)

    def lines_of(self, number: int) -> Numbers:
        """Return the first token of each line of a file, and the one after its last."""
        first, last = self._line_of[self.starts[number : number + 2]]
        return self.lines[first : last + 1]

    def file_of(self, places: Numbers) -> Numbers:
        """Return the number of the file that each place is in."""
        return np.searchsorted(self.starts, places, "right") - 1

    def stop(self, places: Numbers) -> Numbers:
        """Return how far a fragment from each place may go: to the next import or the end of the file."""
        stops: Numbers = self._bounds[self._part_of[places] + 1]
        return stops

    def begin(self, places: Numbers) -> Numbers:
        """Return how far back a fragment from each place may be made longer."""
        bounds: Numbers = self._bounds[self._part_of[places]]
        begins: Numbers = bounds + (self.tokens.kind[bounds] == Kind.IMPORT)
        return begins

    def whole_lines(self, begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
        """Return the whole lines of stretches of tokens; what has none ends where it begins, or before."""
        lines = self._line_of[begins]
        first = np.where(
            self.lines[lines] == begins, begins, self.lines[np.minimum(lines + 1, len(self.lines) - 1)]
        )
        return first, self.lines[self._line_of[ends]]

    def code_lines(self, begins: Numbers, ends: Numbers) -> Numbers:
        """Return on how many lines stretches of tokens stand."""
        found: Numbers = self._line_of[ends - 1] - self._line_of[begins] + 1
        return found

    def exact(self) -> Text:
        """Return the tokens as they are written."""
        return Text(self.tokens.exact)

    def renamed(self) -> Text:
        """Return the tokens without what a renaming changes."""
        kind = self.tokens.kind
        names = np.flatnonzero(kind == Kind.NAME)
        order = np.sort(self.tokens.exact[names].astype(np.uint64) << _HALF | names.astype(np.uint64))
        places = (order & np.uint64(2**32 - 1)).astype(np.int64)
        again = np.flatnonzero(order[1:] >> _HALF == order[:-1] >> _HALF)
        earlier, later = places[again], places[again + 1]
        back, ahead = np.zeros(self.size, np.int32), np.zeros(self.size, np.int32)
        back[later] = ahead[earlier] = later - earlier
        return Text(np.where(kind == Kind.SIGN, self.tokens.exact, kind.astype(np.uint32)), back, ahead)


def groups(corpus: Corpus, text: Text, length: int) -> tuple[Numbers, Groups]:
    """Return where windows of so many tokens begin, and which of those begin alike."""
    anchors = corpus.lines[:-1]
    anchors = anchors[anchors + length <= corpus.stop(anchors)]
    anchors = anchors[corpus.tokens.kind[anchors] != Kind.IMPORT]
    hashes = _hashes(text, corpus.powers, anchors, length) + corpus.families[corpus.file_of(anchors)] * _MIXER
    order = np.argsort(hashes, kind="stable")
    order = order[_repeated(hashes[order])]
    hashes, places = hashes[order], anchors[order]
    apart = np.ones(len(order), np.bool_)
    apart[1:] = (hashes[1:] != hashes[:-1]) | (places[1:] - places[:-1] >= length)
    order, hashes = order[apart], hashes[apart]
    kept = _repeated(hashes)
    return anchors, _grouped(anchors, order[kept], hashes[kept])


def _hashes(text: Text, powers: Hashes, places: Numbers, length: int) -> Hashes:
    """Return a polynomial hash of the window at each place; all of them take one pass over the text."""
    size = len(text.base)
    codes = _mixed(text.base)
    beyond = np.zeros(1, np.uint64)
    if text.back is not None:
        near = np.flatnonzero((text.back > 0) & (text.back < length))
        said = _mixed(text.back[near].astype(np.uint64) + np.uint64(2**32))
        codes[near] += said
        # Where a window begins after the earlier place of a name, nothing is said of the later one.
        said *= powers[near]
        change = np.zeros(size + 1, np.uint64)
        change[near - text.back[near] + 1] += said
        change[near + 1] -= said
        beyond = np.cumsum(change, out=change)[places]
    sums = np.zeros(size + 1, np.uint64)
    np.cumsum(np.multiply(codes, powers, out=codes), out=sums[1:])
    return (sums[places + length] - sums[places] - beyond) * powers[size - 1 - places]


def _mixed(numbers: NDArray[np.uint32] | NDArray[np.uint64] | NDArray[np.int32]) -> Hashes:
    mixed = numbers.astype(np.uint64) * _MIXER
    mixed ^= mixed >> _HALF
    mixed *= _MIXER
    return mixed


def _repeated(hashes: Hashes) -> NDArray[np.bool_]:
    """Tell of sorted hashes which are there more than once."""
    found = np.zeros(len(hashes), np.bool_)
    same = hashes[1:] == hashes[:-1]
    found[1:] |= same
    found[:-1] |= same
    return found


def _grouped(anchors: Numbers, order: Numbers, hashes: Hashes) -> Groups:
    """Put repeated anchors into groups, and find the groups that begin something."""
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
        goes_on = np.flatnonzero((least == most) & (least >= 0))
        goes_on = goes_on[sizes[least[goes_on]] == sizes[goes_on]]
        chain[least[goes_on]] = goes_on
    heads = chain == np.arange(len(sizes))
    while not np.array_equal(further := chain[chain], chain):
        chain = further
    return Groups(anchors[order], starts, heads, chain, of_anchor)
