"""The tokens of a source file, as they are cached."""

from __future__ import annotations


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
