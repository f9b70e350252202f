"""Text that several tools use in their answers: labels, notices, and wrapping for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdfast.comments.sidecar.note import TAGS
from holdfast.kernel.text import display_width, one_line

if TYPE_CHECKING:
    from holdfast.comments.models import FoundComment, SymbolFacts


UNLIMITED_COLUMNS = 10_000
"""A width wider than any terminal."""

UNTAGGED = "UNTAGGED"
"""Printed in place of the tag of a comment that has none."""

_CALLABLE = frozenset({"Function", "Method", "Constructor"})
_TAG_PREFIX = r"^\s*{tag}\s*:\s*"


def order_tags(tags: Iterable[str]) -> list[str]:
    """Return each tag once: those of the specification in its order, then the others by name."""
    given = set(tags)
    return [tag for tag in TAGS if tag in given] + sorted(given - set(TAGS))


def line_label(line: int, end_line: int | None) -> str:
    """Format a line or a range of lines: `Line 7` or `Line 7-9`."""
    return f"Line {line}" if end_line is None else f"Line {line}-{end_line}"


def path_and_line(comment: FoundComment) -> str:
    """Format a comment's path and lines: `src/app.ts:7` or `src/app.ts:7-9`."""
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


def plain_text_notice(refusal: str, parameter: str) -> str:
    """Report that a parameter is not a valid regular expression and was searched as plain text."""
    return f"The {parameter} is not a valid regular expression ({refusal}); it was searched as plain text."


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
