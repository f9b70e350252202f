"""Exact and renamed clones: lines with equal tokens, or with tokens that differ in names and literals alone.

`total = a + 1` and `sum = b + 2` would be renamed clones if they were longer. `x = x + 1` and `x = y + 1`
would not, because one name corresponds to two.

Contract:
- Exact fragments have the same tokens: only layout and comments differ.
- Renamed fragments have the same keywords, operators and brackets. The renaming is consistent: two names of a
  fragment are equal exactly if their counterparts are. Any number matches any number, any string any string.
  A group of equal fragments is exact, not renamed.
- A fragment is a sequence of whole statements, long enough, and mostly code that runs (`statements.py`).
- Code that repeats itself consecutively is one group, not one for each line at which a repetition may start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.clone import (
    COPY_SIMILARITY_DECIMALS,
    CloneKind,
    CloneQuery,
    Fragment,
    FragmentGroup,
    group_id,
)
from holdfast.analysis.duplicates.clone_corpus import (
    SIGN,
    Booleans,
    CloneCorpus,
    NormalisedText,
    bounds_from_sizes,
    indices_of_ranges,
    kinds_of,
    steps_of_ranges,
)
from holdfast.analysis.duplicates.matches import Matches, distinct_matches, with_enough_lines
from holdfast.analysis.duplicates.statements import Statements
from holdfast.kernel.call import current_call

MIN_EQUAL_VALUES = 0.6
"""The least share of equal names and literals of two lists of like statements: a judgement, by reading the
clones of Django and lazygit. Copies of a list differ in few, other lists in most."""

Similarities = NDArray[np.float64]
"""The similarity of each fragment to the first of its match: the share of equal tokens, from 0 to 1."""


def exact_clones(statements: Statements, query: CloneQuery) -> Iterator[FragmentGroup]:
    """Yield the groups of fragments with the same tokens."""
    corpus = statements.corpus
    text = corpus.exact_text()
    matches = _statement_matches(statements, text, query)
    return _fragment_groups(corpus, text, matches, "exact", np.ones(len(matches.positions)))


def renamed_clones(statements: Statements, query: CloneQuery) -> Iterator[FragmentGroup]:
    """Yield the groups of fragments that differ in names and literals alone."""
    corpus = statements.corpus
    text = corpus.renamed_text()
    matches = _statement_matches(statements, text, query)
    similarities, equal_values = _equal_shares(corpus, matches)
    is_renamed = np.minimum.reduceat(similarities, matches.bounds[:-1]) < 1
    is_renamed &= _are_no_like_lists(statements, matches, equal_values)
    similarities = similarities[np.repeat(is_renamed, matches.fragment_counts)]
    return _fragment_groups(corpus, text, matches.select(is_renamed), "renamed", similarities)


def _statement_matches(statements: Statements, text: NormalisedText, query: CloneQuery) -> Matches:
    """Return the maximal matches of a text, cut to whole statements that are long enough and run."""
    corpus = statements.corpus
    matches = with_enough_lines(corpus, statements.matches(text, query.min_tokens), query.min_lines)
    call = current_call()
    # The lines of a match are those of another fragment than the first if that has too few lines.
    first_rows = np.searchsorted(statements.starts, matches.first_positions)
    end_rows = corpus.rows_at(matches.first_positions + matches.lengths)
    possible = np.flatnonzero(statements.may_have_clones(first_rows, end_rows, query))
    cut = []
    for match, first, end in np.stack((possible, first_rows[possible], end_rows[possible]), 1).tolist():
        call.check()
        cut += [(match, *part) for part in statements.whole((first, end))]
    parts = np.array(cut, np.int64).reshape(-1, 3)
    parts = parts[statements.are_substantial(parts[:, 1], parts[:, 2], query)]
    numbers, starts, stops = parts[:, 0], statements.starts[parts[:, 1]], statements.starts[parts[:, 2]]
    counts = matches.fragment_counts[numbers]
    offsets = starts - matches.first_positions[numbers]
    fragments = indices_of_ranges(matches.bounds[numbers], counts)
    positions = matches.positions[fragments] + np.repeat(offsets, counts)
    return _without_shifted_repetitions(
        corpus, distinct_matches(Matches(positions, bounds_from_sizes(counts), stops - starts))
    )


def _without_shifted_repetitions(corpus: CloneCorpus, matches: Matches) -> Matches:
    """Drop matches that repeat a run of repetitions in a file, shifted by some lines.

    In `a b a b a b a b`, `a b` occurs four times, and `b a` three times at the same distance: one is enough.
    """
    firsts = matches.first_positions
    lasts = matches.positions[matches.bounds[1:] - 1]
    is_in_one_file = corpus.files_at(firsts) == corpus.files_at(lasts)
    # The fragments of a run need not touch: an incomplete last repetition shortens all of them.
    periods = matches.shortest_distances(corpus.size)
    has_small_gaps = periods - matches.lengths < matches.lengths
    runs = np.flatnonzero(is_in_one_file & has_small_gaps)
    by_period_and_start = runs[np.lexsort((firsts[runs], periods[runs]))]

    is_selected = np.ones(len(matches.lengths), np.bool_)
    run_period = run_end = -1
    for match in by_period_and_start.tolist():
        if periods[match] == run_period and firsts[match] < run_end:
            is_selected[match] = False
        else:
            run_period, run_end = periods[match], lasts[match] + matches.lengths[match]
    return matches.select(is_selected)


def _are_no_like_lists(statements: Statements, matches: Matches, equal_values: Similarities) -> Booleans:
    """Return for each match whether its rows vary, or most names and literals of its fragments are equal.

    Any list of like statements, such as the assignments of a constructor, is a renaming of any other.
    """
    corpus = statements.corpus
    firsts = matches.first_positions
    varied = statements.are_varied(corpus.rows_at(firsts), corpus.rows_at(firsts + matches.lengths))
    sums = np.add.reduceat(equal_values, matches.bounds[:-1]) - 1  # the first equals itself
    means = sums / (matches.fragment_counts - 1)
    no_lists: Booleans = varied | (means >= MIN_EQUAL_VALUES)
    return no_lists


def _equal_shares(corpus: CloneCorpus, matches: Matches) -> tuple[Similarities, Similarities]:
    """Return for each fragment the share of all tokens, and of names and literals, that equal the first's."""
    firsts = np.repeat(matches.first_positions, matches.fragment_counts)
    lengths = np.repeat(matches.lengths, matches.fragment_counts)
    shares, value_shares = np.ones(len(lengths)), np.ones(len(lengths))
    for step in steps_of_ranges(lengths):
        current_call().check()
        tokens = corpus.tokens[indices_of_ranges(matches.positions[step], lengths[step])]
        is_equal = tokens == corpus.tokens[indices_of_ranges(firsts[step], lengths[step])]
        is_value = kinds_of(tokens) != SIGN
        starts = bounds_from_sizes(lengths[step])[:-1]
        equal, values, equal_values = (
            np.add.reduceat(counted, starts, dtype=np.int64)
            for counted in (is_equal, is_value, is_equal & is_value)
        )
        shares[step] = equal / lengths[step]
        value_shares[step] = equal_values / np.maximum(values, 1)
    return shares, value_shares


def _fragment_groups(
    corpus: CloneCorpus, text: NormalisedText, matches: Matches, kind: CloneKind, similarities: Similarities
) -> Iterator[FragmentGroup]:
    """Yield each match as a clone group."""
    fragments = _fragments(corpus, matches, similarities)
    bounds, means = matches.bounds.tolist(), _mean_similarities(matches, similarities)
    files = corpus.files_at(matches.first_positions).tolist()
    starts, lengths = matches.first_positions.tolist(), matches.lengths.tolist()
    for match, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        content = f"{kind} {corpus.families[files[match]]} ".encode()
        content += _common_bytes(text, start, length)
        match_fragments = tuple(fragments[bounds[match] : bounds[match + 1]])
        yield FragmentGroup(group_id(content), kind, means[match], match_fragments)


def _fragments(corpus: CloneCorpus, matches: Matches, similarities: Similarities) -> list[Fragment]:
    lengths = np.repeat(matches.lengths, matches.fragment_counts)
    files = corpus.files_at(matches.positions).tolist()
    return list(
        map(
            Fragment,
            [corpus.paths[file] for file in files],
            corpus.lines_at(matches.positions).tolist(),
            corpus.end_lines_at(matches.positions + lengths - 1).tolist(),
            lengths.tolist(),
            np.round(similarities, COPY_SIMILARITY_DECIMALS).tolist(),
        )
    )


def _mean_similarities(matches: Matches, similarities: Similarities) -> list[float]:
    """Return for each match the mean similarity of the other fragments to the first."""
    sums_of_others = np.add.reduceat(similarities, matches.bounds[:-1]) - 1  # the first equals itself
    means = sums_of_others / (matches.fragment_counts - 1)
    rounded: list[float] = np.round(means, COPY_SIMILARITY_DECIMALS).tolist()
    return rounded


def _common_bytes(text: NormalisedText, start: int, length: int) -> bytes:
    """Return the normalised tokens at a position, which are the same in all fragments of a group."""
    codes = text.codes(text.exact[start : start + length])
    if text.previous_distances is None:
        return codes.tobytes()
    distances = text.previous_distances[start : start + length]
    # A name whose previous occurrence is before the fragment is new.
    is_inside = distances <= np.arange(length)
    return codes.tobytes() + (distances * is_inside).tobytes()
