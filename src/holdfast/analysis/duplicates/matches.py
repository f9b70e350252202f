"""Maximal matches: stretches of whole lines that are equal, or equal but for a consistent renaming.

Contract:
- All fragments of a match agree: in the window that they were found by, of which hashes of 64 bits are equal,
  and beyond it token by token. None can be made longer by a line on either side with all of them still
  agreeing, but for the two bounds here.
- Fragments of one match do not overlap: where code repeats itself at once, a fragment is one repetition.
- The work is bounded: beyond `_MOST_CELLS` comparisons matches stay as long as they have become.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.windows import Corpus, Groups, Numbers, Text, groups
from holdfast.kernel.call import current_call

_CELLS = 1_000_000
"""How many tokens are compared at once."""
_MOST_CELLS = 400_000_000
_WIDTH, _WIDEST = 16, 1024


class Matches(NamedTuple):
    """Matches: fragments of equal length one after another, in the order of the text within each match."""

    places: Numbers
    """The first token of each fragment."""
    bounds: Numbers
    """Where each match begins among the places; one more at the end."""
    lengths: Numbers
    """The tokens of each match's fragments."""

    @property
    def sizes(self) -> Numbers:
        """How many fragments each match has."""
        return np.diff(self.bounds)

    @property
    def leaders(self) -> Numbers:
        """The first token of each match's first fragment."""
        return self.places[self.bounds[:-1]]

    def only(self, kept: NDArray[np.bool_]) -> Matches:
        """Return some of the matches."""
        return _of_fragments(self.places, self.bounds, self.lengths, np.repeat(kept, self.sizes))


def matches(corpus: Corpus, text: Text, least_tokens: int, least_lines: int) -> Matches:
    """Return the maximal matches of a text that have so many tokens and lines."""
    anchors, found = groups(corpus, text, least_tokens)
    comparison = _Comparison(text)
    heads, parts = np.flatnonzero(found.heads), []
    while len(heads):
        places, bounds = _members(found, heads)
        part, reached = _extended(corpus, comparison, places, bounds, least_tokens)
        parts.append(_in_lines(corpus, part, least_tokens, least_lines))
        # A renaming may end though every window agrees: the rest of the chain begins a match of its own.
        following = np.searchsorted(anchors, reached - least_tokens, "right")
        after = found.of_anchor[following]
        goes_on = (after >= 0) & (found.chain[after] == found.chain[heads])
        after, begun = after[goes_on], places[bounds[:-1]][goes_on]
        heads = np.unique(after[found.places[found.starts[after]] > begun])
    return _distinct(parts)


class _Comparison:
    """How far the fragments of many matches agree, all matches at once."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._cells = 0

    def agreeing(
        self, first: Numbers, bounds: Numbers, limits: Numbers, inside: Numbers, step: int
    ) -> Numbers:
        """Return how many tokens agree, from the first ones on or back, up to a limit for each match.

        So many tokens as `inside` says, on the other side of the first ones, are known to agree.
        """
        reached, width, call = np.zeros_like(limits), _WIDTH, current_call()
        active = np.flatnonzero(limits > 0)
        sizes = np.diff(bounds)
        while len(active) and self._cells < _MOST_CELLS:
            call.check()
            count = int(sizes[active].sum())
            wide = max(1, min(width, _CELLS // count))
            self._cells += count * wide
            rows = np.concatenate(([0], np.cumsum(sizes[active])))
            member = np.repeat(bounds[active] - rows[:-1], sizes[active]) + np.arange(count)
            begun = reached[active]
            places = first[member] + step * np.repeat(begun, sizes[active])
            agree = self._agree(places, rows, begun + inside[active], wide, step)
            gained = np.minimum(np.minimum.reduceat(agree, rows[:-1]), limits[active] - reached[active])
            reached[active] += gained
            active = active[(gained == wide) & (reached[active] < limits[active])]
            width = min(width * 2, _WIDEST)
        return reached

    def _agree(self, first: Numbers, rows: Numbers, inside: Numbers, wide: int, step: int) -> Numbers:
        """Return for each fragment how many of so many tokens are as in the first one of its match."""
        sizes, offsets = np.diff(rows), np.arange(wide)
        leaders = np.repeat(rows[:-1], sizes)
        places = first[:, None] + step * offsets
        values = self._text.base.take(places, mode="clip")
        same = values == values[leaders]
        distances = self._text.back if step > 0 else self._text.ahead
        if distances is not None:
            away = distances.take(places, mode="clip")
            away[away > np.repeat(inside, sizes)[:, None] + offsets] = 0
            same &= away == away[leaders]
        agree: Numbers = same.argmin(axis=1)
        agree[same[np.arange(len(same)), agree]] = wide
        return agree


def _members(found: Groups, heads: Numbers) -> tuple[Numbers, Numbers]:
    sizes = np.diff(found.starts)[heads]
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    at = np.repeat(found.starts[heads] - bounds[:-1], sizes) + np.arange(bounds[-1])
    return found.places[at], bounds


def _extended(
    corpus: Corpus, comparison: _Comparison, places: Numbers, bounds: Numbers, known: int
) -> tuple[Matches, Numbers]:
    """Return the matches around the places, as long as they go, and where their first fragments end."""
    heads = bounds[:-1]
    gaps = np.diff(places, append=places[-1] + corpus.size)
    gaps[bounds[1:] - 1] = corpus.size
    apart = np.minimum.reduceat(gaps, heads)
    room = np.minimum.reduceat(corpus.stop(places) - places, heads)
    limits = np.minimum(room, apart) - known
    inside = np.full_like(limits, known)
    after = comparison.agreeing(places + known, bounds, limits, inside, 1) + known
    room = np.minimum.reduceat(places - corpus.begin(places), heads)
    before = comparison.agreeing(places - 1, bounds, np.minimum(room, apart - after), after, -1)
    reached = places[heads] + after
    return Matches(places - np.repeat(before, np.diff(bounds)), bounds, before + after), reached


def _in_lines(corpus: Corpus, found: Matches, least_tokens: int, least_lines: int) -> Matches:
    """Return matches cut to whole lines of their first fragment, where enough is left of them."""
    begins = found.leaders
    first, last = corpus.whole_lines(begins, begins + found.lengths)
    places = found.places + np.repeat(first - begins, found.sizes)
    lengths = last - first
    ends = np.minimum(places + np.repeat(lengths, found.sizes), corpus.size)
    is_long = (corpus.code_lines(places, ends) >= least_lines) & np.repeat(
        lengths >= least_tokens, found.sizes
    )
    return _of_fragments(places, found.bounds, lengths, is_long)


def _of_fragments(places: Numbers, bounds: Numbers, lengths: Numbers, kept: NDArray[np.bool_]) -> Matches:
    """Return matches with only some of their fragments, where at least two are left."""
    counts = np.add.reduceat(kept, bounds[:-1], dtype=np.int64) if len(lengths) else lengths
    alive = counts > 1
    kept = kept & np.repeat(alive, np.diff(bounds))
    return Matches(places[kept], np.concatenate(([0], np.cumsum(counts[alive]))), lengths[alive])


def _distinct(parts: list[Matches]) -> Matches:
    """Return all matches, each once, in the order of the text."""
    if not parts:
        nothing = np.zeros(0, np.int64)
        return Matches(nothing, np.zeros(1, np.int64), nothing)
    places = np.concatenate([part.places for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    sizes = np.concatenate([part.sizes for part in parts])
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    keys = np.stack((places[bounds[:-1]], lengths, sizes))
    _, chosen = np.unique(keys, axis=1, return_index=True)
    taken = np.concatenate(([0], np.cumsum(sizes[chosen])))
    at = np.repeat(bounds[chosen] - taken[:-1], sizes[chosen]) + np.arange(taken[-1])
    return Matches(places[at], taken, lengths[chosen])
