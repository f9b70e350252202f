"""Text output shared by the tools: receipts, hints and tables of items.

Contract: stored text passes through `one_line`, because it is untrusted.
"""

from __future__ import annotations

from holdfast.kernel.text import counted, one_line, table

TYPE_CHECKING = False  # `toolset` imports this module
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.milestones.models import MileItem
    from holdfast.milestones.toolset import MileReceipt

SHORT_ID_CHARACTERS = 8
"""Characters of an id in lists, as in git's abbreviated hashes; any unambiguous prefix names the entity."""

_TITLE_COLUMN, _LABELS_COLUMN = 2, 3


def items_table(items: Sequence[MileItem], width: int) -> str:
    """Return one line per item: id, status, title, labels and counts. Only title and labels are shortened."""
    return table([_cells(item) for item in items], width, flexible=(_TITLE_COLUMN, _LABELS_COLUMN))


def append_hint(lines: list[str], hint: str | None) -> str:
    """Return the lines as text, followed by the hint if there is one."""
    return "\n".join([*lines, *([one_line(hint)] if hint else [])])


def receipt_line(change: str, result: MileReceipt) -> str:
    """Return the line for a write: the change it made, or that there was nothing to do."""
    if result.repeated:
        change = "this request had been carried out before; nothing was added."
    elif not result.changed:
        change = "nothing to change."
    return f"{result.id[:SHORT_ID_CHARACTERS]}: {change}"


def _cells(item: MileItem) -> tuple[str, ...]:
    comments, open_issues = item.stats.comment_count, item.stats.open_issues
    numbers = [] if open_issues is None else [f"{open_issues} open"]
    numbers += [counted(comments, "comment")] if comments else []
    labels = one_line(", ".join(item.labels))
    return item.id[:SHORT_ID_CHARACTERS], item.status, one_line(item.title), labels, ", ".join(numbers)
