"""A regular expression taken apart, as far as searches want to know.

Contract: what is returned says what RE2 takes the expression for. Where the syntax is unusual there is no
answer, and whoever asks has to do without. The expression is one that RE2 accepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

WHITE = frozenset("\t\n\f\r ")
"""What `\\s` matches, and what words are parted by."""

_SPECIAL = frozenset(".^$*+?()[]{}|\\")
_ASSERTIONS = frozenset("bBAz")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CLASSES = {
    "s": WHITE,
    "S": frozenset[str](),
    "w": frozenset[str](),
    "d": frozenset[str](),
    "W": WHITE,
    "D": WHITE,
}
_VISIBLE = {"s": "", "S": r"\S", "w": r"\w", "d": r"\d", "W": r"[^\w\s]", "D": r"[^\d\s]"}
_NAMED = frozenset({"alnum", "alpha", "digit", "graph", "lower", "punct", "upper", "word", "xdigit"})
"""Named classes without white space."""


class _Unusual(Exception):
    """The syntax is not understood here."""


@dataclass(frozen=True)
class Letters:
    """One letter out of some."""

    source: str
    white: frozenset[str]
    """The white space among them."""
    visible: str | None
    """An expression for those that are not white space; empty when all are, None when not known."""
    letter: str | None = None
    """The letter, where there is but one."""


@dataclass(frozen=True)
class Assertion:
    """Something said about a place between two letters."""

    source: str


@dataclass(frozen=True)
class Choice:
    """One of several branches, the first that fits."""

    branches: tuple[Sequence, ...]


@dataclass(frozen=True)
class Repeat:
    """The same again and again."""

    node: Node
    least: int
    most: int | None
    source: str
    """How that was written."""


Node: TypeAlias = Letters | Assertion | Choice | Repeat
Sequence: TypeAlias = tuple[Node, ...]


def parsed(expression: str) -> Choice | None:
    """Return the parts of an expression, or None when its syntax is unusual."""
    reader = _Reader(expression)
    try:
        found = reader.choice()
    except (_Unusual, IndexError, RecursionError):
        return None
    return found if reader.at_end else None


def plain_text(expression: str) -> str | None:
    """Return the text that an expression spells letter by letter, or None when it is more than that."""
    return None if _SPECIAL.intersection(expression) else expression


class _Reader:
    """Walks through an expression once."""

    def __init__(self, expression: str) -> None:
        self._text = expression
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def choice(self) -> Choice:
        branches = [self._sequence()]
        while self._accept("|"):
            branches.append(self._sequence())
        return Choice(tuple(branches))

    def _sequence(self) -> Sequence:
        nodes: list[Node] = []
        while not self.at_end and self._text[self._at] not in "|)":
            nodes.append(self._repeated(self._node()))
        return tuple(nodes)

    def _node(self) -> Node:
        letter = self._take()
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._class()
        if letter == "\\":
            return self._escape()
        if letter in "^$":
            return Assertion(letter)
        if letter == ".":
            return Letters(".", WHITE - {"\n"}, r"\S")
        if letter in "*+?{":
            raise _Unusual
        return _one(letter, letter)

    def _group(self) -> Choice:
        if self._accept("?") and not self._accept(":"):
            self._skip_name()
        found = self.choice()
        if self._take() != ")":
            raise _Unusual
        return found

    def _skip_name(self) -> None:
        self._accept("P")
        if not self._accept("<"):
            raise _Unusual  # flags, which may change what everything after them means
        self._at = self._found(">") + 1

    def _escape(self) -> Node:
        letter = self._take()
        source = "\\" + letter
        if letter in _CLASSES:
            return Letters(source, _CLASSES[letter], _VISIBLE[letter])
        if letter in _ASSERTIONS:
            return Assertion(source)
        return _one(self._spelled(letter), source)

    def _spelled(self, letter: str) -> str:
        """Return the one letter that a backslash and this one stand for."""
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter.isascii() and not letter.isalnum():
            return letter
        raise _Unusual

    def _class(self) -> Letters:
        start = self._at - 1
        is_negated = self._accept("^")
        members = [self._member()]
        while not self._accept("]"):
            members.append(self._member())
        source = self._text[start : self._at]
        known = [member for member in members if member is not None]
        if len(known) < len(members):
            return Letters(source, WHITE, None)
        white = frozenset[str]().union(*(some for some, _ in known))
        if is_negated:
            return Letters(source, WHITE - white, source[:-1] + r"\s]")
        if not any(has_more for _, has_more in known):
            return Letters(source, white, "")
        return Letters(source, white, None if "\n" in white else source)

    def _member(self) -> tuple[frozenset[str], bool] | None:
        """Read a member of a class: its white space, and whether it has more; None when that is not known."""
        letter = self._take()
        if letter == "[" and self._accept(":"):
            end = self._found(":]")
            name = self._text[self._at : end]
            self._at = end + 2
            return (frozenset(), True) if name in _NAMED else None
        if letter == "\\":
            letter = self._take()
            if letter in _CLASSES:
                return _CLASSES[letter], bool(_VISIBLE[letter])
            if letter.isalnum() and letter not in _CONTROLS:
                return None
            letter = self._spelled(letter)
        if self._text[self._at] != "-" or self._text[self._at + 1] == "]":
            return WHITE & {letter}, letter not in WHITE
        self._at += 1
        last = self._take()
        if last == "\\":
            last = self._spelled(self._take())
        return frozenset(white for white in WHITE if letter <= white <= last), True

    def _repeated(self, node: Node) -> Node:
        """Read what says how often."""
        start = self._at
        if self.at_end or self._text[start] not in "*+?{":
            return node
        self._at += 1
        limits = {"*": (0, None), "?": (0, 1), "+": (1, None)}.get(self._text[start])
        least, most = limits or self._braces()
        self._accept("?")
        return Repeat(node, least, most, self._text[start : self._at])

    def _braces(self) -> tuple[int, int | None]:
        end = self._found("}")
        first, comma, last = self._text[self._at : end].partition(",")
        if not all(number.isascii() and number.isdigit() for number in (first, last or first)):
            raise _Unusual
        self._at = end + 1
        return int(first), int(last) if last else None if comma else int(first)

    def _found(self, text: str) -> int:
        position = self._text.find(text, self._at)
        if position < 0:
            raise _Unusual
        return position

    def _take(self) -> str:
        letter = self._text[self._at]
        self._at += 1
        return letter

    def _accept(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False


def _one(letter: str, source: str) -> Letters:
    return Letters(source, WHITE & {letter}, "" if letter in WHITE else source, letter)
