"""A text as lines that can be compared: normalised, counted, and weighed by how much they say."""

from __future__ import annotations

import re
from functools import cached_property

_BREAK = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SPACE = re.compile(r"\s+")
_WORD_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_LONGEST_COMPARED = 2000
"""Characters of a line that comparisons look at; generated files have lines of a megabyte."""

_KEYWORDS = "end else try do done fi then begin finally pass return break continue default esac"
_SAYS_LITTLE = frozenset([*"{}()[];,:", *_KEYWORDS.split()])


def split(text: str) -> list[str]:
    """Split a text as editors do; a byte order mark is no part of the first line."""
    return _BREAK.split(text.removeprefix("\ufeff"))


def tokens_of(line: str) -> tuple[str, ...]:
    """Return words, numbers and single signs."""
    return tuple(_TOKEN.findall(line[:_LONGEST_COMPARED]))


def pieces_of(line: str) -> tuple[str, ...]:
    """Return the parts of words in lower case, so that `getUserName` and `user_name` share two of them."""
    return tuple(piece.lower() for piece in _WORD_PIECE.findall(line[:_LONGEST_COMPARED]))


class Lines:
    """The lines of one version, with what is derived from them made once. Indices count from 0."""

    def __init__(self, text: str) -> None:
        self.raw = split(text)
        self._tokens: dict[int, tuple[str, ...]] = {}
        self._pieces: dict[int, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self.raw)

    @cached_property
    def stripped(self) -> list[str]:
        """Lines without the white space around them."""
        return [line.strip() for line in self.raw]

    @cached_property
    def normal(self) -> list[str]:
        """Lines without any white space: what formatters leave equal."""
        return ["".join(line.split()) for line in self.raw]

    def tokens(self, index: int) -> tuple[str, ...]:
        """Return the tokens of a line."""
        found = self._tokens.get(index)
        if found is None:
            found = self._tokens[index] = tokens_of(self.raw[index])
        return found

    def pieces(self, index: int) -> tuple[str, ...]:
        """Return the lower-case parts of the words of a line."""
        found = self._pieces.get(index)
        if found is None:
            found = self._pieces[index] = pieces_of(self.raw[index])
        return found

    def is_trivial(self, index: int) -> bool:
        """Return whether a line says so little that equal text proves nothing."""
        tokens = self.tokens(index)
        return sum(1 for token in tokens if token not in _SAYS_LITTLE) == 0
