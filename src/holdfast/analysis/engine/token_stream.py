"""The tokens of a source file, as they are cached."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha1


class TokenStream:
    """The tokens of one file, encoded by `holdfast.syntax.lexer`."""

    def __init__(self, parts: tuple[bytes, bytes, bytes]) -> None:
        self._parts = parts
        head, self.tokens, self.line_ends = parts
        self.language, lines = head.decode().split()
        self.lines = int(lines)
        self.weight = sum(map(len, parts))
        self.is_whole = True

    @cached_property
    def key(self) -> str:
        """A hash of the tokens and the language."""
        return sha1(b" ".join(self._parts), usedforsecurity=False).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenStream) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self.tokens)
