"""The first page of a list for quick commands: what `git_mile.list` answers without sort keys.

Contract: the rows are those that `list_entities` would return, or `OutOfTheOrdinary` is raised.
"""

from __future__ import annotations

from _sqlite3 import Connection, Error

from holdfast.milestones.index.schema import OPEN_ISSUES
from holdfast.milestones.quick import OutOfTheOrdinary, connect_fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ORDINARY_CHARACTERS = 100_000
_LABELS = "SELECT value FROM json_each(?)"


def listed(
    start: str, kind: str, limit: int, filter_text: str = "", *, include_closed: bool
) -> tuple[list[dict[str, Any]], tuple[int, str] | None]:
    """Return the items of the first page, and the position after it when there are more."""
    wanted, values = _condition(filter_text, kind, include_closed=include_closed)
    connection = connect_fresh(start)
    try:
        if connection.execute("SELECT EXISTS (SELECT 1 FROM damage)").fetchone()[0]:
            raise OutOfTheOrdinary
        connection.create_function("holdfast_fold", 1, _folded, deterministic=True)
        rows = connection.execute(_statement(kind, wanted), (kind, *values, limit + 1)).fetchall()
        if sum(len(row[1]) + len(row[3]) for row in rows) > _ORDINARY_CHARACTERS:
            raise OutOfTheOrdinary
        items = [_item(connection, row) for row in rows[:limit]]
    except Error as error:
        raise OutOfTheOrdinary from error
    finally:
        connection.close()
    return items, (rows[limit - 1][-1], rows[limit - 1][0]) if len(rows) > limit else None


def _condition(filter_text: str, kind: str, *, include_closed: bool) -> tuple[str, list[Any]]:
    """Return what rows must meet besides their kind."""
    hidden = "1" if include_closed else "entity.status <> 'closed'"
    if not filter_text.strip():
        return hidden, []
    from time import time

    from holdfast.kernel.errors import Invalid
    from holdfast.milestones.filter.expression import asks_for_closed
    from holdfast.milestones.filter.language import parse_filter
    from holdfast.milestones.filter.sql import condition

    try:
        expression = parse_filter(filter_text, kind, time())
    except Invalid as error:
        raise OutOfTheOrdinary from error
    if expression is None or (asks_for_closed(expression) and not include_closed):
        raise OutOfTheOrdinary
    text, values = condition(expression)
    return f"{hidden} AND {text}", values


def _folded(text: object) -> str | None:
    return text.casefold() if isinstance(text, str) else None


def _statement(kind: str, wanted: str) -> str:
    open_issues = OPEN_ISSUES if kind == "milestone" else "NULL"
    return (
        f"SELECT entity.id, title, status, labels, comments, {open_issues}, updated FROM entity"  # noqa: S608 - ours
        f" WHERE entity.kind = ? AND {wanted} ORDER BY updated DESC, id DESC LIMIT ?"
    )


def _item(connection: Connection, row: tuple[Any, ...]) -> dict[str, Any]:
    name, title, status, written, comments, open_issues, _ = row
    stats = {"comment_count": comments}
    if open_issues is not None:
        stats["open_issues"] = open_issues
    labels = [] if written == "[]" else _labels(connection, written)
    return {"id": name, "title": title, "status": status, "labels": labels, "stats": stats}


def _labels(connection: Connection, written: str) -> list[str]:
    """Return the labels of a JSON array; where it has no escapes, no label has a quotation mark."""
    if "\\" not in written:
        return written[2:-2].split('", "')
    return [label for (label,) in connection.execute(_LABELS, (written,))]
