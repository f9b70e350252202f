"""A text as lines that can be compared: normalised, taken apart, and judged by how much they say.

Contract: a role (which kind of block a line opens, which variable it declares) is claimed only where the
words leave little doubt; a line without one is compared by its text alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

_BLOCKS = {
    "choice": "if elif elsif elseif unless guard",
    "loop": "for foreach while until do loop repeat",
    "attempt": "try",
    "handler": "catch except rescue",
    "ending": "finally ensure",
    "selection": "switch match when select",
    "hold": "with using lock synchronized",
    "branch": "case default else",
}
_OPENS = {word: kind for kind, words in _BLOCKS.items() for word in words.split()}
_BEFORE_BLOCKS = frozenset(["}", "async", "await", "end"])
_INTRODUCERS = frozenset(["let", "const", "var", "val", "auto", "my", "local"])
_MODIFIERS = frozenset(["mut", "final", "static", "readonly", "volatile", "lateinit"])
_STATEMENTS = (
    "return throw raise break continue goto package import from new delete assert await yield else case "
    "default typedef using namespace in is not and or del global nonlocal use pub fn func def class extends"
)
_NOT_TYPES = frozenset(_STATEMENTS.split())
_IN_TYPES = frozenset("<>[],.?*&@:")
_ENDS_TYPE = frozenset(">]?*&")
_ENDS_NAME = frozenset("=;")


@dataclass(frozen=True, slots=True)
class Role:
    """A kind of block, or the name of a variable."""

    opens: str = ""
    word: str = ""
    """The word that opens the block."""
    declares: str = ""


NO_ROLE = Role()


def role_of(tokens: Sequence[str]) -> Role:
    """Return what a line with these tokens does."""
    place = _keyword(tokens)
    if place is not None:
        return Role(opens=_OPENS[tokens[place]], word=tokens[place])
    return Role(declares=_declared(tokens)) if tokens else NO_ROLE


def _keyword(tokens: Sequence[str]) -> int | None:
    """Return which token opens a block: the first but for what may stand before it, as a label may."""
    start = 0
    while start < len(tokens) and tokens[start] in _BEFORE_BLOCKS:
        start += 1
    if start + 2 < len(tokens) and tokens[start + 1] == ":" and _is_name(tokens[start]):
        start += 2
    if start + 1 < len(tokens) and tokens[start] == "else" and tokens[start + 1] in _OPENS:
        start += 1
    return start if start < len(tokens) and tokens[start] in _OPENS else None


def _declared(tokens: Sequence[str]) -> str:
    """Return the name of the variable that a line declares, or nothing."""
    if tokens[0] in _INTRODUCERS:
        words = [token for token in tokens[1:4] if token not in _MODIFIERS]
        return words[0] if words and _is_name(words[0]) else ""
    for place, token in enumerate(tokens):
        if token in _ENDS_NAME:
            return _named(tokens[:place], tokens[place : place + 2])
        if not (_is_name(token) or token in _IN_TYPES):
            return ""
    return ""


def _named(before: Sequence[str], sign: Sequence[str]) -> str:
    """Return the name at the end of what stands before a sign, if a type stands before the name."""
    if before and before[-1] == ":" and sign[0] == "=":  # Go
        return before[0] if all(_is_name(part) or part == "," for part in before[:-1]) else ""
    if len(before) < 2 or not _is_name(before[-1]) or list(sign) == ["=", "="]:
        return ""
    is_type = _is_name(before[-2]) or before[-2] in _ENDS_TYPE
    return before[-1] if is_type and not _NOT_TYPES.intersection(before[:-1]) else ""


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] in "_$"


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
        self._says: dict[int, int] = {}
        self._roles: dict[int, Role] = {}
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

    def role(self, index: int) -> Role:
        """Return what a line does."""
        found = self._roles.get(index)
        if found is None:
            found = self._roles[index] = role_of(self.tokens(index))
        return found

    def says(self, index: int) -> int:
        """Return how many tokens of a line tell it from others."""
        found = self._says.get(index)
        if found is None:
            found = sum(1 for token in self.tokens(index) if token not in _SAYS_LITTLE)
            self._says[index] = found
        return found

    def is_trivial(self, index: int) -> bool:
        """Return whether a line says so little that equal text proves nothing."""
        return self.says(index) == 0

    def context(self, index: int) -> tuple[Bag, Bag]:
        """Return what the nearest lines above and below say, leaving out those that say nothing."""
        found = self._contexts.get(index)
        if found is None:
            above = range(index - 1, max(-1, index - 1 - _CONTEXT_REACH), -1)
            below = range(index + 1, min(len(self.raw), index + 1 + _CONTEXT_REACH))
            found = self._contexts[index] = (self._gathered(above), self._gathered(below))
        return found

    def _gathered(self, indices: range) -> Bag:
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


_LAYOUT = frozenset("()[]{},;\\")
"""What formatters add and take away where they break lines."""

_LEAST_REFLOWED = 4
"""Tokens by which a statement is known again wherever its lines are broken."""

_MOST_REFLOWED = 12


class Stream:
    """The tokens of some lines in one row, without those that come and go with the layout."""

    def __init__(self, lines: Lines, start: int, end: int) -> None:
        self.first = start
        self.tokens: list[str] = []
        self.starts: list[int] = []
        """The number of the first token of each line, and of one more line at the end."""
        for index in range(start, end):
            self.starts.append(len(self.tokens))
            self.tokens += [token for token in lines.tokens(index) if token not in _LAYOUT]
        self.starts.append(len(self.tokens))
        self._text = "\0".join(["", *self.tokens, ""])
        self._places = [0, *accumulate(len(token) + 1 for token in self.tokens)]

    def only(self, tokens: Sequence[str]) -> int | None:
        """Return where tokens stand that fill whole lines, if they stand in one place only."""
        needle = "\0".join(["", *tokens, ""])
        place = self._text.find(needle)
        if place < 0 or self._text.find(needle, place + 1) >= 0:
            return None
        number = bisect_left(self._places, place)
        return number if self._breaks(number) and self._breaks(number + len(tokens)) else None

    def _breaks(self, number: int) -> bool:
        """Return whether a line begins with a token, or the last one ends before it."""
        return self.starts[bisect_left(self.starts, number)] == number


def reflowed(old: Stream, new: Stream, index: int) -> int | None:
    """Return the line on which an old line begins now, where the same tokens only stand on other lines."""
    at = index - old.first
    if old.starts[at] == old.starts[at + 1]:
        return None
    for size in range(1, _MOST_REFLOWED + 1):
        for first in range(max(0, at - size + 1), min(at, len(old.starts) - 1 - size) + 1):
            start, end = old.starts[first], old.starts[first + size]
            tokens = old.tokens[start:end]
            place = new.only(tokens) if len(tokens) >= _LEAST_REFLOWED else None
            if place is not None and old.only(tokens) is not None:
                return new.first + bisect_right(new.starts, place + old.starts[at] - start) - 1
    return None
