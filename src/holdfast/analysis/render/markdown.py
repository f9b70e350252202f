"""Tables in Markdown, and text from the repository in which nothing is markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import visible

Alignment = Literal["---", "---:"]
LEFT: Alignment = "---"
RIGHT: Alignment = "---:"
_LONGEST_CELL = 160
"""Characters of a cell that are shown: a chosen bound, so that no message makes a table too wide."""
_MARKUP = "\\`*_[]<>|#"


def markdown_table(
    head: Sequence[str], rows: Iterable[Iterable[str]], alignment: Sequence[Alignment] = ()
) -> str:
    """Return a table; its cells are Markdown already. Columns are aligned to the left by default."""
    marks = [*alignment, *[LEFT] * (len(head) - len(alignment))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *rows))


def cell(text: object) -> str:
    """Return text for a cell or a list item: one line of bounded length, without tables, code and HTML."""
    shown = shorten(one_line(visible(str(text))), _LONGEST_CELL)
    return shown.replace("|", "\\|").replace("`", "'").replace("<", "&lt;")


def escaped(text: str) -> str:
    """Return text with every character of Markdown escaped."""
    return "".join(f"\\{sign}" if sign in _MARKUP else sign for sign in text)


def code(text: str) -> str:
    """Return text as inline code that can be in a table."""
    safe = text.replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
    return f"`{safe}`"
