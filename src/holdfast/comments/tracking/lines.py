"""The lines of one version, prepared for comparison: normalized, split into tokens and word parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice, pairwise
from math import hypot

from holdfast.comments.tracking.line_roles import role_of

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


def count_distinctive(tokens: Iterable[str]) -> int:
    """Return how many tokens distinguish a line from others."""
    return sum(token not in _COMMON_TOKENS for token in tokens)


@dataclass(frozen=True, slots=True)
class Bag:
    """A bag of word parts with its Euclidean length, ready for cosine similarity."""

    counts: dict[str, int]
    length: float

    @classmethod
    def of(cls, line: str) -> Bag:
        """Return the word parts of a line in lower case: `getUserName` and `user_name` have two in common."""
        return cls._with_length(Counter(map(str.lower, _WORD_PART.findall(line[:_MAX_COMPARED_CHARACTERS]))))

    @classmethod
    def sum(cls, bags: Iterable[Bag]) -> Bag:
        counts: dict[str, int] = {}
        for bag in bags:
            for word_part, count in bag.counts.items():
                counts[word_part] = counts.get(word_part, 0) + count
        return cls._with_length(counts)

    @classmethod
    def _with_length(cls, counts: dict[str, int]) -> Bag:
        return cls(counts, hypot(*counts.values()))

    def cosine(self, other: Bag) -> float:
        """Return the cosine similarity of two bags, from 0 to 1; two empty ones are equal."""
        if not self.counts or not other.counts:
            return 1.0 if not self.counts and not other.counts else 0.0
        small, large = (self, other) if len(self.counts) <= len(other.counts) else (other, self)
        dot_product = sum(
            count * large.counts[part] for part, count in small.counts.items() if part in large.counts
        )
        return dot_product / (self.length * other.length)


class Lines:
    """The lines of one version, by index from 0, with values derived from them, each computed once."""

    def __init__(self, text: str) -> None:
        # The cached functions do not refer to `self`: without that cycle it is freed at once after use.
        raw = self.raw = split_lines(text)
        tokens = self.tokens = cache(lambda index: tokens_of(raw[index]))
        self.role = cache(lambda index: role_of(tokens(index)))
        distinctive_tokens = self.distinctive_tokens = cache(lambda index: count_distinctive(tokens(index)))
        """How many tokens distinguish a line from others."""
        bag = self.bag = cache(lambda index: Bag.of(raw[index]))
        self.context = cache(lambda index: _context(len(raw), index, distinctive_tokens, bag))
        """The word parts of the nearest distinctive lines above, and of those below."""

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

    def condition(self, index: int) -> tuple[str, ...]:
        """Return the tokens after the keyword that opens a block, or all tokens of a line that opens none."""
        tokens, word = self.tokens(index), self.role(index).word
        return tokens[tokens.index(word) + 1 :] if word else tokens

    def is_trivial(self, index: int) -> bool:
        """Return whether a line has no distinctive tokens, so that equal text proves nothing."""
        return self.distinctive_tokens(index) == 0


def _context(
    line_count: int, index: int, distinctive_tokens: Callable[[int], int], bag: Callable[[int], Bag]
) -> tuple[Bag, Bag]:
    above = range(index - 1, max(-1, index - 1 - _MAX_CONTEXT_DISTANCE), -1)
    below = range(index + 1, min(line_count, index + 1 + _MAX_CONTEXT_DISTANCE))
    nearest_above, nearest_below = (
        islice(filter(distinctive_tokens, indices), _CONTEXT_LINES) for indices in (above, below)
    )
    return Bag.sum(map(bag, nearest_above)), Bag.sum(map(bag, nearest_below))
