"""Queries for entities, in SQL with keyset pagination.

A filter compiles to a `Condition`: a Boolean SQL expression over the row `entity`, with `?` for each value.
The expression may use the columns and tables of `schema.TABLES`, the expression `schema.OPEN_ISSUES`, and the
function `holdfast_fold(text)`, which is `str.casefold`. Values are always bound to `?`; the expression never
contains a caller's text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.errors import InvalidArguments, InvalidCursor
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import Kind, Summary
from holdfast.milestones.filter.sql import HAS_LABEL, has_label_parameters
from holdfast.milestones.index.rows import decode_labels, encode_labels
from holdfast.milestones.index.schema import OPEN_ISSUES, SUMMARY_COLUMNS, TITLE_FOLDED

Value = str | int | float | None
Position = tuple[Value, ...]
"""The end of a page: the last item's sort keys, its Lamport time and its id."""

SORT_COLUMNS = {
    "updated": "entity.updated",
    "created": "entity.created",
    "title": TITLE_FOLDED,
    "status": "entity.status_rank",
    "comments": "entity.comments",
    "open_issues": OPEN_ISSUES,
    "due": "coalesce(entity.due_at, 9223372036854775807)",
    "id": "entity.id",
}
"""The sort keys in SQL. Statuses sort as draft, open, closed; entities without due date come last."""

_UNBLOCKED = (
    "NOT EXISTS (SELECT 1 FROM dependency JOIN entity AS first ON first.id = dependency.target"
    " WHERE dependency.entity = entity.id AND first.status <> 'closed')"
)
_UNCLAIMED = "NOT EXISTS (SELECT 1 FROM claim WHERE claim.entity = entity.id AND claim.until > ?)"


class Condition(NamedTuple):
    """A Boolean SQL expression over the index, and the values of its placeholders."""

    sql: str = "1"
    values: Sequence[Value] = ()


EVERYTHING = Condition()


class SortKey(NamedTuple):
    """One sort key: a name in `SORT_COLUMNS`, and its direction."""

    name: str
    descending: bool = False


NEWEST_FIRST = (SortKey("updated", descending=True),)


class EntityQuery(NamedTuple):
    """A query for one page of entities.

    Ties are broken by creation order (or update order, if that is the last key), then by id, in the direction
    of the last key. `after` is the `next` of the previous page.
    """

    kind: Kind
    condition: Condition = EVERYTHING
    include_closed: bool = False
    sort: tuple[SortKey, ...] = NEWEST_FIRST
    after: Position | None = None
    limit: int = 50


class EntityPage(NamedTuple):
    """Entities in order, and the position after which the next page starts; None at the end."""

    items: tuple[Summary, ...]
    next: Position | None


def ready_query(
    now: str, limit: int, *, milestone: str | None = None, labels: Sequence[str] = ()
) -> EntityQuery:
    """Return the query for open issues that are neither claimed nor blocked by an open entity."""
    parts = ["entity.status = 'open'", _UNBLOCKED, _UNCLAIMED, *[HAS_LABEL] * len(labels)]
    values: list[Value] = [now, *(part for label in labels for part in has_label_parameters(label))]
    if milestone is not None:
        parts.append("entity.milestone = ?")
        values.append(milestone)
    condition = Condition(" AND ".join(parts), values)
    return EntityQuery("issue", condition=condition, sort=(SortKey("due"), SortKey("created")), limit=limit)


def page(connection: sqlite3.Connection, query: EntityQuery) -> EntityPage:
    """Return one page of a query: as many items as fit into an answer, but at least one if there are any."""
    if query.limit < 1:
        raise InvalidArguments("A page holds at least one item.", hint="Give a limit of 1 or more.")
    rows = connection.execute(*page_statement(query)).fetchall()
    items = tuple(map(_summary, rows[: query.limit]))
    sizes = accumulate(len(item.title) + len(encode_labels(item.labels)) for item in items)
    items = items[: max(1, sum(total <= LIMITS.entity_page_characters for total in sizes))]
    if len(rows) == len(items):
        return EntityPage(items, None)
    return EntityPage(items, tuple(rows[len(items) - 1][len(Summary._fields) :]))


def _summary(row: Sequence[Any]) -> Summary:
    """Return the summary in a row of `page_statement`."""
    stored: dict[str, Any] = dict(zip(Summary._fields, row, strict=False))  # the position follows
    times = {name: rfc3339_of_seconds(stored[name]) for name in ("created", "updated")}
    return Summary(**stored | times | {"labels": decode_labels(stored["labels"])})


def page_statement(query: EntityQuery) -> tuple[str, list[Value]]:
    """Return the SQL and values of a query for one row more than a page.

    A row has the columns of `Summary`, with labels and times as stored, and then its position.
    """
    keys = _order_columns(query)
    position = ", ".join(column for column, _ in keys)
    order = ", ".join(f"{column} {'DESC' if descending else 'ASC'}" for column, descending in keys)
    wheres = ["entity.kind = ?", query.condition.sql]
    values: list[Value] = [query.kind, *query.condition.values]
    if not query.include_closed:
        wheres.insert(1, "entity.status <> 'closed'")
    if query.after is not None:
        is_after, position_values = _keyset_condition(keys, query.after)
        wheres.append(is_after)
        values += position_values
    open_issues = OPEN_ISSUES if query.kind == "milestone" else "NULL"
    sql = (
        f"SELECT {SUMMARY_COLUMNS}, {open_issues}, {position} FROM entity"
        f" WHERE {' AND '.join(wheres)} ORDER BY {order} LIMIT ?"
    )
    return sql, [*values, query.limit + 1]


def _order_columns(query: EntityQuery) -> list[tuple[str, bool]]:
    """Return the columns that a query sorts by, and whether each sorts in descending order."""
    keys = []
    for key in query.sort:
        if key.name not in SORT_COLUMNS:
            allowed = ", ".join(SORT_COLUMNS)
            raise InvalidArguments(f"'{key.name}' is not a sort key.", hint=f"Sort keys: {allowed}.")
        keys.append((SORT_COLUMNS[key.name], key.descending))
    name, descending = query.sort[-1] if query.sort else ("", False)
    place = "entity.updated_place" if name == "updated" else "entity.created_place"
    return [*keys, (place, descending), (SORT_COLUMNS["id"], descending)]


def _keyset_condition(keys: list[tuple[str, bool]], after: Position) -> tuple[str, list[Value]]:
    """Return the keyset condition for rows after a position; keys may sort in different directions."""
    if len(after) != len(keys):
        raise InvalidCursor("The cursor belongs to another sort order.", hint="Start again without it.")
    if len({descending for _, descending in keys}) == 1:
        columns = ", ".join(column for column, _ in keys)
        placeholders = ", ".join("?" * len(keys))
        return f"({columns}) {'<' if keys[0][1] else '>'} ({placeholders})", list(after)
    # A row comes later if one of its keys does, and all keys before that one are equal.
    alternatives: list[str] = []
    values: list[Value] = []
    for number, (column, descending) in enumerate(keys):
        tests = [f"{earlier} = ?" for earlier, _ in keys[:number]]
        tests.append(f"{column} {'<' if descending else '>'} ?")
        alternatives.append(f"({' AND '.join(tests)})")
        values += after[: number + 1]
    return f"({' OR '.join(alternatives)})", values
