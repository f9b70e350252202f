"""The lines of one version, prepared for comparison: normalized, split into tokens and word parts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from holdfast.comments.tracking.line_roles import LineRole, role_of

LINE_BREAK = re.compile(r"\r\n|\n")
"""The line breaks that editors and sidecars count."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")

_MAX_COMPARED_CHARACTERS = 1000
"""Characters of a line that are compared. A judgement: generated files have lines of a megabyte."""

_CONTEXT_LINES = 4
"""Distinctive lines on each side that form the context, as in LHDiff (Asaduzzaman et al., 2013)."""

_MAX_CONTEXT_DISTANCE = 12
"""Lines on each side that are searched for the context. A judgement: farther lines belong to other code."""

_COMMON_KEYWORDS = "end else try do done fi then begin finally pass return break continue default esac"
_COMMON_TOKENS = frozenset([*"{}()[];,:", *_COMMON_KEYWORDS.split()])
"""Tokens that do not distinguish a line from others."""


def split_lines(text: str) -> list[str]:
    """Split a text into lines as sidecars count them, without a byte order mark."""
    return LINE_BREAK.split(text.removeprefix("\ufeff"))


def tokens_of(line: str) -> tuple[str, ...]:
    """Return the words, numbers and single punctuation marks of a line; both kinds of quotes are equal."""
    return tuple(_TOKEN.findall(line[:_MAX_COMPARED_CHARACTERS].replace("'", '"')))


@dataclass(frozen=True, slots=True)
class Bag:
    """A bag of word parts with its Euclidean length, ready for cosine similarity."""

    counts: dict[str, int]
    length: float

    @classmethod
    def of(cls, counts: dict[str, int]) -> Bag:
        return cls(counts, sum(count * count for count in counts.values()) ** 0.5)

    def cosine(self, other: Bag) -> float:
        """Return the cosine similarity of two bags, from 0 to 1; two empty ones are equal."""
        if not self.counts or not other.counts:
            return 1.0 if not self.counts and not other.counts else 0.0
        small, large = (self, other) if len(self.counts) <= len(other.counts) else (other, self)
        theirs = large.counts
        common = sum(
            count * theirs[word_part] for word_part, count in small.counts.items() if word_part in theirs
        )
        return common / (self.length * other.length)


class Lines:
    """The lines of one version, by index from 0, with values derived from them, each computed once."""

    def __init__(self, text: str) -> None:
        self.raw = split_lines(text)
        self._tokens: dict[int, tuple[str, ...]] = {}
        self._distinctive: dict[int, int] = {}
        self._roles: dict[int, LineRole] = {}
        self._bags: dict[int, Bag] = {}
        self._contexts: dict[int, tuple[Bag, Bag]] = {}

    def __len__(self) -> int:
        return len(self.raw)

    @cached_property
    def normalized(self) -> list[str]:
        """The lines in a form that formatters preserve: without white space, and with one kind of quotes."""
        return ["".join(line.split()).replace("'", '"') for line in self.raw]

    @cached_property
    def counts(self) -> Counter[str | tuple[str, str]]:
        """How often each distinctive line occurs, and each pair of consecutive distinctive lines."""
        distinctive = [line for index, line in enumerate(self.normalized) if not self.is_trivial(index)]
        return Counter[str | tuple[str, str]]((*distinctive, *pairwise(distinctive)))

    def tokens(self, index: int) -> tuple[str, ...]:
        found = self._tokens.get(index)
        if found is None:
            found = self._tokens[index] = tokens_of(self.raw[index])
        return found

    def bag(self, index: int) -> Bag:
        """Return the word parts of a line in lower case: `getUserName` and `user_name` have two in common."""
        found = self._bags.get(index)
        if found is None:
            word_parts = _WORD_PART.findall(self.raw[index][:_MAX_COMPARED_CHARACTERS])
            found = self._bags[index] = Bag.of(Counter(word_part.lower() for word_part in word_parts))
        return found

    def role(self, index: int) -> LineRole:
        found = self._roles.get(index)
        if found is None:
            found = self._roles[index] = role_of(self.tokens(index))
        return found

    def distinctive_tokens(self, index: int) -> int:
        """Return how many tokens distinguish a line from others."""
        found = self._distinctive.get(index)
        if found is None:
            found = sum(1 for token in self.tokens(index) if token not in _COMMON_TOKENS)
            self._distinctive[index] = found
        return found

    def is_trivial(self, index: int) -> bool:
        """Return whether a line has no distinctive tokens, so that equal text proves nothing."""
        return self.distinctive_tokens(index) == 0

    def context(self, index: int) -> tuple[Bag, Bag]:
        """Return the word parts of the nearest distinctive lines above and below."""
        found = self._contexts.get(index)
        if found is None:
            above = range(index - 1, max(-1, index - 1 - _MAX_CONTEXT_DISTANCE), -1)
            below = range(index + 1, min(len(self.raw), index + 1 + _MAX_CONTEXT_DISTANCE))
            found = self._contexts[index] = (self._combined_bag(above), self._combined_bag(below))
        return found

    def _combined_bag(self, indices: range) -> Bag:
        """Return one bag of the first distinctive lines among `indices`."""
        counts: dict[str, int] = {}
        taken = 0
        for index in indices:
            if self.is_trivial(index):
                continue
            for word_part, count in self.bag(index).counts.items():
                counts[word_part] = counts.get(word_part, 0) + count
            taken += 1
            if taken == _CONTEXT_LINES:
                break
        return Bag.of(counts)
