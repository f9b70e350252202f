"""What the search for clones needs of each file, as columns: its tokens, and its rows, the lines with tokens.

Contract: the columns of a file depend on its own tokens and language alone. They can be kept by its content,
and put together with those of other files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.analysis.columns.file_columns import FileColumns, Table
from holdfast.analysis.duplicates.clone import DEFAULT_MIN_TOKENS
from holdfast.analysis.duplicates.clone_corpus import (
    IMPORT,
    NAME,
    CloneCorpus,
    Codes,
    Integers,
    NormalisedText,
    bounds_from_sizes,
    kinds_of,
)
from holdfast.analysis.duplicates.statements import Statements, row_columns
from holdfast.analysis.duplicates.windows import WindowHashes, window_column
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.kernel.call import current_call
from holdfast.syntax.lexer import KIND_BITS, LINE_BITS, MULTILINE_OFFSET, TokenKind

_BATCH_ELEMENTS = 2**17
"""Tokens whose columns are computed at once: a judgement. Their arrays fit into the cache of a processor."""
_TOKEN_BYTES = 4
_POSITION_BITS = np.uint64(32)
"""Bits of a position in a sort key. The text of a name has the other half of the 64 bits."""


def token_columns(streams: Collection[TokenStream]) -> FileColumns:
    """Return the columns of files, given their tokens, by the keys of these."""
    windows = WindowHashes(DEFAULT_MIN_TOKENS)
    parts = [_batch_columns(batch, windows) for batch in _batches(streams)]
    tables = {}
    for name, first in parts[0].items():
        counts = np.concatenate([part[name].counts for part in parts])
        columns = {
            column: np.concatenate([part[name].columns[column] for part in parts]) for column in first.columns
        }
        tables[name] = Table(bounds_from_sizes(counts), columns)
    return FileColumns(tuple(stream.key for stream in streams), tables)


class KeptColumns:
    """The columns of the last search, so that those of unchanged files are not computed again."""

    def __init__(self) -> None:
        self._statements: Statements | None = None
        self._lock = Lock()

    def statements(self, files: Mapping[str, TokenStream]) -> Statements:
        """Return the statements of files; the same if all files are those of the last time."""
        keys = [stream.key for stream in files.values()]
        with self._lock:
            last = self._statements
            if last is None:
                columns = token_columns(files.values())
            else:
                columns = last.corpus.columns
                if columns.keys == tuple(keys) and last.corpus.paths == tuple(files):
                    return last
                new = {stream.key: stream for stream in files.values() if stream.key not in columns.numbers}
                columns = (columns.joined(token_columns(new.values())) if new else columns).take(keys)
            self._statements = Statements(CloneCorpus(files, columns), last)
            return self._statements


class _Part(NamedTuple):
    """A table of some files, with the number of rows of each."""

    counts: Integers
    columns: Mapping[str, NDArray[Any]]


class _Tokens(NamedTuple):
    """The tokens of some files without blanks, and their rows."""

    exact: Codes
    file_starts: Integers
    """The first token of each file, followed by the number of tokens."""
    row_starts: Integers
    """The first token of each row, followed by the number of tokens."""
    file_rows: Integers
    """The first row of each file, followed by the number of rows."""
    lines: NDArray[np.uint32]
    """The line of each row."""
    end_lines: NDArray[np.uint32]
    """The line on which the last token of each row ends; differs for strings and imports of several lines."""
    levels: NDArray[np.uint8]
    """The indentation of each row in columns."""


def _batches(streams: Iterable[TokenStream]) -> Iterator[list[TokenStream]]:
    """Divide files into batches, at least one."""
    batch: list[TokenStream] = []
    elements = 0
    for stream in streams:
        if elements >= _BATCH_ELEMENTS:
            current_call().check()
            yield batch
            batch, elements = [], 0
        batch.append(stream)
        elements += len(stream.tokens) // _TOKEN_BYTES
    yield batch


def _batch_columns(streams: Sequence[TokenStream], windows: WindowHashes) -> dict[str, _Part]:
    tokens = _tokens(streams)
    row_counts, token_counts = np.diff(tokens.file_rows), np.diff(tokens.file_starts)
    firsts = tokens.row_starts[:-1] - np.repeat(tokens.file_starts[:-1], row_counts)
    languages = [stream.language for stream in streams]
    levels, marks = row_columns(tokens.exact, tokens.row_starts, tokens.file_rows, tokens.levels, languages)
    previous = _previous_distances(tokens)
    hashes = {
        window_column(text): windows.of_rows(text, tokens.row_starts, tokens.file_rows, marks, languages)
        for text in (NormalisedText(tokens.exact), NormalisedText(tokens.exact, previous))
    }
    rows: dict[str, NDArray[Any]] = {
        "first": firsts.astype(np.uint32),
        "line": tokens.lines,
        "end_line": tokens.end_lines,
        "level": levels,
        "marks": marks,
        **hashes,
    }
    return {
        "tokens": _Part(token_counts, {"exact": tokens.exact, "previous": previous}),
        "rows": _Part(row_counts, rows),
    }


def _tokens(streams: Sequence[TokenStream]) -> _Tokens:
    """Return the tokens of files; their blanks tell where lines begin and how they are indented."""
    elements = np.frombuffer(b"".join(stream.tokens for stream in streams), np.uint32)
    element_bounds = bounds_from_sizes(
        np.array([len(stream.tokens) // _TOKEN_BYTES for stream in streams], np.int64)
    )
    kinds = kinds_of(elements)
    is_token = kinds != TokenKind.BLANK.value
    exact = elements[is_token]
    # Lines end in blanks, and in tokens of several lines.
    ends = np.flatnonzero((kinds > IMPORT) | ~is_token)
    values, is_blank = elements[ends], ~is_token[ends]
    blanks_before = bounds_from_sizes(is_blank)
    following = ends + 1 - blanks_before[1:]  # the token after each
    exact[following[~is_blank] - 1] -= np.uint32(MULTILINE_OFFSET)
    ended = values >> KIND_BITS & ((1 << LINE_BITS) - 1)
    ended[~is_blank] = np.frombuffer(b"".join(stream.line_ends for stream in streams), np.uint32)
    lines_before = bounds_from_sizes(ended)
    file_ends = np.searchsorted(ends, element_bounds)
    file_starts = element_bounds - blanks_before[file_ends]

    # After a token of several lines, the indentation is that of the line before it.
    last_indent = np.maximum.accumulate(np.where(is_blank & (ended > 0), np.arange(len(ends)), 0))
    levels = (values[last_indent] >> (KIND_BITS + LINE_BITS)).astype(np.uint8)
    # Between two tokens, lines may end several times; the last is before the row.
    starting = np.flatnonzero(ended)
    starting = starting[np.append(following[starting][1:] != following[starting][:-1], True)[: len(starting)]]
    starting = starting[following[starting] < len(exact)]
    row_starts = np.append(following[starting], len(exact))
    file_rows = np.searchsorted(row_starts[:-1], file_starts)
    lines = lines_before[starting + 1] - np.repeat(lines_before[file_ends[:-1]], np.diff(file_rows))
    end_lines = lines.copy()
    end_lines[np.searchsorted(row_starts, following[~is_blank] - 1, "right") - 1] += ended[~is_blank]
    return _Tokens(
        exact,
        file_starts,
        row_starts,
        file_rows,
        lines.astype(np.uint32),
        end_lines.astype(np.uint32),
        levels[starting],
    )


def _previous_distances(tokens: _Tokens) -> NDArray[np.int32]:
    """Return the distance of each name to its previous occurrence in its file, 0 for other tokens."""
    exact = tokens.exact
    names = np.flatnonzero(kinds_of(exact) == NAME)
    # One number for each name, sorted by its text in the upper half, then by its position in the lower.
    occurrences = np.sort(exact[names].astype(np.uint64) << _POSITION_BITS | names.astype(np.uint64))
    texts = occurrences >> _POSITION_BITS
    positions = (occurrences & np.uint64(2**32 - 1)).astype(np.int64)
    files = np.repeat(np.arange(len(tokens.file_starts) - 1), np.diff(tokens.file_starts))[positions]
    repeated = np.flatnonzero((texts[1:] == texts[:-1]) & (files[1:] == files[:-1]))
    earlier, later = positions[repeated], positions[repeated + 1]
    distances = np.zeros(len(exact), np.int32)
    distances[later] = later - earlier
    return distances
