"""Rows of a list as a table as wide as the terminal, with nothing but the standard library.

Quick commands draw the same tables as the whole program, so that both import this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

SHORT_ID = 8
"""How much of an id lists show; enough to name it as long as it is unmistakable."""

_GAP = "  "
_LEAST_TITLE = 12
_WIDE = (
    (0x1100, 0x115F),
    (0x2E80, 0x303E),
    (0x3041, 0xA4CF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x3FFFD),
)
"""What takes two columns. The exact tables take too long to load for a command that runs all day."""


def table(rows: Sequence[Mapping[str, Any]], width: int) -> str:
    """Return items as lines of id, status, title, labels and numbers; only the title and labels are cut."""
    cells = [_cells(row) for row in rows]
    fixed = [max(columns(row[column]) for row in cells) for column in (0, 1)]
    numbers = max(columns(row[4]) for row in cells)
    left = width - sum(fixed) - 2 * len(_GAP) - (numbers + len(_GAP) if numbers else 0)
    labels = min(max(columns(row[3]) for row in cells), max(0, (left - _LEAST_TITLE) // 2))
    title = max(_LEAST_TITLE, left - (labels + len(_GAP) if labels else 0))
    title = min(title, max(columns(row[2]) for row in cells))
    widths = (*fixed, title, labels, numbers)
    return "\n".join(_line(row, widths) for row in cells)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(ord(character)) for character in text)


def _columns(character: int) -> int:
    if 0x300 <= character <= 0x36F or character in (0x200D, 0xFE0E, 0xFE0F):
        return 0
    return 2 if any(first <= character <= last for first, last in _WIDE) else 1


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    comments, open_issues = row["stats"]["comment_count"], row["stats"].get("open_issues")
    numbers = [] if open_issues is None else [f"{open_issues} open"]
    numbers += [f"{comments} comment{'' if comments == 1 else 's'}"] if comments else []
    labels = _one_line(", ".join(row["labels"]))
    return row["id"][:SHORT_ID], row["status"], _one_line(row["title"]), labels, ", ".join(numbers)


def _one_line(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        from holdfast.kernel.untrusted import visible  # loads what most titles do not need

        text = visible(text)
    return " ".join(text.split())


def _line(row: tuple[str, ...], widths: tuple[int, ...]) -> str:
    shown = [_fitted(cell, width) for cell, width in zip(row, widths, strict=True) if width]
    return _GAP.join(shown).rstrip()


def _fitted(text: str, width: int) -> str:
    taken = columns(text)
    if taken <= width:
        return text + " " * (width - taken)
    kept = ""
    for character in text:
        if columns(kept) + columns(character) > width - 1:
            break
        kept += character
    return f"{kept}…" + " " * (width - 1 - columns(kept))
