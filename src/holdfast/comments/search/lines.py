"""In which comments the parts of a query follow each other in one line."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, compress, pairwise, repeat
from operator import and_, gt, or_

from holdfast.comments.search.chain import Chain
from holdfast.comments.search.counting import matches
from holdfast.comments.search.phrases import phrase_of
from holdfast.comments.search.picking import picked
from holdfast.comments.search.sequence import WordRow
from holdfast.comments.search.shape import Branch, Piece, Shape
from holdfast.comments.search.standing import standing
from holdfast.comments.search.tally import Tally, bits, flags
from holdfast.comments.search.vocabulary import FITS, TooComplex

_BEYOND = 1 << 40
"""After all places."""


def matches_in_lines(row: WordRow, query: Chain, broken: int) -> tuple[Tally, int]:
    """Return how often each comment matches, and the comments for which that is doubtful.

    `broken` are the comments of more than one line.
    """
    if len(query.parts) == 1:
        tally, doubtful = matches(row, query.parts[0])
        found = tally.counted() | doubtful
        return Tally.once(found), found & broken
    parts = [_part(row, shape) for shape in query.parts]
    having_all = flags(reduce(and_, (part.found for part in parts)), row.size)
    for part in parts:
        part.starts = array("I", compress(part.starts, picked(having_all, part.comments)))
        part.comments = row.comments(part.starts)
    found = bits(_following(row, parts))
    doubtful = found & broken
    for before, after in pairwise(parts):
        if int.from_bytes(before.last) & int.from_bytes(after.first):
            # Both in the same word, where it takes a closer look to tell which comes first.
            doubtful |= bits(row.comments(list(set(before.ends()).intersection(after.starts))))
    if query.is_lazy:
        often = Counter(parts[0].comments)
        doubtful |= bits([comment for comment, times in often.items() if times > 1])
    for part in parts:
        doubtful |= bits(row.comments(part.doubtful))
    return Tally.once(found), doubtful


@dataclass
class _Part:
    """Where a part stands."""

    starts: Sequence[int]
    comments: Sequence[int]
    """The comment of each start."""
    found: int
    """The comments it is in."""
    length: int
    first: bytearray
    """The words in which it begins."""
    last: bytearray
    """The words in which it ends."""
    doubtful: Sequence[int] = ()

    def ends(self) -> Iterator[int]:
        """Return the places of its last words."""
        return map((self.length - 1).__add__, self.starts)


def _part(row: WordRow, shape: Shape) -> _Part:
    parts = [
        _inside(row, branch[0]) if len(branch) == 1 else _across(row, branch) for branch in shape.branches
    ]
    if len(parts) == 1:
        return parts[0]
    if len({part.length for part in parts}) > 1:
        raise TooComplex
    return _Part(
        list(chain.from_iterable(part.starts for part in parts)),
        list(chain.from_iterable(part.comments for part in parts)),
        reduce(or_, (part.found for part in parts)),
        parts[0].length,
        bytearray(map(max, *(part.first for part in parts))),
        bytearray(map(max, *(part.last for part in parts))),
        list(chain.from_iterable(part.doubtful for part in parts)),
    )


def _inside(row: WordRow, piece: Piece) -> _Part:
    words = [word for word, _ in row.vocabulary.containing(str(piece.source), is_literal=False)]
    table = bytearray(len(row.vocabulary))
    for word in words:
        table[word] = FITS
    if row.occurrences(table) > row.most_places:
        raise TooComplex
    return _Part(row.places(words), row.comments_of(words), row.having(words), 1, table, table)


def _across(row: WordRow, branch: Branch) -> _Part:
    phrase = phrase_of(row, branch, is_literal=False)
    found = standing(row, phrase)
    last = phrase.words[-2 if phrase.ends_with_gap else -1]
    assert last is not None, "only words beyond a gap may be any"
    starts = list(found.starts())
    comments = row.comments(starts)
    return _Part(starts, comments, bits(comments), phrase.length, phrase.start.word, last, found.doubtful)


def _following(row: WordRow, parts: list[_Part]) -> list[int]:
    """Return the comments in which all parts follow each other."""
    ends = _first_ends(row, parts[0], parts[0].starts)
    for part in parts[1:]:
        is_after = list(map(gt, part.starts, map(ends.get, part.comments, repeat(_BEYOND))))
        if part is not parts[-1]:
            ends = _first_ends(row, part, list(compress(part.starts, is_after)))
    return list(compress(parts[-1].comments, is_after))


def _first_ends(row: WordRow, part: _Part, starts: Sequence[int]) -> dict[int, int]:
    """Return for each comment where a part ends in it first."""
    last_first = sorted(starts, reverse=True)
    # The last one that is given stays.
    return dict(zip(row.comments(last_first), map((part.length - 1).__add__, last_first), strict=True))
