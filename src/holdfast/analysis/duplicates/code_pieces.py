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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from holdfast.analysis.duplicates.clone import CloneQuery
from holdfast.analysis.duplicates.clone_corpus import (
    NAME,
    CloneCorpus,
    Codes,
    Integers,
    RowMark,
    blinded,
    bounds_from_sizes,
    indices_of_ranges,
    kinds_of,
)
from holdfast.analysis.duplicates.sketch import Pieces
from holdfast.analysis.duplicates.statements import Rows, Statements
from holdfast.syntax.record import Record

_MIN_BLOCK_TOKENS = 80
"""Tokens of the shortest block: a judgement, as blocks are similar by chance more often than functions."""
_MAX_BLOCK_SHARE = 0.75
"""A block's largest share of the tokens of the piece around it: a judgement. A larger block adds nothing."""


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

    @cached_property
    def all_enclosing(self) -> frozenset[int]:
        """The numbers of the pieces that enclose any of its spans."""
        return frozenset().union(*self.enclosing)

    @property
    def depth(self) -> int:
        """The number of pieces that enclose its first span."""
        return len(self.enclosing[0])


class CodePieces:
    """The pieces of a project, numbered in the order of files and lines."""

    def __init__(self, statements: Statements, records: Mapping[str, Record], query: CloneQuery) -> None:
        corpus = statements.corpus
        self._statements, self._corpus, self._query = statements, corpus, query
        self._numbers: dict[tuple[str, bytes], int] = {}
        """The number of each piece, by its language family and tokens."""
        self.pieces: list[CodePiece] = []
        for file, path in enumerate(corpus.paths):
            if record := records.get(path):
                self._add(self._spans(file, record), corpus.families[file])

    def is_substantial(self, number: int) -> bool:
        """Return whether a piece is long enough for a clone, and code that runs."""
        span = self.pieces[number].spans[0]
        rows = self._statements.rows_of_tokens(span.start, span.end)
        return bool(self._statements.are_substantial(*rows, self._query))

    def tokens_of(self, number: int) -> list[int]:
        span = self.pieces[number].spans[0]
        tokens: list[int] = self._corpus.tokens[span.start : span.end].tolist()
        return tokens

    def tokens(self) -> Pieces:
        """Return the tokens of all pieces."""
        spans = [piece.spans[0] for piece in self.pieces]
        starts = np.array([span.start for span in spans], np.int64)
        lengths = np.array([span.end - span.start for span in spans], np.int64)
        indices = indices_of_ranges(starts, lengths)
        exact = self._corpus.tokens[indices]
        return Pieces(exact, blinded(exact), bounds_from_sizes(lengths))

    def are_comparable(self, first: int, second: int) -> bool:
        """Return whether two pieces are of one language family, and neither contains the other."""
        if self.pieces[first].family != self.pieces[second].family:
            return False
        is_nested = self._is_inside(first, second) or self._is_inside(second, first)
        return not is_nested

    def _is_inside(self, inner: int, outer: int) -> bool:
        return outer in self.pieces[inner].all_enclosing

    def is_renamed(self, first: int, second: int) -> bool:
        """Return whether two pieces differ in a consistent renaming and in literals alone."""
        spans = [*self.pieces[first].spans, *self.pieces[second].spans]
        if len({span.end - span.start for span in spans}) > 1:
            return False
        tokens = self._corpus.tokens
        return np.array_equal(
            canonical_tokens(tokens, self.pieces[first].spans[0]),
            canonical_tokens(tokens, self.pieces[second].spans[0]),
        )

    def _add(self, spans: list[PieceSpan], family: str) -> None:
        """Number the pieces of a file; each follows those that enclose it."""
        open_pieces: list[tuple[int, int]] = []  # number and end of each piece around the current one
        for span in spans:
            while open_pieces and open_pieces[-1][1] <= span.start:
                open_pieces.pop()
            text = self._corpus.tokens[span.start : span.end].tobytes()
            number = self._numbers.setdefault((family, text), len(self.pieces))
            if number == len(self.pieces):
                self.pieces.append(CodePiece(family))
            self.pieces[number].spans.append(span)
            self.pieces[number].enclosing.append(frozenset(enclosing for enclosing, _ in open_pieces))
            open_pieces.append((number, span.end))

    def _spans(self, file: int, record: Record) -> list[PieceSpan]:
        """Return the functions and blocks of a file that are long enough, outer ones first."""
        lines = TokenLines(self._statements.corpus, file)
        is_function = self._candidates(lines, record)
        spans: list[PieceSpan] = []
        enclosing: list[Rows] = []
        for rows in sorted(is_function, key=lambda rows: (rows[0], -rows[1])):
            first, end = rows
            while enclosing and enclosing[-1][1] <= first:
                enclosing.pop()
            if end - first < self._query.min_lines:
                continue
            if is_function[rows] or _is_separate_block(lines, rows, enclosing):
                spans.append(lines.span(self._corpus.paths[file], rows))
                enclosing.append(rows)
        return spans

    def _candidates(self, lines: TokenLines, record: Record) -> dict[Rows, bool]:
        """Return the rows of each long function and of each block inside, and whether it is a function."""
        indents = self._statements.indentations(lines.rows_of_corpus((0, len(lines))))
        is_function: dict[Rows, bool] = {}
        for function in record.functions:
            rows = lines.rows_between(function.line, function.end_line)
            if lines.token_count(rows) >= self._query.min_common_tokens:
                is_function[rows] = True
                for block in _blocks(indents, rows):
                    is_function.setdefault(block, False)
        return is_function


def canonical_tokens(tokens: Codes, span: PieceSpan) -> Integers:
    """Return tokens with each name as the number of its first occurrence, and each literal as its kind.

    Spans have the same canonical tokens exactly if they differ in a consistent renaming and in literals
    alone.
    """
    exact = tokens[span.start : span.end]
    is_name = kinds_of(exact) == NAME
    _, first_occurrences, name_numbers = np.unique(exact[is_name], return_index=True, return_inverse=True)
    canonical: Integers = blinded(exact).astype(np.int64)
    canonical[is_name] = -1 - first_occurrences[name_numbers]  # negative, as no other token is
    return canonical


class TokenLines:
    """The lines of a file that have tokens, as rows numbered from 0."""

    def __init__(self, corpus: CloneCorpus, file: int) -> None:
        self.starts = corpus.file_line_starts(file)
        """The first token of each row, followed by the end of the file."""
        self._first_row, end = corpus.file_rows[file : file + 2].tolist()
        rows = {name: corpus.rows[name][self._first_row : end] for name in ("line", "end_line", "marks")}
        self._line_numbers, self._end_lines, self._marks = rows.values()

    def __len__(self) -> int:
        return len(self._line_numbers)

    @property
    def leading_imports(self) -> int:
        """The number of rows with imports at the start of the file."""
        is_other = self._marks & RowMark.IMPORT == 0
        return int(is_other.argmax()) if is_other.any() else len(self)

    def rows_between(self, first_line: int, last_line: int) -> Rows:
        first, end = np.searchsorted(self._line_numbers, [first_line, last_line + 1]).tolist()
        return first, end

    def rows_of_corpus(self, rows: Rows) -> Rows:
        """Return rows of the file as rows of the corpus."""
        first, end = rows
        return self._first_row + first, self._first_row + end

    def token_count(self, rows: Rows) -> int:
        first, end = rows
        return int(self.starts[end] - self.starts[first])

    def span(self, path: str, rows: Rows) -> PieceSpan:
        first, end = rows
        start, stop = int(self.starts[first]), int(self.starts[end])
        return PieceSpan(path, int(self._line_numbers[first]), int(self._end_lines[end - 1]), start, stop)


def _is_separate_block(lines: TokenLines, rows: Rows, enclosing: list[Rows]) -> bool:
    """Return whether a block is long, but considerably shorter than the innermost enclosing piece."""
    tokens = lines.token_count(rows)
    if tokens < _MIN_BLOCK_TOKENS:
        return False
    return not enclosing or tokens <= lines.token_count(enclosing[-1]) * _MAX_BLOCK_SHARE


def _blocks(indents: list[int], rows: Rows) -> Iterator[Rows]:
    """Yield every block within some rows, given the indentation of each row of the file."""
    first, end = rows
    open_blocks: list[int] = []  # the first row of each block that contains the current row
    for row in range(first, end):
        while open_blocks and indents[row] <= indents[open_blocks[-1]]:
            yield open_blocks.pop(), row
        open_blocks.append(row)
    while open_blocks:
        yield open_blocks.pop(), end
