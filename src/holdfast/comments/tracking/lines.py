"""The lines of one version, prepared for comparison: normalized, tokenized, and weighted by distinctive
tokens."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from holdfast.comments.tracking.line_roles import LineRole, role_of

_BREAK = re.compile(r"\r\n|\n")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")

_LONGEST_COMPARED = 1000
"""Characters of a line that are compared. A chosen bound: generated files have lines of a megabyte."""

_CONTEXT_LINES = 4
"""Distinctive lines on each side that form the context. LHDiff (Asaduzzaman et al., 2013) uses four as well.
"""

_CONTEXT_REACH = 12
"""Lines on each side that are searched for them. A chosen bound."""

_KEYWORDS = "end else try do done fi then begin finally pass return break continue default esac"
_NOT_DISTINCTIVE = frozenset([*"{}()[];,:", *_KEYWORDS.split()])
"""Tokens that do not distinguish a line from others."""


def split(text: str) -> list[str]:
    """Split a text into lines as the sidecars count them; a byte order mark is not part of the first."""
    return _BREAK.split(text.removeprefix("\ufeff"))


def tokens_of(line: str) -> tuple[str, ...]:
    """Return the words, numbers and single punctuation marks of a line."""
    return tuple(_TOKEN.findall(line[:_LONGEST_COMPARED].replace("'", '"')))


@dataclass(frozen=True, slots=True)
class Bag:
    """A bag of word parts with its Euclidean length, ready for cosine similarity."""

    counts: dict[str, int]
    length: float

    @classmethod
    def of(cls, counts: dict[str, int]) -> Bag:
        """Return a bag with these counts."""
        return cls(counts, sum(count * count for count in counts.values()) ** 0.5)

    def cosine(self, other: Bag) -> float:
        """Return the cosine similarity of two bags, from 0 to 1; two empty ones are equal."""
        if not self.counts or not other.counts:
            return 1.0 if not self.counts and not other.counts else 0.0
        small, large = (self, other) if len(self.counts) <= len(other.counts) else (other, self)
        theirs = large.counts
        common = sum(count * theirs[piece] for piece, count in small.counts.items() if piece in theirs)
        return common / (self.length * other.length)


class Lines:
    """The lines of one version with values derived from them, each computed once. Indices count from 0."""

    def __init__(self, text: str) -> None:
        self.raw = split(text)
        self._tokens: dict[int, tuple[str, ...]] = {}
        self._distinctive: dict[int, int] = {}
        self._roles: dict[int, LineRole] = {}
        self._bags: dict[int, Bag] = {}
        self._contexts: dict[int, tuple[Bag, Bag]] = {}

    def __len__(self) -> int:
        return len(self.raw)

    @cached_property
    def normal(self) -> list[str]:
        """The lines without white space and with one kind of quotes: what formatters preserve."""
        return ["".join(line.split()).replace("'", '"') for line in self.raw]

    @cached_property
    def counts(self) -> Counter[str | tuple[str, str]]:
        """How often each distinctive line occurs, and each pair of consecutive distinctive lines."""
        distinctive = [line for index, line in enumerate(self.normal) if not self.is_trivial(index)]
        return Counter[str | tuple[str, str]]((*distinctive, *pairwise(distinctive)))

    def tokens(self, index: int) -> tuple[str, ...]:
        """Return the tokens of a line."""
        found = self._tokens.get(index)
        if found is None:
            found = self._tokens[index] = tokens_of(self.raw[index])
        return found

    def bag(self, index: int) -> Bag:
        """Return the word parts of a line, so that `getUserName` and `user_name` share two."""
        found = self._bags.get(index)
        if found is None:
            pieces = _PIECE.findall(self.raw[index][:_LONGEST_COMPARED])
            found = self._bags[index] = Bag.of(Counter(piece.lower() for piece in pieces))
        return found

    def role(self, index: int) -> LineRole:
        """Return the role of a line."""
        found = self._roles.get(index)
        if found is None:
            found = self._roles[index] = role_of(self.tokens(index))
        return found

    def distinctive_tokens(self, index: int) -> int:
        """Return how many tokens distinguish a line from others."""
        found = self._distinctive.get(index)
        if found is None:
            found = sum(1 for token in self.tokens(index) if token not in _NOT_DISTINCTIVE)
            self._distinctive[index] = found
        return found

    def is_trivial(self, index: int) -> bool:
        """Return whether a line has no distinctive tokens, so that equal text proves nothing."""
        return self.distinctive_tokens(index) == 0

    def context(self, index: int) -> tuple[Bag, Bag]:
        """Return the word parts of the nearest distinctive lines above and below."""
        found = self._contexts.get(index)
        if found is None:
            above = range(index - 1, max(-1, index - 1 - _CONTEXT_REACH), -1)
            below = range(index + 1, min(len(self.raw), index + 1 + _CONTEXT_REACH))
            found = self._contexts[index] = (self._combined_bag(above), self._combined_bag(below))
        return found

    def _combined_bag(self, indices: range) -> Bag:
        """Return one bag of the first distinctive lines among `indices`."""
        counts: dict[str, int] = {}
        taken = 0
        for index in indices:
            if self.is_trivial(index):
                continue
            for piece, count in self.bag(index).counts.items():
                counts[piece] = counts.get(piece, 0) + count
            taken += 1
            if taken == _CONTEXT_LINES:
                break
        return Bag.of(counts)
