"""The tokens of source files: the cached stream of one file, and a table of NumPy arrays for all files of a
project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.lexer import KIND_BITS, LINE_BITS, MULTILINE_OFFSET, TokenKind

if TYPE_CHECKING:
    from numpy import uint8, uint32
    from numpy.typing import NDArray


_TOKEN_BYTES = 4


class TokenStream:
    """The tokens of one file, encoded by `holdfast.syntax.lexer`."""

    def __init__(self, parts: tuple[bytes, bytes, bytes]) -> None:
        head, self.tokens, self.line_ends = parts
        self.language, lines = head.decode().split()
        self.lines = int(lines)
        self.weight = sum(map(len, parts))
        self.is_whole = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenStream) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.tokens)


class Tokens(NamedTuple):
    """The tokens of one file, or of many concatenated, in the order of the text; white space and comments are
    left out. Each array has one element for each token."""

    exact: NDArray[uint32]
    """The hash of the token's text, with its kind in the low bits."""
    kind: NDArray[uint8]
    """A `TokenKind`."""
    line: NDArray[uint32]
    end_line: NDArray[uint32]
    """Differs from `line` for strings and imports that span several lines."""


@dataclass(frozen=True)
class TokenTable:
    """The concatenated tokens of many files."""

    paths: tuple[str, ...]
    languages: tuple[str, ...]
    lines: tuple[int, ...]
    starts: tuple[int, ...]
    """The index of each file's first token, and at the end the number of all tokens."""
    tokens: Tokens

    def of(self, path: str) -> Tokens:
        file = self.paths.index(path)
        part = slice(self.starts[file], self.starts[file + 1])
        tokens = self.tokens
        return Tokens(tokens.exact[part], tokens.kind[part], tokens.line[part], tokens.end_line[part])


def token_table(files: Mapping[str, TokenStream]) -> TokenTable:
    """Return the tokens of files, concatenated in the order of the files."""
    import numpy as np

    streams = tuple(files.values())
    # Arrays named `stream_…` also have an element for each blank.
    stream = np.frombuffer(b"".join(each.tokens for each in streams), np.uint32)
    stream_kinds = (stream & ((1 << KIND_BITS) - 1)).astype(np.uint8)
    is_token = stream_kinds != TokenKind.BLANK
    spans_lines = stream_kinds > TokenKind.IMPORT
    stream_kinds -= spans_lines.astype(np.uint8) * np.uint8(MULTILINE_OFFSET)
    exact = stream - spans_lines.astype(np.uint32) * np.uint32(MULTILINE_OFFSET)

    # How many lines end in each element, and with that the line on which each starts and ends.
    line_ends = np.where(is_token, np.uint32(0), stream >> KIND_BITS & ((1 << LINE_BITS) - 1))
    line_ends[spans_lines] = np.frombuffer(b"".join(each.line_ends for each in streams), np.uint32)
    lines = np.concatenate((np.zeros(1, np.uint32), np.cumsum(line_ends, dtype=np.uint32)))
    file_bounds = np.cumsum([0, *(len(each.tokens) // _TOKEN_BYTES for each in streams)])
    lines_of_earlier_files = np.repeat(lines[file_bounds[:-1]], np.diff(file_bounds))
    start_lines = lines[:-1] - lines_of_earlier_files
    end_lines = lines[1:] - lines_of_earlier_files

    tokens_before = np.concatenate((np.zeros(1, np.int64), np.cumsum(is_token)))
    return TokenTable(
        tuple(files),
        tuple(each.language for each in streams),
        tuple(each.lines for each in streams),
        starts=tuple(tokens_before[file_bounds].tolist()),
        tokens=Tokens(exact[is_token], stream_kinds[is_token], start_lines[is_token], end_lines[is_token]),
    )


def indentations(files: Mapping[str, TokenStream]) -> NDArray[uint8]:
    """Return, for each token of a `token_table`, the indentation of its line in columns."""
    import numpy as np

    stream = np.frombuffer(b"".join(each.tokens for each in files.values()), np.uint32)
    is_token = stream & ((1 << KIND_BITS) - 1) != TokenKind.BLANK
    # A blank that ends a line holds the indentation of the next one, for all tokens up to the next such
    # blank.
    ends_line = ~is_token & (stream >> KIND_BITS & ((1 << LINE_BITS) - 1) != 0)
    last_line_end = np.maximum.accumulate(np.where(ends_line, np.arange(len(stream)), 0))
    return np.extract(is_token, stream[last_line_end] >> (KIND_BITS + LINE_BITS)).astype(np.uint8)
