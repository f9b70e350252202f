"""The lexer of the filter language. Tokens carry their column.

Contract: text that is not a token is `Invalid`, with its column. Nothing else is raised.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.kernel.errors import Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.text import shorten

_SPACE = re.compile(r"\s+")
_OPERATOR = re.compile(r"==|!=|<=|>=|&&|\|\||[=<>!~()\[\],]")
_ATOM = re.compile(r"[\w\-./@:+#]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
_UNICODE_ESCAPE = re.compile(r"u([0-9a-fA-F]{4})")

_MAX_QUOTED_CHARACTERS = 40  # of a token, so that the error message fits a line

END = "end"
OPERATOR = "operator"
STRING = "string"
ATOM = "atom"


class FilterToken(NamedTuple):
    """A token: its kind, its text, and the column of its first character, counted from 1."""

    kind: str
    text: str
    column: int

    def is_operator(self, *texts: str) -> bool:
        return self.kind == OPERATOR and self.text in texts

    def is_word(self, *words: str) -> bool:
        """Return whether this is one of these words, unquoted, in upper or lower case."""
        return self.kind == ATOM and self.text.lower() in words

    def quoted(self) -> str:
        """Return the token as error messages quote it."""
        if self.kind == END:
            return "the end"
        return f'"{shorten(self.text, _MAX_QUOTED_CHARACTERS)}"'


def invalid(column: int, problem: str, hint: str | None = None, **data: object) -> Invalid:
    """Return the error for a filter, with the column of the problem."""
    return Invalid(f"Filter, column {column}: {problem}.", hint=hint, column=column, **data)


def refuse_deep_nesting(depth: int, token: FilterToken) -> None:
    """Raise if the expression that a token opens is nested too deep."""
    if depth > LIMITS.filter_depth:
        problem = f"the filter nests deeper than {LIMITS.filter_depth} levels"
        raise invalid(token.column, problem, "Leave out unnecessary parentheses.")


def tokenize(text: str) -> list[FilterToken]:
    """Return the tokens of a filter; the last has the kind `END`."""
    _check_encoding_and_size(text)
    tokens: list[FilterToken] = []
    position = 0
    while position < len(text):
        if space := _SPACE.match(text, position):
            position = space.end()
            continue
        token, position = _read_token(text, position)
        tokens.append(token)
    return [*tokens, FilterToken(END, "", len(text) + 1)]


def _check_encoding_and_size(text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as failure:
        raise invalid(failure.start + 1, "this is not valid Unicode text") from None
    if size > LIMITS.filter_bytes:
        raise Invalid(
            f"The filter has {size} bytes; at most {LIMITS.filter_bytes} are allowed.",
            hint="Shorten it, or page through the sorted results of a shorter filter.",
        )


def _read_token(text: str, position: int) -> tuple[FilterToken, int]:
    column = position + 1
    if operator := _OPERATOR.match(text, position):
        return FilterToken(OPERATOR, operator.group(), column), operator.end()
    if text[position] in "\"'":
        return _read_string(text, position)
    if atom := _ATOM.match(text, position):
        return FilterToken(ATOM, atom.group(), column), atom.end()
    raise invalid(
        column,
        f"{text[position]!r} has no meaning here",
        'Write fields, comparisons and values, such as status == "open" and label in ["bug", "urgent"].',
    )


def _read_string(text: str, opening: int) -> tuple[FilterToken, int]:
    quote, position = text[opening], opening + 1
    parts: list[str] = []
    while position < len(text):
        character = text[position]
        if character == quote:
            return FilterToken(STRING, "".join(parts), opening + 1), position + 1
        if character == "\\":
            part, position = _read_escape(text, position)
        else:
            part, position = character, position + 1
        parts.append(part)
    raise invalid(opening + 1, "the quoted text has no end", f"Close it with {quote}.")


def _read_escape(text: str, backslash: int) -> tuple[str, int]:
    following = text[backslash + 1 : backslash + 2]
    if following in _ESCAPES:
        return _ESCAPES[following], backslash + 2
    if spelled := _UNICODE_ESCAPE.match(text, backslash + 1):
        character = chr(int(spelled.group(1), 16))
        if character != "\0" and not "\ud800" <= character <= "\udfff":
            return character, spelled.end()
    raise invalid(
        backslash + 1,
        f'"\\{following}" is not an escape',
        r"""Inside quotes write \\ for a backslash, and \" \' \n \t \r \uXXXX for these characters.""",
    )


class TokenCursor:
    """A cursor over the tokens of a filter, which both parsers extend.

    `kind` is the kind of entity that is filtered, and `now` the current time in seconds since 1970.
    """

    def __init__(self, tokens: list[FilterToken], kind: str, now: float) -> None:
        self._tokens = tokens
        self._kind = kind
        self._now = now
        self._position = 0

    @property
    def _next(self) -> FilterToken:
        return self._tokens[self._position]

    def _take(self) -> FilterToken:
        token = self._next
        if token.kind != END:
            self._position += 1
        return token

    def _expect(self, symbol: str) -> FilterToken:
        token = self._take()
        if not token.is_operator(symbol):
            raise invalid(token.column, f'expected "{symbol}", found {token.quoted()}')
        return token
