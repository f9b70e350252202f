"""Passages: the text of comments without delimiters, as the input of the search for debt.

A passage is a block comment, or line comments below each other in the same column. Each of its lines has the
place of its first character after the delimiter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.syntax.record import Comment

_OPENING_DELIMITER = re.compile(r"\s*(?:<!--|(?:/[/*]+|#+|--+|;+|\*+(?!/))[!<]?)?[\s*#=|~-]*")
_CLOSING_DELIMITERS = ("*/", "-->")
_DECORATION = " \t\r*#=|~-"
"""Characters that authors draw lines and boxes with."""
_DOCUMENTATION_DELIMITER = re.compile(r"/\*\*[^*/]|/\*!|//[/!](?!/)")
_BLOCK_DELIMITERS = ("/*", "<!--", "=begin", "--[[")


class CommentLine(NamedTuple):
    """The text of one line of a comment, and its place."""

    line: int
    column: int
    text: str


class Passage(NamedTuple):
    """The lines of one comment, or of adjacent ones."""

    lines: tuple[CommentLine, ...]
    is_documentation: bool
    """Whether its delimiter marks it as a documentation comment, as `/**` does."""

    @property
    def text(self) -> str:
        """The text of all lines, on one line."""
        return " ".join(line.text for line in self.lines if line.text)


def passages(comments: Iterable[Comment]) -> Iterator[Passage]:
    """Yield the passages of a file, in order."""
    lines: list[CommentLine] = []
    last: Comment | None = None
    for comment in comments:
        if last is not None and not _continues(last, comment):
            yield Passage(tuple(lines), _is_documentation(last))
            lines = []
        lines += _comment_lines(comment)
        last = comment
    if last is not None:
        yield Passage(tuple(lines), _is_documentation(last))


def _continues(last: Comment, comment: Comment) -> bool:
    if last.text.startswith(_BLOCK_DELIMITERS) or comment.text.startswith(_BLOCK_DELIMITERS):
        return False
    is_below = comment.line == last.end_line + 1 and comment.column == last.column
    return is_below and _is_documentation(comment) == _is_documentation(last)


def _is_documentation(comment: Comment) -> bool:
    return _DOCUMENTATION_DELIMITER.match(comment.text) is not None


def _comment_lines(comment: Comment) -> Iterator[CommentLine]:
    column = comment.column
    for number, line in enumerate(comment.text.split("\n"), comment.line):
        text = line.rstrip()
        for delimiter in _CLOSING_DELIMITERS:
            text = text.removesuffix(delimiter)
        start = _OPENING_DELIMITER.match(text).end()  # type: ignore[union-attr] # it also matches nothing
        yield CommentLine(number, column + start, text[start:].rstrip(_DECORATION))
        column = 1
