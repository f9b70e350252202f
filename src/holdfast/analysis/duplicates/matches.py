"""Maximal matches: repeated windows, extended in both directions for as long as all fragments agree.

Seed and extend: each group of equal windows (`windows.py`) is compared token by token to the right and to the
left, all groups at once, in steps whose width doubles. The result is cut to whole lines. For windows of two
tokens, the seed here is `a b` in both places, the extended match `a b c d e f`, and the result the first
line:

    a b c d   # a b c d
    e f g h   # e f x y

In renamed code, identifiers are compared by the distance to their previous occurrence (Baker's prev encoding,
"Parameterized Pattern Matching", 1996). A distance that leads out of the fragment counts as a first
occurrence.

Contract:
- All fragments of a match agree: within the window by its 64-bit hash, beyond it token by token. No match can
  be extended by a line at either end, up to the bounds below.
- Fragments of a match do not overlap: in code that repeats itself, each repetition is a fragment.
- The work is bounded: after `_MAX_CELLS` comparisons, matches keep the length reached so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.windows import (
    CloneCorpus,
    NormalisedText,
    Numbers,
    WindowGroups,
    bounds_of,
    indices_of,
    repeated_windows,
)
from holdfast.kernel.call import current_call

_CELLS = 1_000_000
"""Tokens compared in one step: a chosen bound, so that its arrays take a few megabytes."""
_MAX_CELLS = 400_000_000
"""Tokens compared in all: a chosen bound on the time that highly repetitive code can take."""
_WIDTH, _WIDEST = 16, 1024
"""Tokens of each fragment in the first and in the widest step: chosen, as most extensions are short."""


class Matches(NamedTuple):
    """Matches with the places of their fragments; within a match, in the order of the text."""

    places: Numbers
    """The first token of each fragment."""
    bounds: Numbers
    """The index in `places` of each match's first fragment, followed by the number of all fragments."""
    lengths: Numbers
    """The number of tokens of each match's fragments."""

    @property
    def sizes(self) -> Numbers:
        """The number of fragments of each match."""
        return np.diff(self.bounds)

    @property
    def leaders(self) -> Numbers:
        """The first token of each match's first fragment."""
        return self.places[self.bounds[:-1]]

    def only(self, kept: NDArray[np.bool_]) -> Matches:
        """Return the matches that `kept` selects."""
        return _of_fragments(self.places, self.bounds, self.lengths, np.repeat(kept, self.sizes))


def maximal_matches(corpus: CloneCorpus, text: NormalisedText, min_tokens: int, min_lines: int) -> Matches:
    """Return the maximal matches of a text with at least that many tokens and lines."""
    anchors, windows = repeated_windows(corpus, text, min_tokens)
    comparison = _Comparison(text)
    heads, parts = np.flatnonzero(windows.heads), []
    while len(heads):
        places, bounds = _members(windows, heads)
        part, reached = _extended(corpus, comparison, places, bounds, min_tokens)
        parts.append(_in_lines(corpus, part, min_tokens, min_lines))
        # Every window may agree while the renaming becomes inconsistent across windows, so a match may end
        # inside a chain of consecutive windows. The first window after that end starts another match.
        following = np.searchsorted(anchors, reached - min_tokens, "right")
        after = windows.of_anchor[following]
        continues = (after >= 0) & (windows.chain[after] == windows.chain[heads])
        after, begun = after[continues], places[bounds[:-1]][continues]
        heads = np.unique(after[windows.places[windows.starts[after]] > begun])
    return _distinct(parts)


class _Comparison:
    """Compares the fragments of many matches at once."""

    def __init__(self, text: NormalisedText) -> None:
        self._text = text
        self._cells = 0

    def agreeing(
        self, first: Numbers, bounds: Numbers, limits: Numbers, inside: Numbers, step: int
    ) -> Numbers:
        """Return how many tokens of each match agree, up to its limit, from `first` on.

        The `step` is 1 to the right and -1 to the left. `inside` tokens on the other side agree already.
        """
        reached, width, call = np.zeros_like(limits), _WIDTH, current_call()
        active = np.flatnonzero(limits > 0)
        sizes = np.diff(bounds)
        while len(active) and self._cells < _MAX_CELLS:
            call.check()
            rows = bounds_of(sizes[active])
            wide = max(1, min(width, _CELLS // int(rows[-1])))
            self._cells += int(rows[-1]) * wide
            member = indices_of(bounds[active], sizes[active])
            begun = reached[active]
            places = first[member] + step * np.repeat(begun, sizes[active])
            agree = self._agree(places, rows, begun + inside[active], wide, step)
            gained = np.minimum(np.minimum.reduceat(agree, rows[:-1]), limits[active] - reached[active])
            reached[active] += gained
            active = active[(gained == wide) & (reached[active] < limits[active])]
            width = min(width * 2, _WIDEST)
        return reached

    def _agree(self, first: Numbers, rows: Numbers, inside: Numbers, wide: int, step: int) -> Numbers:
        """Return how many of the next `wide` tokens of each fragment equal those of its match's first one."""
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


def _members(windows: WindowGroups, heads: Numbers) -> tuple[Numbers, Numbers]:
    """Return the places of some groups, and the bounds of each group among them."""
    sizes = np.diff(windows.starts)[heads]
    return windows.places[indices_of(windows.starts[heads], sizes)], bounds_of(sizes)


def _extended(
    corpus: CloneCorpus, comparison: _Comparison, places: Numbers, bounds: Numbers, known: int
) -> tuple[Matches, Numbers]:
    """Return the maximal matches around windows of `known` tokens, and the ends of their first fragments."""
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


def _in_lines(corpus: CloneCorpus, found: Matches, min_tokens: int, min_lines: int) -> Matches:
    """Cut matches to the whole lines of their first fragment, and drop those that become too short."""
    begins = found.leaders
    first, last = corpus.whole_lines(begins, begins + found.lengths)
    places = found.places + np.repeat(first - begins, found.sizes)
    lengths = last - first
    ends = np.minimum(places + np.repeat(lengths, found.sizes), corpus.size)
    is_long = (corpus.code_lines(places, ends) >= min_lines) & np.repeat(lengths >= min_tokens, found.sizes)
    return _of_fragments(places, found.bounds, lengths, is_long)


def _of_fragments(places: Numbers, bounds: Numbers, lengths: Numbers, kept: NDArray[np.bool_]) -> Matches:
    """Return matches with the fragments that `kept` selects, without matches of fewer than two."""
    counts = np.add.reduceat(kept, bounds[:-1], dtype=np.int64) if len(lengths) else lengths
    remaining = counts > 1
    kept = kept & np.repeat(remaining, np.diff(bounds))
    return Matches(places[kept], bounds_of(counts[remaining]), lengths[remaining])


def _distinct(parts: list[Matches]) -> Matches:
    """Return all matches without repetitions, in the order of the text."""
    if not parts:
        nothing = np.zeros(0, np.int64)
        return Matches(nothing, np.zeros(1, np.int64), nothing)
    places = np.concatenate([part.places for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    sizes = np.concatenate([part.sizes for part in parts])
    bounds = bounds_of(sizes)
    keys = np.stack((places[bounds[:-1]], lengths, sizes))
    _, chosen = np.unique(keys, axis=1, return_index=True)
    members = indices_of(bounds[chosen], sizes[chosen])
    return Matches(places[members], bounds_of(sizes[chosen]), lengths[chosen])
