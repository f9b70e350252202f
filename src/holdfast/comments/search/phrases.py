"""Which words and gaps fit the pieces of a query, and at which of them two matches could touch.

Every match of a branch of several pieces contains the same seams between words and gaps, so there is at most
one for each place where the pieces fit. Where no other match can touch it, it is counted as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from holdfast.comments.search.sequence import REACH, WordRow
from holdfast.comments.search.shape import Branch, Kind, Piece
from holdfast.comments.search.vocabulary import AFTER, BEFORE, EDGE, FITS, Side, TooComplex

DOUBTFUL = 2
"""Added to `FITS` where a match touches another one, or where it is not known whether it is one."""
TOUCHING = 4
"""Added to `FITS` where another match may begin."""


@dataclass(frozen=True)
class Start:
    """What a phrase begins with: a word, or a gap before a word."""

    is_gap: bool
    word: bytearray


@dataclass(frozen=True)
class Phrase:
    """Words and gaps in turn, each with a table of what fits there."""

    words: list[bytearray | None]
    """The first and the last may be beyond a gap at the end, where any word may be."""
    gaps: list[bytearray]
    begins_with_gap: bool
    ends_with_gap: bool

    @property
    def length(self) -> int:
        """Return how many words belong to it."""
        return len(self.words) - self.begins_with_gap - self.ends_with_gap

    @property
    def start(self) -> Start:
        """Return what it begins with."""
        word = self.words[1 if self.begins_with_gap else 0]
        assert word is not None, "only words beyond a gap may be any"
        return Start(self.begins_with_gap, word)


def phrase_of(row: WordRow, branch: Branch, *, is_literal: bool) -> Phrase:
    """Return the words and gaps that fit a branch."""
    words: list[bytearray | None] = []
    gaps: list[bytearray] = []
    for place, piece in enumerate(branch):
        side = _side(branch, place)
        if piece.kind is Kind.WORD:
            words.append(row.vocabulary.fitting(str(piece.source), side, is_literal=is_literal))
            continue
        if place == 0:
            words.append(_beyond(row, piece))
        gaps.append(_fitting_gap(row, piece, side, is_literal=is_literal))
        if place == len(branch) - 1:
            words.append(_beyond(row, piece))
    if len(words) > REACH:
        raise TooComplex
    return Phrase(words, gaps, branch[0].kind is Kind.GAP, branch[-1].kind is Kind.GAP)


def _side(branch: Branch, place: int) -> Side:
    """Tell which side of its word or gap a piece fits; what is optional at the ends does not count."""
    if all(piece.is_optional for piece in branch[:place]):
        return Side.END
    return Side.BEGINNING if all(piece.is_optional for piece in branch[place + 1 :]) else Side.WHOLE


def _beyond(row: WordRow, gap: Piece) -> bytearray | None:
    """Return what fits beyond a gap at one end: anything, or no word, where it is the edge of the text."""
    if gap.source is not None:
        return None
    table = bytearray(len(row.vocabulary))
    table[BEFORE if gap.edge == "^" else AFTER] = FITS
    return table


def _fitting_gap(row: WordRow, piece: Piece, side: Side, *, is_literal: bool) -> bytearray:
    if piece.source is None:
        table = bytearray(256)
    else:
        table = row.gaps.fitting(piece.source, side, is_literal=is_literal)
    if piece.edge is not None:
        table[EDGE] = FITS
    return table


def marked(phrase: Phrase, inside: bytearray, others: list[Start]) -> Phrase:
    """Return the same phrase, with the words marked at which another match may touch this one.

    `inside` are the words in which there are matches, `others` the beginnings of the other phrases.
    """
    starts = [phrase.start, *others]
    same = [start.word for start in others if start.is_gap is phrase.begins_with_gap]
    at_word = [start.word for start in starts if not start.is_gap]
    at_gap = [start.word for start in starts if start.is_gap]
    words = []
    last = len(phrase.words) - 1
    for place, table in enumerate(phrase.words):
        is_beyond = (place == 0 and phrase.begins_with_gap) or (place == last and phrase.ends_with_gap)
        is_first = place == phrase.begins_with_gap
        touching = list(same) if is_first else []
        if place > 0 and not is_beyond:
            touching += at_word
        if place > 0 and not (is_first and phrase.begins_with_gap):
            touching += at_gap
        words.append(_with_flags(table, [] if is_beyond else [inside], touching))
    return replace(phrase, words=words)


def _with_flags(
    table: bytearray | None, doubtful: list[bytearray], touching: list[bytearray]
) -> bytearray | None:
    flags = _union(doubtful) * DOUBTFUL | _union(touching) * TOUCHING
    if not flags:
        return table
    size = max(map(len, doubtful + touching))
    fits = _number(bytes([FITS]) * size if table is None else table)
    # Flags count only where the word fits.
    return bytearray((fits | flags & (fits * DOUBTFUL | fits * TOUCHING)).to_bytes(size, "little"))


def _union(tables: list[bytearray]) -> int:
    return reduce(or_, map(_number, tables), 0)


def _number(table: bytes | bytearray) -> int:
    return int.from_bytes(table, "little")
