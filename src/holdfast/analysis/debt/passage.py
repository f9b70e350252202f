"""Passages: comments as people read them, their signs taken off and their lines joined.

Line comments that stand below each other in one column are one passage; so is a block comment. A line keeps
the place of its first character behind the signs.
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
    """What one line of a comment says."""

    line: int
    column: int
    text: str


class Passage(NamedTuple):
    """The lines of one comment, or of several that belong together."""

    lines: tuple[CommentLine, ...]
    documentation: bool
    """Whether it describes how to use something, by the signs of its language."""

    @property
    def text(self) -> str:
        """What it says, on one line."""
        return " ".join(line.text for line in self.lines if line.text)


def passages(comments: Iterable[Comment]) -> Iterator[Passage]:
    """Yield the passages of a file, in order."""
    lines: list[CommentLine] = []
    documentation, last = False, Comment(0, 0, -1, _BLOCK[0])
    for comment in comments:
        kind = _DOCUMENTATION.match(comment.text) is not None
        goes_on = comment.line == last.end_line + 1 and comment.column == last.column
        goes_on = goes_on and not (comment.text.startswith(_BLOCK) or last.text.startswith(_BLOCK))
        if lines and not (goes_on and kind is documentation):
            yield Passage(tuple(lines), documentation)
            lines = []
        lines += _lines(comment)
        documentation, last = kind, comment
    if lines:
        yield Passage(tuple(lines), documentation)


def _lines(comment: Comment) -> Iterator[CommentLine]:
    first = comment.column
    for number, text in enumerate(comment.text.split("\n"), comment.line):
        said = text.rstrip()
        for end in _ENDS:
            said = said.removesuffix(end)
        begin = _SIGNS.match(said).end()  # type: ignore[union-attr] # it matches nothing, too
        yield CommentLine(number, first + begin, said[begin:].rstrip(_RULE))
        first = 1
