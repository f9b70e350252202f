"""The pieces of code that are compared as wholes: functions, and blocks inside long functions.

A block is a line with all that is indented deeper below it, which holds in every language that people format.
Pieces with the same tokens are one piece in several places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.sketch import Numbers, Pieces
from holdfast.analysis.duplicates.windows import Corpus
from holdfast.analysis.engine.token_stream import Tokens
from holdfast.syntax.lexer import Kind
from holdfast.syntax.record import Record

LEAST_TOKENS, LEAST_BLOCK_TOKENS = 40, 80
"""Shorter functions and blocks are alike by chance: accessors, calls passed on, loops."""
_MOST_INSIDE = 0.75
"""A block with more of the tokens of what is around it than this says nothing new."""


class Place(NamedTuple):
    """Where a piece stands: lines of a file, and its tokens among those of all files."""

    file: str
    start_line: int
    end_line: int
    start: int
    end: int


@dataclass
class CodePiece:
    """Some tokens, and every place where they stand."""

    family: str
    """Its language, or the one that languages whose code is compared share."""
    places: list[Place] = field(default_factory=list)
    around: list[frozenset[int]] = field(default_factory=list)
    """For each place the numbers of the pieces around it."""

    @property
    def depth(self) -> int:
        """How many pieces are around it, where it stands first."""
        return len(self.around[0])


class CodePieces:
    """All pieces of a project, numbered in the order of files and lines."""

    def __init__(
        self, corpus: Corpus, deep: NDArray[np.uint8], records: Mapping[str, Record], min_lines: int
    ) -> None:
        self._corpus, self._table = corpus, corpus.table
        self._deep = deep
        self._numbers: dict[tuple[str, bytes], int] = {}
        self.pieces: list[CodePiece] = []
        for number, path in enumerate(self._table.paths):
            if record := records.get(path):
                family = corpus.family_names[int(corpus.families[number])]
                self._add(self._places(number, record, min_lines), family)

    def text(self, number: int) -> list[int]:
        """Return the tokens of a piece."""
        place = self.pieces[number].places[0]
        tokens: list[int] = self._table.tokens.exact[place.start : place.end].tolist()
        return tokens

    def tokens(self) -> Pieces:
        """Return the tokens of all pieces."""
        places = [piece.places[0] for piece in self.pieces]
        lengths = np.array([place.end - place.start for place in places], np.int64)
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        origin = np.array([place.start for place in places], np.int64)
        at = np.repeat(origin - starts[:-1], lengths) + np.arange(starts[-1])
        exact, kind = self._table.tokens.exact[at], self._table.tokens.kind[at]
        return Pieces(exact, np.where(kind == Kind.SIGN, exact, kind.astype(np.uint32)), starts)

    def renamed(self, one: int, other: int) -> bool:
        """Whether two pieces are equal but for a consistent renaming and other values."""
        lengths = {place.end - place.start for number in (one, other) for place in self.pieces[number].places}
        ours, theirs = (self.pieces[number].places[0] for number in (one, other))
        tokens = self._table.tokens
        return len(lengths) == 1 and np.array_equal(renaming(tokens, ours), renaming(tokens, theirs))

    def _add(self, places: list[Place], family: str) -> None:
        """Number the pieces of a file; a piece comes after those around it."""
        open_pieces: list[tuple[int, int]] = []
        for place in places:
            while open_pieces and open_pieces[-1][1] <= place.start:
                open_pieces.pop()
            text = self._table.tokens.exact[place.start : place.end].tobytes()
            number = self._numbers.setdefault((family, text), len(self.pieces))
            if number == len(self.pieces):
                self.pieces.append(CodePiece(family))
            self.pieces[number].places.append(place)
            self.pieces[number].around.append(frozenset(around for around, _ in open_pieces))
            open_pieces.append((number, place.end))

    def _places(self, number: int, record: Record, min_lines: int) -> list[Place]:
        """Return the functions and blocks of a file that are long enough, outer ones first."""
        path, lines = self._table.paths[number], Lines(self._corpus, number)
        deep: list[int] = self._deep[lines.starts[:-1]].tolist()
        found: dict[tuple[int, int], bool] = {}
        for function in record.functions:
            rows = lines.between(function.line, function.end_line)
            if lines.tokens(*rows) >= LEAST_TOKENS:
                found[rows] = True
                for block in _blocks(deep, *rows):
                    found.setdefault(block, False)
        places: list[Place] = []
        around: list[tuple[int, int]] = []
        for first, last in sorted(found, key=lambda rows: (rows[0], -rows[1])):
            while around and around[-1][1] <= first:
                around.pop()
            tokens, most = lines.tokens(first, last), lines.tokens(*around[-1]) if around else math.inf
            is_new = tokens >= LEAST_BLOCK_TOKENS and tokens <= most * _MOST_INSIDE
            if last - first >= min_lines and (found[first, last] or is_new):
                places.append(lines.place(path, first, last))
                around.append((first, last))
        return places


def renaming(tokens: Tokens, place: Place) -> Numbers:
    """Return tokens with every name as the place where it first appears, and values as what kind they are."""
    exact, kind = (column[place.start : place.end] for column in tokens[:2])
    is_name = kind == Kind.NAME
    _, first, which = np.unique(exact[is_name], return_index=True, return_inverse=True)
    result: Numbers = np.where(kind == Kind.SIGN, exact, kind).astype(np.int64)
    result[is_name] = -1 - first[which]
    return result


class Lines:
    """The lines of a file that have tokens: rows, numbered from 0."""

    def __init__(self, corpus: Corpus, number: int) -> None:
        self._tokens = corpus.tokens
        self.starts = corpus.lines_of(number)
        """The first token of each row; one more at the end, where the file ends."""
        self._line = corpus.tokens.line[self.starts[:-1]]

    def __len__(self) -> int:
        return len(self._line)

    def between(self, first_line: int, last_line: int) -> tuple[int, int]:
        """Return the rows from one line to another: the first, and the one after the last."""
        first, last = np.searchsorted(self._line, [first_line, last_line + 1]).tolist()
        return first, last

    def tokens(self, first: int, last: int) -> int:
        """Return how many tokens stand in rows."""
        return int(self.starts[last] - self.starts[first])

    def place(self, path: str, first: int, last: int) -> Place:
        """Return where rows stand."""
        start, end = int(self.starts[first]), int(self.starts[last])
        return Place(path, int(self._line[first]), int(self._tokens.end_line[end - 1]), start, end)


def _blocks(deep: list[int], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of every block in some rows, given how far each is indented."""
    heads: list[int] = []
    for row in range(first, last + 1):
        while heads and (row == last or deep[row] <= deep[heads[-1]]):
            yield heads.pop(), row
        heads.append(row)
