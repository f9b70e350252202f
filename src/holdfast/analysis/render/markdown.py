"""Renders tables in Markdown, and text from the repository so that nothing in it is read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import visible

Alignment = Literal["---", "---:"]
LEFT: Alignment = "---"
RIGHT: Alignment = "---:"
_MAX_CELL_CHARACTERS = 160
"""Characters of a cell: a judgement, so that no message makes a table much wider than a screen."""
_MARKUP = "\\`*_[]<>|#"


def markdown_table(
    header: Sequence[str], rows: Iterable[Iterable[str]], alignment: Sequence[Alignment] = ()
) -> str:
    """Return a table of cells that are already Markdown. Columns are aligned to the left by default."""
    delimiters = [*alignment, *[LEFT] * (len(header) - len(alignment))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, delimiters, *rows))


def cell(text: object) -> str:
    """Return text for a cell or an item, on one line and shortened, without anything that is markup there."""
    return inline(shorten(one_line(visible(str(text))), _MAX_CELL_CHARACTERS))


def inline(text: object) -> str:
    """Return text on one line, without anything that is markup there."""
    return one_line(visible(str(text))).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")


def escape(text: str) -> str:
    """Return text with every special character of Markdown escaped."""
    return "".join(f"\\{character}" if character in _MARKUP else character for character in text)


def code(text: str) -> str:
    """Return text as inline code, also for use in a table."""
    safe = text.replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
    return f"`{safe}`"
