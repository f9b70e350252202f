"""Passages: comments without their delimiters, with adjacent lines joined.

Line comments below each other in the same column are one passage, and so is a block comment. A line records
the place of its first character after the signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.syntax.record import Comment

_SIGNS = re.compile(r"\s*(?:<!--|(?:/[/*]+|#+|--+|;+|\*+(?!/))[!<]?)?[\s*#=|~-]*")
_ENDS = ("*/", "-->")
_RULE = " \t\r*#=|~-"
_DOCUMENTATION = re.compile(r"/\*\*[^*/]|/\*!|//[/!](?!/)")
_BLOCK = ("/*", "<!--", "=begin", "--[[")


class CommentLine(NamedTuple):
    """The text of one line of a comment, and its place."""

    line: int
    column: int
    text: str


class Passage(NamedTuple):
    """The lines of one comment, or of adjacent ones."""

    lines: tuple[CommentLine, ...]
    documentation: bool
    """Whether it is a documentation comment, by its signs."""

    @property
    def text(self) -> str:
        """Its text, on one line."""
        return " ".join(line.text for line in self.lines if line.text)


def passages(comments: Iterable[Comment]) -> Iterator[Passage]:
    """Yield the passages of a file, in order."""
    lines: list[CommentLine] = []
    documentation, last = False, Comment(0, 0, -1, _BLOCK[0])
    for comment in comments:
        kind = _DOCUMENTATION.match(comment.text) is not None
        continues = comment.line == last.end_line + 1 and comment.column == last.column
        continues = continues and not (comment.text.startswith(_BLOCK) or last.text.startswith(_BLOCK))
        if lines and not (continues and kind is documentation):
            yield Passage(tuple(lines), documentation)
            lines = []
        lines += _lines(comment)
        documentation, last = kind, comment
    if lines:
        yield Passage(tuple(lines), documentation)


def _lines(comment: Comment) -> Iterator[CommentLine]:
    first = comment.column
    for number, text in enumerate(comment.text.split("\n"), comment.line):
        text_left = text.rstrip()
        for end in _ENDS:
            text_left = text_left.removesuffix(end)
        begin = _SIGNS.match(text_left).end()  # type: ignore[union-attr] # it also matches the empty string
        yield CommentLine(number, first + begin, text_left[begin:].rstrip(_RULE))
        first = 1
