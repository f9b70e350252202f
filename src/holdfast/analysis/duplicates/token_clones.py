"""Exact and renamed clones: lines with equal tokens, or with tokens that differ in names and literals alone.

`total = a + 1` and `sum = b + 2` would be renamed clones if they were longer. `x = x + 1` and `x = y + 1`
would not, because one name corresponds to two.

Contract:
- Exact fragments have the same tokens: only layout and comments differ.
- Renamed fragments have the same keywords, operators and brackets. The renaming is consistent: two names of a
  fragment are equal exactly if their counterparts are. Any number matches any number, any string any string.
  A group of equal fragments is exact, not renamed.
- For each requested line, an exact fragment has at least 3 tokens. A renamed one has at least 1 name and 6
  tokens; 3.5 tokens are enough if it has two keywords. Lists of plain assignments and tables of literals are
  similar by nature, and mostly shorter.
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
    Booleans,
    CloneCorpus,
    Integers,
    NormalisedText,
    bounds_from_sizes,
    indices_of_ranges,
)
from holdfast.analysis.duplicates.matches import COMPARISONS_PER_STEP, Matches, maximal_matches
from holdfast.syntax.lexer import KEYWORD, TokenKind

_EXACT_TOKENS_PER_LINE = 3.0
"""The fewest tokens of an exact fragment per requested line: a judgement, tested by `bench/clones.py`."""
_RENAMED_TOKENS_PER_LINE = 3.5
"""The fewest tokens of a renamed fragment per requested line: a judgement, tested by the same benchmark."""
PLAIN_TOKENS_PER_LINE = 6.0
"""The fewest tokens per requested line of a renamed fragment with fewer than `_MIN_KEYWORDS`: a judgement,
tested by the same benchmark. Without control flow, only longer code is unlikely to be similar by chance."""
_MIN_KEYWORDS = 2
"""Keywords that show that a short renamed fragment has control flow: a judgement. One may be a `return`."""

Similarities = NDArray[np.float64]
"""The similarity of each fragment to the first of its match: the share of equal tokens, from 0 to 1."""


def exact_clones(corpus: CloneCorpus, query: CloneQuery) -> Iterator[FragmentGroup]:
    """Yield the groups of fragments with the same tokens."""
    text = corpus.exact_text()
    min_tokens = int(query.min_lines * _EXACT_TOKENS_PER_LINE)
    matches = maximal_matches(corpus, text, min_tokens, query.min_lines)
    matches = _without_shifted_repetitions(corpus, matches)
    return _fragment_groups(corpus, text, matches, "exact", np.ones(len(matches.positions)))


def renamed_clones(corpus: CloneCorpus, query: CloneQuery) -> Iterator[FragmentGroup]:
    """Yield the groups of fragments that differ in names and literals alone."""
    text = corpus.renamed_text()
    min_tokens = int(query.min_lines * _RENAMED_TOKENS_PER_LINE)
    matches = maximal_matches(corpus, text, min_tokens, query.min_lines)
    matches = matches.select(_is_substantial(corpus, matches, query.min_lines))
    matches = _without_shifted_repetitions(corpus, matches)
    similarities = _equal_shares(corpus, matches)
    is_renamed = np.minimum.reduceat(similarities, matches.bounds[:-1]) < 1
    similarities = similarities[np.repeat(is_renamed, matches.fragment_counts)]
    return _fragment_groups(corpus, text, matches.select(is_renamed), "renamed", similarities)


def _is_substantial(corpus: CloneCorpus, matches: Matches, min_lines: int) -> Booleans:
    """Return for each match whether it has enough names, and enough keywords or tokens."""
    names = _count_in_first_fragments(matches, corpus.tokens.kind == TokenKind.NAME)
    keywords = _count_in_first_fragments(matches, corpus.tokens.exact & KEYWORD != 0)
    has_control_flow = keywords >= _MIN_KEYWORDS
    is_long = matches.lengths >= min_lines * PLAIN_TOKENS_PER_LINE
    return (names >= min_lines) & (has_control_flow | is_long)


def _count_in_first_fragments(matches: Matches, is_counted: Booleans) -> Integers:
    """Return how many tokens of each match's first fragment are marked, given a mark for every token."""
    counts_before = np.zeros(len(is_counted) + 1, np.int32)
    np.cumsum(is_counted, out=counts_before[1:])
    starts = matches.first_positions
    counts: Integers = counts_before[starts + matches.lengths] - counts_before[starts]
    return counts


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


def _equal_shares(corpus: CloneCorpus, matches: Matches) -> Similarities:
    """Return for each fragment the share of its tokens that equal those of its match's first fragment."""
    exact = corpus.tokens.exact
    firsts = np.repeat(matches.first_positions, matches.fragment_counts)
    lengths = np.repeat(matches.lengths, matches.fragment_counts)
    shares = np.ones(len(lengths))
    for step in _steps(lengths):
        tokens = exact[indices_of_ranges(matches.positions[step], lengths[step])]
        first_tokens = exact[indices_of_ranges(firsts[step], lengths[step])]
        starts = bounds_from_sizes(lengths[step])[:-1]
        equal_counts = np.add.reduceat(tokens == first_tokens, starts, dtype=np.int64)
        shares[step] = equal_counts / lengths[step]
    return shares


def _steps(lengths: Integers) -> Iterator[slice]:
    """Yield ranges of fragments to compare at once, of limited size to save memory, or of one fragment."""
    bounds = bounds_from_sizes(lengths)
    start = 0
    while start < len(lengths):
        last_bound = int(np.searchsorted(bounds, bounds[start] + COMPARISONS_PER_STEP, "right")) - 1
        stop = max(last_bound, start + 1)
        yield slice(start, stop)
        start = stop


def _fragment_groups(
    corpus: CloneCorpus, text: NormalisedText, matches: Matches, kind: CloneKind, similarities: Similarities
) -> Iterator[FragmentGroup]:
    """Yield each match as a clone group."""
    fragments = _fragments(corpus, matches, similarities)
    bounds, means = matches.bounds.tolist(), _mean_similarities(matches, similarities)
    families = corpus.file_families[corpus.files_at(matches.first_positions)].tolist()
    starts, lengths = matches.first_positions.tolist(), matches.lengths.tolist()
    for match, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        content = f"{kind} {corpus.family_names[families[match]]} ".encode()
        content += _common_bytes(text, start, length)
        match_fragments = tuple(fragments[bounds[match] : bounds[match + 1]])
        yield FragmentGroup(group_id(content), kind, means[match], match_fragments)


def _fragments(corpus: CloneCorpus, matches: Matches, similarities: Similarities) -> list[Fragment]:
    lengths = np.repeat(matches.lengths, matches.fragment_counts)
    files = corpus.files_at(matches.positions).tolist()
    return list(
        map(
            Fragment,
            [corpus.table.paths[file] for file in files],
            corpus.tokens.line[matches.positions].tolist(),
            corpus.tokens.end_line[matches.positions + lengths - 1].tolist(),
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
    codes = text.codes[start : start + length]
    if text.previous_distances is None:
        return codes.tobytes()
    distances = text.previous_distances[start : start + length]
    # A name whose previous occurrence is before the fragment is new.
    is_inside = distances <= np.arange(length)
    return codes.tobytes() + (distances * is_inside).tobytes()
