"""Text that several tools use in their answers: labels, notices, and wrapping for a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.kernel.text import display_width, one_line

if TYPE_CHECKING:
    from holdfast.comments.models import FoundComment, SymbolFacts


UNLIMITED_COLUMNS = 10_000
"""A width wider than any terminal."""

UNTAGGED = "UNTAGGED"
"""Printed in place of the tag of a comment that has none."""

TAGS = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")
"""The tags of the specification, in the order in which summaries list them."""

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
    """Format the symbol that a comment is about: `name()` for a function, else its name and kind."""
    name = one_line(symbol.name)
    return f"{name}()" if symbol.kind in _CALLABLE else f"{name} {one_line(symbol.kind).lower()}"


def strip_tag(text: str, tag: str | None) -> str:
    """Return a text without a leading tag such as `TODO:`."""
    if tag is None:
        return text
    return re.sub(_TAG_PREFIX.format(tag=re.escape(tag)), "", text, count=1) or text


def plain_text_notice(refusal: str, what: str) -> str:
    """Report that a query is not a valid regular expression and was searched as plain text."""
    return f"The {what} is not a valid regular expression ({refusal}); it was searched as plain text."


def damage_notices(damaged: list[str]) -> list[str]:
    """Report the files whose comments could not be read."""
    return [f"The comments of {path} could not be read; `holdfast doctor` shows why." for path in damaged]


def wrap_text(text: str, width: int) -> list[str]:
    """Wrap a text at a width in columns: at spaces, or within a word that is wider than a line."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and display_width(line) + 1 + display_width(word) > width:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
        while display_width(line) > width:
            cut = _length_that_fits(line, width)
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line] if line else lines


def _length_that_fits(text: str, width: int) -> int:
    """Return how many characters of a text fit into a width; at least one."""
    used_columns = 0
    for index, character in enumerate(text):
        used_columns += display_width(character)
        if used_columns > width:
            return max(1, index)
    return len(text)
