"""The tokens of a project, with their lines and files, and as exact or renamed text to search.

In renamed code, names are compared in Baker's *prev encoding* for parameterised matching: a name becomes its
distance to its previous occurrence, 0 if there is none, and a literal becomes its kind. `x = x + 1` and
`sum = sum + 7` both become `0 = 2 + NUMBER`, but `x = y + 1` becomes `0 = 0 + NUMBER`.

A *position* is the index of a token among the tokens of all files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.columns.file_columns import FileColumns
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.syntax.lexer import KIND_BITS, TokenKind

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Codes = NDArray[np.uint32]

COMPARISONS_PER_STEP = 1_000_000
"""Tokens compared in one step: a judgement. At about 30 bytes each, the arrays of a step take 30 MB."""
SIGN, NAME, IMPORT = np.array([TokenKind.SIGN, TokenKind.NAME, TokenKind.IMPORT], np.uint32)
"""Kinds of tokens in the type of the tokens' numbers, as comparing with another type takes far longer."""
_KIND_MASK = np.uint32((1 << KIND_BITS) - 1)
_LANGUAGE_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
"""The family of each language whose code is also compared with another language's."""


class RowMark:
    """What is known of a row, a line with tokens."""

    CONTENT = np.uint8(1)
    """It has more than brackets and commas."""
    RUNS = np.uint8(2)
    """It calls, assigns or branches."""
    CONTINUES = np.uint8(4)
    """It continues the statement above, at the same indentation."""
    IMPORT = np.uint8(8)


class NormalisedText(NamedTuple):
    """Tokens in the form in which they are compared; each array has one item per token."""

    exact: Codes
    """Numbers that are equal for equal tokens."""
    previous_distances: NDArray[np.int32] | None = None
    """The distance to the previous occurrence of the same name, 0 if there is none. None for exact code."""

    def codes(self, tokens: Codes) -> Codes:
        """Return what is compared of some tokens: in renamed code, a name or literal has only its kind."""
        return tokens if self.previous_distances is None else blinded(tokens)

    def next_distances(self) -> NDArray[np.int32] | None:
        """Return the distances to the next occurrences of the same names, 0 where there is none."""
        if self.previous_distances is None:
            return None
        later = np.flatnonzero(self.previous_distances)
        distances = self.previous_distances[later]
        result = np.zeros_like(self.previous_distances)
        result[later - distances] = distances
        return result


class CloneCorpus:
    """The tokens of a project, with their lines, files and language families.

    A *segment* is a longest run of tokens without an import in one file; no fragment extends beyond one.
    """

    def __init__(self, files: Mapping[str, TokenStream], columns: FileColumns) -> None:
        """`columns` has the columns of the files (`token_columns.py`), in their order."""
        self.paths = tuple(files)
        self.columns = columns
        tokens, rows = columns.tables["tokens"], columns.tables["rows"]
        self.tokens: Codes = tokens.columns["exact"]
        """A number for each token, with its `TokenKind` in the low bits."""
        self.size = len(self.tokens)
        """The number of tokens."""
        self.file_starts = tokens.starts
        """The first token of each file, followed by the number of tokens."""
        self.file_rows = rows.starts
        """The first row of each file, followed by the number of rows."""
        self.rows: Mapping[str, NDArray[Any]] = rows.columns
        self.line_starts = np.append(
            rows.columns["first"] + np.repeat(tokens.starts[:-1], np.diff(rows.starts)), self.size
        )
        """The first token of each row, followed by the number of tokens."""
        self._previous_distances = tokens.columns["previous"]
        self.families = tuple(language_family(stream.language) for stream in files.values())
        """The language family of each file, whose code is compared with each other's."""

    @cached_property
    def row_bounds(self) -> Integers:
        """The first row of each segment, or the row of the import just before it."""
        return segment_rows(self.rows["marks"], self.file_rows)

    @cached_property
    def _segment_bounds(self) -> Integers:
        """The start of each segment, or the import just before it; followed by the number of tokens."""
        return np.append(self.line_starts[self.row_bounds], self.size)

    def file_line_starts(self, file: int) -> Integers:
        """Return the first token of each line of a file, followed by the end of the file."""
        return self.line_starts[self.file_rows[file] : self.file_rows[file + 1] + 1]

    def files_at(self, positions: Integers) -> Integers:
        """Return the number of the file that contains each position."""
        return np.searchsorted(self.file_starts, positions, "right") - 1

    def rows_at(self, positions: Integers) -> Integers:
        """Return the row that contains each position; the number of rows for the end of the text."""
        return np.searchsorted(self.line_starts, positions, "right") - 1

    def segment_ends(self, positions: Integers) -> Integers:
        """Return where the segment at each position ends: at an import or the end of the file."""
        ends: Integers = self._segment_bounds[np.searchsorted(self._segment_bounds, positions, "right")]
        return ends

    def segment_starts(self, positions: Integers) -> Integers:
        """Return the first token of the segment at each position."""
        segments = np.searchsorted(self._segment_bounds, positions, "right") - 1
        bounds: Integers = self._segment_bounds[segments]
        starts: Integers = bounds + (kinds_of(self.tokens[bounds]) == IMPORT)
        return starts

    def shrink_to_lines(self, starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
        """Shrink ranges of tokens to whole lines; a range without a whole line becomes empty or negative."""
        first_rows = np.searchsorted(self.line_starts, starts)
        return self.line_starts[first_rows], self.line_starts[self.rows_at(ends)]

    def line_counts(self, starts: Integers, ends: Integers) -> Integers:
        """Return the number of lines with tokens that each range of tokens covers."""
        return self.rows_at(ends - 1) - self.rows_at(starts) + 1

    def lines_at(self, positions: Integers) -> Integers:
        """Return the line on which the token at each position starts."""
        lines: Integers = self.rows["line"][self.rows_at(positions)]
        return lines

    def end_lines_at(self, positions: Integers) -> Integers:
        """Return the line on which the token at each position ends, which differs in the last of a row."""
        rows = self.rows_at(positions)
        is_last = self.line_starts[rows + 1] - 1 == positions
        return np.where(is_last, self.rows["end_line"][rows], self.rows["line"][rows])

    def exact_text(self) -> NormalisedText:
        return NormalisedText(self.tokens)

    def renamed_text(self) -> NormalisedText:
        """Return the tokens in prev encoding, which a consistent renaming does not change."""
        return NormalisedText(self.tokens, self._previous_distances)


def kinds_of(tokens: Codes) -> Codes:
    """Return the `TokenKind` of each token."""
    return tokens & _KIND_MASK


def blinded(tokens: Codes) -> Codes:
    """Return tokens with each name and literal replaced with its kind."""
    kinds = kinds_of(tokens)
    return np.where(kinds == SIGN, tokens, kinds)


def language_family(language: str) -> str:
    """Return the family of a language, whose code is compared with each other's."""
    return _LANGUAGE_FAMILIES.get(language, language)


def family_number(language: str) -> np.uint64:
    """Return a number that is equal for the languages of a family."""
    return np.uint64(crc32(language_family(language).encode()))


def segment_rows(marks: NDArray[np.uint8], file_rows: Integers) -> Integers:
    """Return the first row of each file and every row with an import."""
    is_bound = marks & RowMark.IMPORT != 0
    is_bound[file_rows[:-1][np.diff(file_rows) > 0]] = True
    return np.flatnonzero(is_bound)


def bounds_from_sizes(sizes: NDArray[Any]) -> Integers:
    """Return where consecutive ranges start, followed by the end of the last: [2, 3] gives [0, 2, 5]."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))


def indices_of_ranges(starts: Integers, sizes: Integers) -> Integers:
    """Return the indices of several ranges: starts [7, 1] and sizes [2, 3] give [7, 8, 1, 2, 3]."""
    bounds = bounds_from_sizes(sizes)
    indices: Integers = np.repeat(starts - bounds[:-1], sizes) + np.arange(bounds[-1])
    return indices


def steps_of_ranges(lengths: Integers) -> Iterator[slice]:
    """Yield sequences of ranges to look at at once, of limited length to save memory, or of one range."""
    bounds = bounds_from_sizes(lengths)
    start = 0
    while start < len(lengths):
        last_bound = int(np.searchsorted(bounds, bounds[start] + COMPARISONS_PER_STEP, "right")) - 1
        stop = max(last_bound, start + 1)
        yield slice(start, stop)
        start = stop
