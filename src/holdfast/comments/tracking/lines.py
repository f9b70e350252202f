"""A text as lines that can be compared: normalised, taken apart, and judged by how much they say.

Contract: a role (which kind of block a line opens, which variable it declares) is claimed only where the
words leave little doubt; a line without one is compared by its text alone.
"""

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
"""Characters of a line that comparisons look at; generated files have lines of a megabyte."""

_CONTEXT_LINES = 4
_CONTEXT_REACH = 12
"""Lines on each side among which the context's lines are looked for."""

_KEYWORDS = "end else try do done fi then begin finally pass return break continue default esac"
_SAYS_LITTLE = frozenset([*"{}()[];,:", *_KEYWORDS.split()])


def split(text: str) -> list[str]:
    """Split a text as the sidecars count its lines; a byte order mark is no part of the first."""
    return _BREAK.split(text.removeprefix("\ufeff"))


def tokens_of(line: str) -> tuple[str, ...]:
    """Return words, numbers and single signs."""
    return tuple(_TOKEN.findall(line[:_LONGEST_COMPARED].replace("'", '"')))


@dataclass(frozen=True, slots=True)
class Bag:
    """How often each part of a word occurs, ready for a cosine."""

    counts: dict[str, int]
    length: float

    @classmethod
    def of(cls, counts: dict[str, int]) -> Bag:
        """Return a bag of these counts."""
        return cls(counts, sum(count * count for count in counts.values()) ** 0.5)

    def cosine(self, other: Bag) -> float:
        """Return how alike two bags are, from 0 to 1; two empty ones are alike."""
        if not self.counts or not other.counts:
            return 1.0 if not self.counts and not other.counts else 0.0
        small, large = (self, other) if len(self.counts) <= len(other.counts) else (other, self)
        theirs = large.counts
        common = sum(count * theirs[piece] for piece, count in small.counts.items() if piece in theirs)
        return common / (self.length * other.length)


class Lines:
    """The lines of one version, with what is derived from them made once. Indices count from 0."""

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
        """Lines without white space and with one kind of quotes: what formatters leave equal."""
        return ["".join(line.split()).replace("'", '"') for line in self.raw]

    @cached_property
    def counts(self) -> Counter[str | tuple[str, str]]:
        """How many lines say the same, and how many two in a row do; those that say nothing left out."""
        telling = [line for index, line in enumerate(self.normal) if not self.is_trivial(index)]
        return Counter[str | tuple[str, str]]((*telling, *pairwise(telling)))

    def tokens(self, index: int) -> tuple[str, ...]:
        """Return the tokens of a line."""
        found = self._tokens.get(index)
        if found is None:
            found = self._tokens[index] = tokens_of(self.raw[index])
        return found

    def bag(self, index: int) -> Bag:
        """Return the parts of the words of a line, so that `getUserName` and `user_name` share two."""
        found = self._bags.get(index)
        if found is None:
            pieces = _PIECE.findall(self.raw[index][:_LONGEST_COMPARED])
            found = self._bags[index] = Bag.of(Counter(piece.lower() for piece in pieces))
        return found

    def role(self, index: int) -> LineRole:
        """Return what a line does."""
        found = self._roles.get(index)
        if found is None:
            found = self._roles[index] = role_of(self.tokens(index))
        return found

    def distinctive_tokens(self, index: int) -> int:
        """Return how many tokens of a line tell it from others."""
        found = self._distinctive.get(index)
        if found is None:
            found = sum(1 for token in self.tokens(index) if token not in _SAYS_LITTLE)
            self._distinctive[index] = found
        return found

    def is_trivial(self, index: int) -> bool:
        """Return whether a line says so little that equal text proves nothing."""
        return self.distinctive_tokens(index) == 0

    def context(self, index: int) -> tuple[Bag, Bag]:
        """Return what the nearest lines above and below say, leaving out those that say nothing."""
        found = self._contexts.get(index)
        if found is None:
            above = range(index - 1, max(-1, index - 1 - _CONTEXT_REACH), -1)
            below = range(index + 1, min(len(self.raw), index + 1 + _CONTEXT_REACH))
            found = self._contexts[index] = (self._combined_bag(above), self._combined_bag(below))
        return found

    def _combined_bag(self, indices: range) -> Bag:
        """Return one bag for the first lines of some that say something."""
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
