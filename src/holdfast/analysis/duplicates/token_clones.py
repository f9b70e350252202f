"""Exact and renamed clones: stretches of lines with the same tokens, or the same but for names and literals.

Contract:
- Exact fragments have the same tokens: layout and comments may differ, nothing else.
- Renamed fragments have the same keywords and signs. Names may differ where the difference is consistent: two
  places of a fragment have the same name exactly where their counterparts do. A number stands for any
  number and a string for any string. Fragments that are all exactly alike are no renamed clone.
- A fragment has at least three tokens for each line that was asked for. A renamed one has a name for each of
  them, and six tokens, or three and a half where keywords show that it does something: lists of plain
  assignments and tables of literals are alike by nature.
- Of code that repeats itself at once one class is reported, not one for each line that it may begin with.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from holdfast.analysis.duplicates.clone import CloneClass, CloneKind, CloneQuery, Fragment
from holdfast.analysis.duplicates.matches import Matches, matches
from holdfast.analysis.duplicates.windows import Corpus, Numbers, Text
from holdfast.syntax.lexer import KEYWORD, TokenKind

_EXACT_TOKENS, _RENAMED_TOKENS, _PLAIN_TOKENS = 3.0, 3.5, 6.0
"""How many tokens a fragment has at least for each line that was asked for."""
_KEYWORDS = 2
_CELLS = 2_000_000
_DECIMALS = 3


def exact_clones(corpus: Corpus, wanted: CloneQuery) -> Iterator[CloneClass]:
    """Yield the classes of fragments that have the same tokens."""
    text = corpus.exact()
    found = _without_echoes(
        corpus, matches(corpus, text, int(wanted.min_lines * _EXACT_TOKENS), wanted.min_lines)
    )
    return _classes(corpus, text, found, "exact", np.ones(len(found.places)))


def renamed_clones(corpus: Corpus, wanted: CloneQuery) -> Iterator[CloneClass]:
    """Yield the classes of fragments that differ in names and literals, and in them alone."""
    text = corpus.renamed()
    found = matches(corpus, text, int(wanted.min_lines * _RENAMED_TOKENS), wanted.min_lines)
    found = _without_echoes(corpus, found.only(_has_substance(corpus, found, wanted.min_lines)))
    shares = _shares(corpus, found)
    differ = np.minimum.reduceat(shares, found.bounds[:-1]) < 1 if len(shares) else np.zeros(0, np.bool_)
    return _classes(corpus, text, found.only(differ), "renamed", shares[np.repeat(differ, found.sizes)])


def _has_substance(corpus: Corpus, found: Matches, lines: int) -> np.typing.NDArray[np.bool_]:
    """Tell of which matches one may say that they are the same code with other names."""

    def count(marked: np.typing.NDArray[np.bool_]) -> Numbers:
        sums = np.zeros(corpus.size + 1, np.int32)
        np.cumsum(marked, out=sums[1:])
        counted: Numbers = sums[found.leaders + found.lengths] - sums[found.leaders]
        return counted

    is_active = count(corpus.tokens.exact & KEYWORD != 0) >= _KEYWORDS
    is_long = found.lengths >= lines * _PLAIN_TOKENS
    return (count(corpus.tokens.kind == TokenKind.NAME) >= lines) & (is_active | is_long)


def _without_echoes(corpus: Corpus, found: Matches) -> Matches:
    """Leave out what a run of repetitions in a file gives again, begun at another of its lines."""
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


def _shares(corpus: Corpus, found: Matches) -> np.typing.NDArray[np.float64]:
    """Return for each fragment the share of tokens whose text is that of the first one's."""
    exact = corpus.tokens.exact
    leaders, lengths = (np.repeat(row, found.sizes) for row in (found.leaders, found.lengths))
    shares = np.ones(len(leaders))
    done = np.cumsum(lengths)
    at = 0
    while at < len(leaders):
        before = done[at] - lengths[at]
        until = max(at + 1, int(np.searchsorted(done, before + _CELLS)))
        some = lengths[at:until]
        starts = done[at:until] - some - before
        offsets = np.arange(some.sum()) - np.repeat(starts, some)
        same = (
            exact[np.repeat(found.places[at:until], some) + offsets]
            == exact[np.repeat(leaders[at:until], some) + offsets]
        )
        shares[at:until] = np.add.reduceat(same, starts, dtype=np.int64) / some
        at = until
    return shares


def _classes(
    corpus: Corpus, text: Text, found: Matches, kind: CloneKind, shares: np.typing.NDArray[np.float64]
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
        said = f"{kind} {corpus.family_names[families[at]]} ".encode() + _normalised(text, leader, length)
        yield CloneClass(
            blake2b(said, digest_size=8).hexdigest(),
            kind,
            means[at],
            tuple(fragments[bounds[at] : bounds[at + 1]]),
        )


def _means(found: Matches, shares: np.typing.NDArray[np.float64]) -> list[float]:
    """Return how alike the others are to the first, on average."""
    if not len(shares):
        return []
    sums = np.add.reduceat(shares, found.bounds[:-1]) - 1
    means: list[float] = np.round(sums / (found.sizes - 1), _DECIMALS).tolist()
    return means


def _normalised(text: Text, place: int, length: int) -> bytes:
    """Return what all fragments of a class have in common."""
    base = text.base[place : place + length]
    if text.back is None:
        return base.tobytes()
    back = text.back[place : place + length]
    return base.tobytes() + (back * (back <= np.arange(length))).tobytes()
