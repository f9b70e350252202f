"""The pieces of code that are compared as wholes: functions, and blocks inside long functions.

A block is a line and the deeper indented lines below it, which works in every language that people indent. In

    def save(rows):
        for row in rows:
            check(row)
        commit()

the pieces are the function and its loop, if each has enough tokens. Pieces with equal tokens are one piece
with several spans.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.duplicates.sketch import Numbers, Pieces
from holdfast.analysis.duplicates.windows import CloneCorpus, bounds_of, indices_of
from holdfast.analysis.engine.token_stream import Tokens
from holdfast.syntax.lexer import TokenKind
from holdfast.syntax.record import Record

MIN_TOKENS, MIN_BLOCK_TOKENS = 40, 80
"""Tokens of the shortest function and block: a judgement. Shorter ones, such as accessors, delegating calls
and loops, are similar by chance; docs/accuracy.md has the rate of false reports with these bounds."""
_MAX_INSIDE = 0.75
"""A block's largest share of its enclosing piece's tokens: a judgement. A larger block adds nothing."""


class PieceSpan(NamedTuple):
    """The lines of a piece in a file, and the range of its tokens among those of all files."""

    file: str
    start_line: int
    end_line: int
    start: int
    end: int


@dataclass
class CodePiece:
    """A sequence of tokens, and every span of code that consists of it."""

    family: str
    """The family of languages that are compared with each other."""
    spans: list[PieceSpan] = field(default_factory=list)
    enclosing: list[frozenset[int]] = field(default_factory=list)
    """For each span, the numbers of the pieces that enclose it."""

    @property
    def depth(self) -> int:
        """The number of pieces that enclose its first span."""
        return len(self.enclosing[0])


class CodePieces:
    """The pieces of a project, numbered in the order of files and lines."""

    def __init__(
        self, corpus: CloneCorpus, indents: NDArray[np.uint8], records: Mapping[str, Record], min_lines: int
    ) -> None:
        self._corpus, self._table = corpus, corpus.table
        self._indents = indents
        self._numbers: dict[tuple[str, bytes], int] = {}
        self.pieces: list[CodePiece] = []
        for number, path in enumerate(self._table.paths):
            if record := records.get(path):
                family = corpus.family_names[int(corpus.families[number])]
                self._add(self._spans(number, record, min_lines), family)

    def tokens_of(self, number: int) -> list[int]:
        """Return the tokens of a piece."""
        span = self.pieces[number].spans[0]
        tokens: list[int] = self._table.tokens.exact[span.start : span.end].tolist()
        return tokens

    def tokens(self) -> Pieces:
        """Return the tokens of all pieces."""
        spans = [piece.spans[0] for piece in self.pieces]
        lengths = np.array([span.end - span.start for span in spans], np.int64)
        indices = indices_of(np.array([span.start for span in spans], np.int64), lengths)
        exact, kind = self._table.tokens.exact[indices], self._table.tokens.kind[indices]
        return Pieces(
            exact, np.where(kind == TokenKind.SIGN, exact, kind.astype(np.uint32)), bounds_of(lengths)
        )

    def is_renamed(self, one: int, other: int) -> bool:
        """Return whether two pieces differ in a consistent renaming and in literals alone."""
        lengths = {span.end - span.start for number in (one, other) for span in self.pieces[number].spans}
        first, second = (self.pieces[number].spans[0] for number in (one, other))
        tokens = self._table.tokens
        return len(lengths) == 1 and np.array_equal(canonical(tokens, first), canonical(tokens, second))

    def _add(self, spans: list[PieceSpan], family: str) -> None:
        """Number the pieces of a file; each follows those that enclose it."""
        open_pieces: list[tuple[int, int]] = []
        for span in spans:
            while open_pieces and open_pieces[-1][1] <= span.start:
                open_pieces.pop()
            text = self._table.tokens.exact[span.start : span.end].tobytes()
            number = self._numbers.setdefault((family, text), len(self.pieces))
            if number == len(self.pieces):
                self.pieces.append(CodePiece(family))
            self.pieces[number].spans.append(span)
            self.pieces[number].enclosing.append(frozenset(enclosing for enclosing, _ in open_pieces))
            open_pieces.append((number, span.end))

    def _spans(self, number: int, record: Record, min_lines: int) -> list[PieceSpan]:
        """Return the functions and blocks of a file that are long enough, outer ones first."""
        path, lines = self._table.paths[number], TokenLines(self._corpus, number)
        indents: list[int] = self._indents[lines.starts[:-1]].tolist()
        found: dict[tuple[int, int], bool] = {}
        for function in record.functions:
            rows = lines.between(function.line, function.end_line)
            if lines.tokens(*rows) >= MIN_TOKENS:
                found[rows] = True
                for block in _blocks(indents, *rows):
                    found.setdefault(block, False)
        spans: list[PieceSpan] = []
        enclosing: list[tuple[int, int]] = []
        for first, last in sorted(found, key=lambda rows: (rows[0], -rows[1])):
            while enclosing and enclosing[-1][1] <= first:
                enclosing.pop()
            tokens, most = lines.tokens(first, last), lines.tokens(*enclosing[-1]) if enclosing else math.inf
            is_new = tokens >= MIN_BLOCK_TOKENS and tokens <= most * _MAX_INSIDE
            if last - first >= min_lines and (found[first, last] or is_new):
                spans.append(lines.span(path, first, last))
                enclosing.append((first, last))
        return spans


def canonical(tokens: Tokens, span: PieceSpan) -> Numbers:
    """Return tokens with each name as the position of its first occurrence, and each literal as its kind."""
    exact, kind = (column[span.start : span.end] for column in tokens[:2])
    is_name = kind == TokenKind.NAME
    _, first, name = np.unique(exact[is_name], return_index=True, return_inverse=True)
    result: Numbers = np.where(kind == TokenKind.SIGN, exact, kind).astype(np.int64)
    result[is_name] = -1 - first[name]
    return result


class TokenLines:
    """The lines of a file that have tokens, as rows numbered from 0."""

    def __init__(self, corpus: CloneCorpus, number: int) -> None:
        self._tokens = corpus.tokens
        self.starts = corpus.lines_of(number)
        """The first token of each row, followed by the end of the file."""
        self._line = corpus.tokens.line[self.starts[:-1]]

    def __len__(self) -> int:
        return len(self._line)

    def between(self, first_line: int, last_line: int) -> tuple[int, int]:
        """Return the rows of a range of lines: the first, and the one after the last."""
        first, last = np.searchsorted(self._line, [first_line, last_line + 1]).tolist()
        return first, last

    def tokens(self, first: int, last: int) -> int:
        """Return the number of tokens in rows."""
        return int(self.starts[last] - self.starts[first])

    def span(self, path: str, first: int, last: int) -> PieceSpan:
        """Return the span of rows."""
        start, end = int(self.starts[first]), int(self.starts[last])
        return PieceSpan(path, int(self._line[first]), int(self._tokens.end_line[end - 1]), start, end)


def _blocks(indents: list[int], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of every block within some rows, given the indentation of each."""
    heads: list[int] = []
    for row in range(first, last + 1):
        while heads and (row == last or indents[row] <= indents[heads[-1]]):
            yield heads.pop(), row
        heads.append(row)
