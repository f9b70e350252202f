"""Exact and renamed clones: lines with equal tokens, or with tokens that differ in names and literals alone.

`total = a + 1` and `sum = b + 2` are renamed clones, if longer. `x = x + 1` and `x = y + 1` are not, because
one name corresponds to two.

Contract:
- Exact fragments have the same tokens: only layout and comments differ.
- Renamed fragments have the same keywords and signs. The renaming is consistent: two names of a fragment are
  equal exactly if their counterparts are. Any number matches any number, any string any string. A class of
  equal fragments is exact, not renamed.
- A fragment has at least three tokens per requested line. A renamed one has a name per requested line, and
  six tokens, or three and a half if it has keywords: lists of plain assignments and tables of literals are
  similar by nature.
- Code that repeats itself consecutively is one class, not one for each line at which a repetition may start.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.clone import CloneClass, CloneKind, CloneQuery, Fragment
from holdfast.analysis.duplicates.matches import Matches, maximal_matches
from holdfast.analysis.duplicates.windows import CloneCorpus, NormalisedText, Numbers, indices_of
from holdfast.syntax.lexer import KEYWORD, TokenKind

_EXACT_TOKENS, _RENAMED_TOKENS, _PLAIN_TOKENS = 3.0, 3.5, 6.0
"""Tokens of a fragment per requested line: a judgement, tested by `bench/clones.py` (docs/accuracy.md)."""
_KEYWORDS = 2
"""Keywords that show that a short renamed fragment has control flow: a judgement."""
_CELLS = 2_000_000
"""Tokens compared in one step: a chosen bound, so that its arrays take a few megabytes."""
_DECIMALS = 3


def exact_clones(corpus: CloneCorpus, wanted: CloneQuery) -> Iterator[CloneClass]:
    """Yield the classes of fragments with the same tokens."""
    text = corpus.exact()
    found = maximal_matches(corpus, text, int(wanted.min_lines * _EXACT_TOKENS), wanted.min_lines)
    found = _without_shifted(corpus, found)
    return _classes(corpus, text, found, "exact", np.ones(len(found.places)))


def renamed_clones(corpus: CloneCorpus, wanted: CloneQuery) -> Iterator[CloneClass]:
    """Yield the classes of fragments that differ in names and literals alone."""
    text = corpus.renamed()
    found = maximal_matches(corpus, text, int(wanted.min_lines * _RENAMED_TOKENS), wanted.min_lines)
    found = _without_shifted(corpus, found.only(_is_substantial(corpus, found, wanted.min_lines)))
    shares = _shares(corpus, found)
    differ = np.minimum.reduceat(shares, found.bounds[:-1]) < 1 if len(shares) else np.zeros(0, np.bool_)
    return _classes(corpus, text, found.only(differ), "renamed", shares[np.repeat(differ, found.sizes)])


def _is_substantial(corpus: CloneCorpus, found: Matches, lines: int) -> NDArray[np.bool_]:
    """Return for each match whether it has enough names, and enough keywords or tokens."""

    def count(marked: NDArray[np.bool_]) -> Numbers:
        sums = np.zeros(corpus.size + 1, np.int32)
        np.cumsum(marked, out=sums[1:])
        counted: Numbers = sums[found.leaders + found.lengths] - sums[found.leaders]
        return counted

    is_active = count(corpus.tokens.exact & KEYWORD != 0) >= _KEYWORDS
    is_long = found.lengths >= lines * _PLAIN_TOKENS
    return (count(corpus.tokens.kind == TokenKind.NAME) >= lines) & (is_active | is_long)


def _without_shifted(corpus: CloneCorpus, found: Matches) -> Matches:
    """Drop matches that repeat a run of repetitions in a file, shifted by some lines."""
    if not len(found.lengths):
        return found
    gaps = np.diff(found.places, append=0)
    gaps[found.bounds[1:] - 1] = corpus.size
    periods = np.minimum.reduceat(gaps, found.bounds[:-1])
    last = found.places[found.bounds[1:] - 1]
    in_one_file = corpus.file_of(found.leaders) == corpus.file_of(last)
    leaders = found.leaders
    runs = np.flatnonzero(in_one_file & (periods < 2 * found.lengths))
    kept = np.ones(len(found.lengths), np.bool_)
    period = end = -1
    for at in runs[np.lexsort((leaders[runs], periods[runs]))].tolist():
        if periods[at] == period and leaders[at] < end:
            kept[at] = False
        else:
            period, end = periods[at], last[at] + found.lengths[at]
    return found.only(kept)


def _shares(corpus: CloneCorpus, found: Matches) -> NDArray[np.float64]:
    """Return for each fragment the share of its tokens that equal those of its class's first fragment."""
    exact = corpus.tokens.exact
    leaders, lengths = (np.repeat(row, found.sizes) for row in (found.leaders, found.lengths))
    shares = np.ones(len(leaders))
    ends = np.cumsum(lengths)
    at = 0
    while at < len(leaders):
        begun = ends[at] - lengths[at]
        until = max(at + 1, int(np.searchsorted(ends, begun + _CELLS)))
        sizes = lengths[at:until]
        same = exact[indices_of(found.places[at:until], sizes)] == exact[indices_of(leaders[at:until], sizes)]
        shares[at:until] = np.add.reduceat(same, ends[at:until] - sizes - begun, dtype=np.int64) / sizes
        at = until
    return shares


def _classes(
    corpus: CloneCorpus, text: NormalisedText, found: Matches, kind: CloneKind, shares: NDArray[np.float64]
) -> Iterator[CloneClass]:
    tokens, paths = corpus.tokens, corpus.table.paths
    last = found.places + np.repeat(found.lengths, found.sizes) - 1
    fragments = list(
        map(
            Fragment,
            map(paths.__getitem__, corpus.file_of(found.places).tolist()),
            tokens.line[found.places].tolist(),
            tokens.end_line[last].tolist(),
            np.repeat(found.lengths, found.sizes).tolist(),
            np.round(shares, _DECIMALS).tolist(),
        )
    )
    families = corpus.families[corpus.file_of(found.leaders)].tolist()
    bounds, means = found.bounds.tolist(), _means(found, shares)
    for at, (leader, length) in enumerate(zip(found.leaders.tolist(), found.lengths.tolist(), strict=True)):
        content = f"{kind} {corpus.family_names[families[at]]} ".encode() + _normalised(text, leader, length)
        digest = blake2b(content, digest_size=8).hexdigest()
        yield CloneClass(digest, kind, means[at], tuple(fragments[bounds[at] : bounds[at + 1]]))


def _means(found: Matches, shares: NDArray[np.float64]) -> list[float]:
    """Return for each match the mean similarity of the others to the first."""
    if not len(shares):
        return []
    sums = np.add.reduceat(shares, found.bounds[:-1]) - 1
    means: list[float] = np.round(sums / (found.sizes - 1), _DECIMALS).tolist()
    return means


def _normalised(text: NormalisedText, place: int, length: int) -> bytes:
    """Return the bytes that all fragments of a class share."""
    base = text.base[place : place + length]
    if text.back is None:
        return base.tobytes()
    back = text.back[place : place + length]
    return base.tobytes() + (back * (back <= np.arange(length))).tobytes()
