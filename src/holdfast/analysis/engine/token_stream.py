"""The tokens of files as they are cached, and as one table for all files of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.lexer import KIND_BITS, LINE_BITS, MULTILINE_OFFSET, TokenKind

if TYPE_CHECKING:
    from numpy import uint8, uint32
    from numpy.typing import NDArray


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
    """Tokens in the order of the text without blanks; of one file, or of many concatenated."""

    exact: NDArray[uint32]
    """The hash of the token's text, its kind in the low bits."""
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
    """The index of each file's first token, followed by the number of all tokens."""
    tokens: Tokens

    def of(self, path: str) -> Tokens:
        """Return the tokens of one file."""
        at = self.paths.index(path)
        part = slice(self.starts[at], self.starts[at + 1])
        whole = self.tokens
        return Tokens(whole.exact[part], whole.kind[part], whole.line[part], whole.end_line[part])


def token_table(files: Mapping[str, TokenStream]) -> TokenTable:
    """Return the tokens of files, in the order of the files."""
    import numpy as np

    streams = tuple(files.values())
    raw = np.frombuffer(b"".join(stream.tokens for stream in streams), np.uint32)
    kind = (raw & ((1 << KIND_BITS) - 1)).astype(np.uint8)
    is_token, over_lines = kind != TokenKind.BLANK, kind > TokenKind.IMPORT
    ends = np.where(is_token, np.uint32(0), raw >> KIND_BITS & ((1 << LINE_BITS) - 1))
    ends[over_lines] = np.frombuffer(b"".join(stream.line_ends for stream in streams), np.uint32)
    kind -= over_lines.astype(np.uint8) * np.uint8(MULTILINE_OFFSET)
    bounds = np.cumsum([0, *(len(stream.tokens) // 4 for stream in streams)])
    line = np.concatenate((np.zeros(1, np.uint32), np.cumsum(ends, dtype=np.uint32)))
    before = np.repeat(line[bounds[:-1]], np.diff(bounds))
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(is_token)))[bounds]
    exact = (raw - over_lines.astype(np.uint32) * np.uint32(MULTILINE_OFFSET))[is_token]
    first, last = (line[:-1] - before)[is_token], (line[1:] - before)[is_token]
    return TokenTable(
        tuple(files),
        tuple(stream.language for stream in streams),
        tuple(stream.lines for stream in streams),
        tuple(starts.tolist()),
        Tokens(exact, kind[is_token], first, last),
    )


def indentations(files: Mapping[str, TokenStream]) -> NDArray[uint8]:
    """Return the indentation in columns of the line of each token of a `token_table`."""
    import numpy as np

    raw = np.frombuffer(b"".join(stream.tokens for stream in files.values()), np.uint32)
    is_token = raw & ((1 << KIND_BITS) - 1) != TokenKind.BLANK
    ends_line = ~is_token & (raw >> KIND_BITS & ((1 << LINE_BITS) - 1) != 0)
    last = np.maximum.accumulate(np.where(ends_line, np.arange(len(raw)), 0))
    return np.extract(is_token, raw[last] >> (KIND_BITS + LINE_BITS)).astype(np.uint8)
