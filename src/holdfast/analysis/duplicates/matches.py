"""Maximal matches: repeated windows, extended in both directions for as long as all fragments agree.

Seed and extend: each group of equal windows (`windows.py`) is compared token by token to the right and to the
left, all groups at once, in steps whose width doubles. The result is cut to whole lines. For windows of two
tokens, the seed here is `a b` in both places, the extended match `a b c d e f`, and the result the first
line:

    a b c d   # a b c d
    e f g h   # e f x y

In renamed code, names are compared by the distance to their previous occurrence (Baker's prev encoding,
"Parameterized Pattern Matching", 1996). A distance that leads out of the fragment counts as a first
occurrence.

Contract:
- All fragments of a match agree: within the window by its 64-bit hash, beyond it token by token. No match can
  be extended by a line at either end, except beyond the limit on comparisons.
- Fragments of a match do not overlap: in code that repeats itself, each repetition is a fragment.
- The work is limited: after `_MAX_COMPARISONS`, each match keeps the length that it has reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.analysis.duplicates.clone_corpus import (
    COMPARISONS_PER_STEP,
    Booleans,
    CloneCorpus,
    Integers,
    NormalisedText,
    bounds_from_sizes,
    indices_of_ranges,
)
from holdfast.analysis.duplicates.windows import WindowGroups, repeated_windows
from holdfast.kernel.call import current_call

_MAX_COMPARISONS = 400_000_000
"""Tokens compared in all: a judgement. Without a limit, the time that highly repetitive code takes grows with
the square of its length; this many comparisons take seconds, not minutes."""
_FIRST_STEP_TOKENS = 16
"""Tokens by which the first step tries to extend a fragment: a judgement, as most extensions are short."""
_MAX_STEP_TOKENS = 1024
"""Tokens by which a step tries to extend a fragment: a judgement. Doubling the width up to here takes few
steps for long clones, and a clone that ends early wastes at most this many comparisons for each fragment."""


class Matches(NamedTuple):
    """Groups of fragments with the same tokens, by the positions of their fragments' first tokens."""

    positions: Integers
    """The first token of each fragment: one match after another, each in the order of the text."""
    bounds: Integers
    """The index in `positions` of each match's first fragment, followed by the number of fragments."""
    lengths: Integers
    """The number of tokens of each match's fragments."""

    @property
    def fragment_counts(self) -> Integers:
        return np.diff(self.bounds)

    @property
    def first_positions(self) -> Integers:
        """The first token of each match's first fragment."""
        return self.positions[self.bounds[:-1]]

    def shortest_distances(self, longest: int) -> Integers:
        """Return the shortest distance between consecutive fragments of each match, at most `longest`."""
        distances = np.diff(self.positions, append=0)
        distances[self.bounds[1:] - 1] = longest  # there is no next fragment
        shortest: Integers = np.minimum.reduceat(distances, self.bounds[:-1])
        return shortest

    def select(self, is_selected: Booleans) -> Matches:
        return self.select_fragments(np.repeat(is_selected, self.fragment_counts))

    def select_fragments(self, is_selected: Booleans) -> Matches:
        """Return the matches with only the marked fragments; a match with fewer than two is dropped."""
        counts = np.add.reduceat(is_selected, self.bounds[:-1], dtype=np.int64)
        is_match = counts > 1
        is_fragment = is_selected & np.repeat(is_match, self.fragment_counts)
        return Matches(
            self.positions[is_fragment], bounds_from_sizes(counts[is_match]), self.lengths[is_match]
        )


def maximal_matches(corpus: CloneCorpus, text: NormalisedText, min_tokens: int) -> list[Matches]:
    """Return the maximal matches of a text with at least that many tokens, in any order; some repeatedly."""
    windows = repeated_windows(corpus, text, min_tokens)
    extender = _Extender(text)
    groups = windows.heads
    parts = []
    while len(groups):
        matches = _extend(corpus, extender, _seeds(windows, groups, min_tokens))
        parts.append(_clip_to_lines(corpus, matches, min_tokens))
        # Every window of a chain may agree while the renaming becomes inconsistent from one window to the
        # next, so a match may end inside its chain. The first window that reaches beyond it is another seed.
        last_windows = matches.first_positions + matches.lengths - min_tokens
        next_groups = windows.group_of_anchor[np.searchsorted(windows.anchors, last_windows, "right")]
        groups = _next_seeds(windows, groups, next_groups)
    return parts


def with_enough_lines(corpus: CloneCorpus, parts: list[Matches], min_lines: int) -> Matches:
    """Return the fragments with at least that many lines, in the order of the text, and each match once."""
    return _merge([_with_enough_lines(corpus, part, min_lines) for part in parts])


def _with_enough_lines(corpus: CloneCorpus, matches: Matches, min_lines: int) -> Matches:
    ends = matches.positions + np.repeat(matches.lengths, matches.fragment_counts)
    return matches.select_fragments(corpus.line_counts(matches.positions, ends) >= min_lines)


class _Extender:
    """Extends many matches at once, and limits the total number of comparisons."""

    def __init__(self, text: NormalisedText) -> None:
        self._text = text
        self._next_distances = text.next_distances()
        self._comparisons = 0

    def extend(
        self, starts: Integers, bounds: Integers, limits: Integers, known_lengths: Integers, direction: int
    ) -> Integers:
        """Return by how many tokens each match can be extended.

        The direction is 1 to the right and -1 to the left. The first token to compare is given for each
        fragment, in `starts`. For each match, `limits` has the most tokens to add, and `known_lengths` the
        tokens on the other side of the start, which agree already.
        """
        extensions = np.zeros_like(limits)
        fragment_counts = np.diff(bounds)
        step_tokens = _FIRST_STEP_TOKENS
        # The numbers of the matches whose fragments have agreed so far, and may go on to agree.
        active = np.flatnonzero(limits > 0)
        while len(active) and self._comparisons < _MAX_COMPARISONS:
            current_call().check()
            # The fragments of the active matches become the rows of a table of tokens.
            counts, reached = fragment_counts[active], extensions[active]
            row_bounds = bounds_from_sizes(counts)
            row_count = int(row_bounds[-1])
            width = max(1, min(step_tokens, COMPARISONS_PER_STEP // row_count))
            self._comparisons += row_count * width
            fragments = indices_of_ranges(bounds[active], counts)
            next_tokens = starts[fragments] + direction * np.repeat(reached, counts)
            agreements = self._agreements(
                next_tokens, row_bounds, known_lengths[active] + reached, width, direction
            )
            # A match grows only as far as its shortest agreement, and stops unless that is the whole width.
            gains = np.minimum.reduceat(agreements, row_bounds[:-1])
            gains = np.minimum(gains, limits[active] - reached)
            extensions[active] += gains
            active = active[(gains == width) & (extensions[active] < limits[active])]
            step_tokens = min(step_tokens * 2, _MAX_STEP_TOKENS)
        return extensions

    def _agreements(
        self, starts: Integers, bounds: Integers, known_lengths: Integers, width: int, direction: int
    ) -> Integers:
        """Return how many of the next `width` tokens of each fragment equal its match's first fragment."""
        fragment_counts = np.diff(bounds)
        columns = np.arange(width)
        # A row is a fragment, and a column a token of it: row 3 is compared with row first_rows[3].
        first_rows = np.repeat(bounds[:-1], fragment_counts)
        # Positions outside the text are clipped: the caller cuts the result to its limits.
        positions = starts[:, None] + direction * columns
        codes = self._text.codes(self._text.exact.take(positions, mode="clip"))
        is_equal = codes == codes[first_rows]
        distances_of_text = self._text.previous_distances if direction > 0 else self._next_distances
        if distances_of_text is not None:
            distances = distances_of_text.take(positions, mode="clip")
            tokens_before = np.repeat(known_lengths, fragment_counts)[:, None] + columns
            distances[distances > tokens_before] = 0  # the other occurrence is outside the fragment
            is_equal &= distances == distances[first_rows]
        # The first column that differs. In a row without one, `argmin` returns a column that is equal; a look
        # there is faster than `is_equal.all(axis=1)`.
        agreements: Integers = is_equal.argmin(axis=1)
        agreements[is_equal[np.arange(len(is_equal)), agreements]] = width
        return agreements


def _seeds(windows: WindowGroups, groups: Integers, window_tokens: int) -> Matches:
    counts = np.diff(windows.bounds)[groups]
    positions = windows.positions[indices_of_ranges(windows.bounds[groups], counts)]
    return Matches(positions, bounds_from_sizes(counts), np.full(len(groups), window_tokens))


def _next_seeds(windows: WindowGroups, groups: Integers, next_groups: Integers) -> Integers:
    """Return those next groups that continue the chain of their group further on in the text."""
    is_in_chain = (next_groups >= 0) & (windows.chain_heads[next_groups] == windows.chain_heads[groups])
    groups, next_groups = groups[is_in_chain], next_groups[is_in_chain]
    first_windows = windows.positions[windows.bounds[groups]]
    is_later = windows.positions[windows.bounds[next_groups]] > first_windows
    return np.unique(next_groups[is_later])


def _extend(corpus: CloneCorpus, extender: _Extender, seeds: Matches) -> Matches:
    """Extend matches to the right, then to the left, as far as all their fragments agree."""
    first_rows = seeds.bounds[:-1]
    max_lengths = seeds.shortest_distances(corpus.size)  # fragments do not overlap
    space_right = np.minimum.reduceat(corpus.segment_ends(seeds.positions) - seeds.positions, first_rows)
    limits = np.minimum(space_right, max_lengths) - seeds.lengths
    next_tokens = seeds.positions + np.repeat(seeds.lengths, seeds.fragment_counts)
    lengths = seeds.lengths + extender.extend(next_tokens, seeds.bounds, limits, seeds.lengths, direction=1)

    space_left = np.minimum.reduceat(seeds.positions - corpus.segment_starts(seeds.positions), first_rows)
    limits = np.minimum(space_left, max_lengths - lengths)
    added_left = extender.extend(seeds.positions - 1, seeds.bounds, limits, lengths, direction=-1)
    positions = seeds.positions - np.repeat(added_left, seeds.fragment_counts)
    return Matches(positions, seeds.bounds, lengths + added_left)


def _clip_to_lines(corpus: CloneCorpus, matches: Matches, min_tokens: int) -> Matches:
    """Cut matches to the whole lines of their first fragment, and drop those that become too short."""
    counts, firsts = matches.fragment_counts, matches.first_positions
    clipped_firsts, clipped_ends = corpus.shrink_to_lines(firsts, firsts + matches.lengths)
    lengths = clipped_ends - clipped_firsts
    positions = matches.positions + np.repeat(clipped_firsts - firsts, counts)
    return Matches(positions, matches.bounds, lengths).select(lengths >= min_tokens)


def _merge(parts: list[Matches]) -> Matches:
    """Return all matches in the order of the text."""
    if not parts:
        nothing = np.zeros(0, np.int64)
        return Matches(nothing, bounds_from_sizes(nothing), nothing)
    counts = np.concatenate([part.fragment_counts for part in parts])
    positions = np.concatenate([part.positions for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    return distinct_matches(Matches(positions, bounds_from_sizes(counts), lengths))


def distinct_matches(matches: Matches) -> Matches:
    """Return the matches in the order of the text, and equal ones once.

    Several seeds in one clone may lead to the same match: the same first fragment and number of fragments.
    """
    counts = matches.fragment_counts
    # A column for each match, sorted by `unique`.
    keys = np.stack((matches.first_positions, matches.lengths, counts))
    _, distinct = np.unique(keys, axis=1, return_index=True)
    fragments = indices_of_ranges(matches.bounds[:-1][distinct], counts[distinct])
    return Matches(
        matches.positions[fragments], bounds_from_sizes(counts[distinct]), matches.lengths[distinct]
    )
