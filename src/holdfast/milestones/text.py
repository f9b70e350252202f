"""Text output shared by the tools: receipts, hints and tables of items.

Contract: stored text passes through `one_line`, because it is untrusted.
"""

from __future__ import annotations

from holdfast.kernel.text import counted, one_line
from holdfast.kernel.text import table as format_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from holdfast.milestones.models import MileItem
    from holdfast.milestones.toolset import MileReceipt

SHORT_ID_CHARACTERS = 8
"""Characters of an id in lists, as in git's abbreviated hashes; any unambiguous prefix names the entity."""

_TITLE_COLUMN, _LABELS_COLUMN = 2, 3


def table(rows: Sequence[Mapping[str, Any]], width: int) -> str:
    """Return one line per item: id, status, title, labels and counts. Only title and labels are shortened."""
    return format_table([_cells(row) for row in rows], width, flexible=(_TITLE_COLUMN, _LABELS_COLUMN))


def items_table(items: Sequence[MileItem], width: int) -> str:
    """Return the items of a result as a table."""
    return table([item.model_dump() for item in items], width)


def append_hint(lines: list[str], hint: str | None) -> str:
    """Return the lines as text, followed by the hint if there is one."""
    return "\n".join([*lines, *([one_line(hint)] if hint else [])])


def receipt_line(done: str, result: MileReceipt) -> str:
    """Return the line for a write: what it did, or that there was nothing to do."""
    if result.repeated:
        done = "this request had been carried out before; nothing was added."
    elif not result.changed:
        done = "nothing to change."
    return f"{result.id[:SHORT_ID_CHARACTERS]}: {done}"


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    comments, open_issues = row["stats"]["comment_count"], row["stats"].get("open_issues")
    numbers = [] if open_issues is None else [f"{open_issues} open"]
    numbers += [counted(comments, "comment")] if comments else []
    labels = one_line(", ".join(row["labels"]))
    return row["id"][:SHORT_ID_CHARACTERS], row["status"], one_line(row["title"]), labels, ", ".join(numbers)
