"""What every text must contain that a regular expression can match.

An expression such as `rate\\s+limit(er|ing)` matches no text without `rate` and `limit`. Knowing that, a
search looks up which comments have these letters instead of trying the expression on all of them.

Contract: what is returned is a necessary condition, never a sufficient one. Where the syntax is unusual the
answer is None: nothing is known, and every text has to be tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_SPECIAL = frozenset(".^$*+?()[]{}|\\")
_BREAKING_ESCAPES = frozenset("dDwWsSbBAz")
_CONTROL_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


class _Unusual(Exception):
    """The syntax is not understood here."""


@dataclass
class Every:
    """Texts that must all occur, and choices each of which must be met."""

    texts: list[str] = field(default_factory=list)
    choices: list[list[Every]] = field(default_factory=list)


def plain_text(expression: str) -> str | None:
    """Return the text that an expression spells letter by letter, or None when it is more than that."""
    return None if _SPECIAL.intersection(expression) else expression


def required(expression: str) -> Every | None:
    """Return what a match must contain, or None when nothing is known."""
    reader = _Reader(expression)
    try:
        branches = reader.alternatives()
        if not reader.at_end:
            return None
    except (_Unusual, IndexError, RecursionError):
        return None
    return branches[0] if len(branches) == 1 else Every(choices=[branches])


class _Reader:
    """Walks through an expression once."""

    def __init__(self, expression: str) -> None:
        self._text = expression
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def alternatives(self) -> list[Every]:
        branches = [self._sequence()]
        while self._accept("|"):
            branches.append(self._sequence())
        return branches

    def _sequence(self) -> Every:
        found = Every()
        run = ""
        while not self.at_end and self._text[self._at] not in "|)":
            letter, inner = self._atom()
            least, is_repeated = self._repetition()
            if letter is not None and least > 0:
                run += letter
                if not is_repeated:
                    continue
            elif inner is not None and least > 0:
                found.choices.append(inner)
            found.texts.append(run)
            run = ""
        found.texts.append(run)
        found.texts = [text for text in found.texts if text]
        return found

    def _atom(self) -> tuple[str | None, list[Every] | None]:
        """Read one letter, or a group with its alternatives, or something else that is neither."""
        letter = self._take()
        if letter == "(":
            return None, self._group()
        if letter == "[":
            self._skip_class()
            return None, None
        if letter == "\\":
            return self._escape(), None
        if letter in ".^$":
            return None, None
        if letter in "*+?{":
            raise _Unusual
        return letter, None

    def _group(self) -> list[Every]:
        if self._accept("?") and not self._accept(":"):
            self._skip_name()
        branches = self.alternatives()
        if self._take() != ")":
            raise _Unusual
        return branches

    def _skip_name(self) -> None:
        self._accept("P")
        if not self._accept("<"):
            raise _Unusual  # flags, which may change what everything after them means
        self._at = self._found(">") + 1

    def _skip_class(self) -> None:
        self._accept("^")
        self._accept("]")
        while (letter := self._take()) != "]":
            if letter == "\\":
                self._take()
            elif letter == "[" and self._accept(":"):
                self._at = self._found(":]") + 2

    def _escape(self) -> str | None:
        letter = self._take()
        if letter in _BREAKING_ESCAPES:
            return None
        if letter in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[letter]
        if letter.isascii() and not letter.isalnum():
            return letter
        raise _Unusual

    def _repetition(self) -> tuple[int, bool]:
        """Read what says how often: the least number, and whether it may be another than one."""
        if self.at_end:
            return 1, False
        letter = self._text[self._at]
        if letter not in "*+?{":
            return 1, False
        self._at += 1
        least = {"*": 0, "?": 0, "+": 1}.get(letter)
        if least is None:
            least = self._least_of_braces()
        self._accept("?")
        return least, True

    def _least_of_braces(self) -> int:
        end = self._found("}")
        number = self._text[self._at : end].partition(",")[0]
        if not (number.isascii() and number.isdigit()):
            raise _Unusual
        self._at = end + 1
        return int(number)

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
