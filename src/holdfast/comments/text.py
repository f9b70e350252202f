"""The text that the answers of several tools share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.kernel.text import display_width, one_line

if TYPE_CHECKING:
    from holdfast.comments.models import FoundComment, SymbolFacts


UNLIMITED = 10_000
"""A width wider than any terminal."""

UNTAGGED = "UNTAGGED"
TAGS = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")
_CALLABLE = frozenset({"Function", "Method", "Constructor"})
_TAG_PREFIX = r"^\s*{tag}\s*:\s*"


def line_label(line: int, end_line: int | None) -> str:
    """Format a line or a range of lines."""
    return f"Line {line}" if end_line is None else f"Line {line}-{end_line}"


def path_and_line(comment: FoundComment) -> str:
    """Format a comment's path and lines."""
    end = "" if comment.end_line is None else f"-{comment.end_line}"
    return f"{comment.file_path}:{comment.line}{end}"


def anchor_label(symbol: SymbolFacts) -> str:
    """Name the symbol a comment is about: a function with parentheses, anything else with its kind."""
    name = one_line(symbol.name)
    return f"{name}()" if symbol.kind in _CALLABLE else f"{name} {one_line(symbol.kind).lower()}"


def without_tag(text: str, tag: str | None) -> str:
    """Return a text without the tag at its beginning."""
    if tag is None:
        return text
    return re.sub(_TAG_PREFIX.format(tag=re.escape(tag)), "", text, count=1) or text


def plain_text_notice(refusal: str, what: str) -> str:
    """Report that a query is not a valid regular expression and was searched as plain text."""
    return f"The {what} is not a valid regular expression ({refusal}); it was searched as plain text."


def damage_notices(damaged: list[str]) -> list[str]:
    """Report the files whose comments could not be read."""
    return [f"The comments of {path} could not be read; `holdfast doctor` shows why." for path in damaged]


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text at a width, at spaces if there are any."""
    pieces: list[str] = []
    line = ""
    for word in text.split():
        if line and display_width(line) + 1 + display_width(word) > width:
            pieces.append(line)
            line = ""
        line = f"{line} {word}" if line else word
        while display_width(line) > width:
            cut = _fitting(line, width)
            pieces.append(line[:cut])
            line = line[cut:]
    return [*pieces, line] if line else pieces


def _fitting(text: str, width: int) -> int:
    taken = 0
    for number, letter in enumerate(text):
        taken += display_width(letter)
        if taken > width:
            return max(1, number)
    return len(text)
