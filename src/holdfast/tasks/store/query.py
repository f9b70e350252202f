"""Finds tasks: builds SQL for filters, order and keyset pagination, so that the database does the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.tasks.store import census
from holdfast.tasks.store.records import COLUMNS, Task
from holdfast.tasks.store.statements import in_list
from holdfast.tasks.store.states import PRIORITIES
from holdfast.tasks.store.transaction import TaskTransaction

Sort = Literal["priority", "number", "updated", "ready"]

READY_ORDER = "priority, unblocks DESC, rank, n"
"""The order in which ready tasks are assigned."""


class _Order(NamedTuple):
    clause: str
    """What follows ORDER BY."""
    comparison: str
    """The comparison of sort keys that holds for the rows after a given one."""
    key: str
    """The sort key in SQL, for keyset pagination."""


_ORDERS: dict[Sort, _Order] = {
    "priority": _Order("priority, n", ">", "priority, n"),
    "number": _Order("n", ">", "n"),
    "updated": _Order("updated_at DESC, n DESC", "<", "updated_at, n"),
    "ready": _Order(READY_ORDER, ">", "priority, -unblocks, rank, n"),
}
IN_WORKSPACE = "workspace = :workspace"
IN_WORKSPACE_UNINDEXED = "coalesce(workspace, '') = :workspace"
"""Equivalent to `workspace = :workspace`, but the planner uses no index that starts with the workspace."""
READY = "status = 'backlog' AND waits = 0"
"""The condition of the partial index `task_ready`, word for word, so that the index also gives the order."""
ABANDONED = "claim_agent IS NOT NULL AND claim_expires <= :now AND coalesce(status, '') = 'in-progress'"
"""Tasks in progress whose claim has expired."""
AVAILABLE_ABANDONED = f"workspace = :workspace AND {ABANDONED} AND coalesce(waits, 0) = 0"
"""Abandoned tasks that others may take; `coalesce` makes the planner use the index on claims."""
_READY_OR_ABANDONED = f"waits = 0 AND (status = 'backlog' OR ({ABANDONED}))"


class Query(NamedTuple):
    """A filter for tasks, an order, and a page. The conditions that are set must all hold."""

    numbers: Sequence[int] = ()
    status: Sequence[str] = ()
    ready: bool = False
    """Only tasks that may be taken now."""
    blocked: bool = False
    """Only tasks that are blocked by their status, an unfinished dependency or a closed milestone."""
    agent: str | None = None
    """The holder of a live claim."""
    priority: str | None = None
    label: str | None = None
    parent: str | None = None
    """The uid of the task whose subtasks are wanted."""
    milestone: str | None = None
    file: str | None = None
    text: str | None = None
    """Part of the title or description, in any case."""
    sort: Sort = "priority"
    limit: int = 20
    offset: int = 0
    cursor: str | None = None

    @property
    def fingerprint(self) -> str:
        """A text that identifies the query without its page; a cursor is valid only for one query."""
        return f"tasks {self._replace(cursor=None, limit=0, offset=0)}"


class Page(NamedTuple):
    """A page of tasks, the number of all that match, and the cursor of the next page."""

    tasks: list[Task]
    total: int
    next_cursor: str | None


def find(transaction: TaskTransaction, query: Query) -> Page:
    """Return a page of the tasks that match a query."""
    where, values = _build_condition(transaction, query)
    order = _ORDERS[query.sort]
    after = ""
    if query.cursor is not None:
        position = _decode_position(query, order.key)
        placeholders = ", ".join(f":k{number}" for number in range(len(position)))
        after = f" AND ({order.key}) {order.comparison} ({placeholders})"
        values |= {f"k{number}": value for number, value in enumerate(position)}
    rows = transaction.execute(
        _page_query(f"{where}{after}", order.clause, query.sort),
        values | {"limit": query.limit + 1, "offset": query.offset},  # one more shows whether a page follows
    ).fetchall()
    tasks = [Task._make(row) for row in rows[: query.limit]]
    has_more = len(rows) > query.limit
    if not has_more and query.cursor is None and not query.offset:
        total = len(rows)
    elif where == IN_WORKSPACE:  # no filter
        total = census.task_count(transaction)
    else:
        total = int(transaction.execute(f"SELECT count(*) FROM task WHERE {where}", values).fetchone()[0])
    return Page(tasks, total, cursor_after(query, tasks[-1]) if has_more else None)


def count_by_status(transaction: TaskTransaction, query: Query) -> dict[str, int]:
    """Return the number of tasks that match a query, by status."""
    where, values = _build_condition(transaction, query)
    rows = transaction.execute(f"SELECT status, count(*) FROM task WHERE {where} GROUP BY status", values)
    return dict(rows.fetchall())


def _build_condition(transaction: TaskTransaction, query: Query) -> tuple[str, dict[str, Any]]:
    ready = READY  # the condition of an index, unless some task was abandoned
    if query.ready:
        statement = f"SELECT 1 FROM task WHERE {AVAILABLE_ABANDONED} LIMIT 1"
        if transaction.run_in_workspace(statement).fetchone() is not None:
            ready = _READY_OR_ABANDONED
    closed = transaction.closed_milestones() if query.ready or query.blocked else ()
    where, values = _where_clause(query, ready, closed)
    return where, values | {"workspace": transaction.workspace.id, "now": transaction.now}


def _page_query(where: str, order: str, sort: Sort) -> str:
    page = f"FROM task WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset"
    if sort != "updated":
        return f"SELECT {COLUMNS} {page}"
    # No index has this order. Sorting uids alone costs half as much as sorting whole rows.
    return f"SELECT {COLUMNS} FROM task WHERE uid IN (SELECT uid {page}) ORDER BY {order}"


def cursor_after(query: Query, task: Task) -> str:
    """Return the cursor of the page after a task."""
    return encode_cursor(query.fingerprint, sort_key(task, query.sort))


def in_closed_milestones(closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return a condition that selects tasks of closed milestones, and its parameters."""
    listed, values = in_list(closed, "c")
    return (f"milestone IN {listed}" if closed else "FALSE"), values


def not_in_closed_milestones(closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return an AND clause that excludes tasks of closed milestones, and its parameters."""
    listed, values = in_list(closed, "c")
    return (f" AND (milestone IS NULL OR milestone NOT IN {listed})" if closed else ""), values


def _where_clause(query: Query, ready: str, closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    # Few tasks have a given label or file: use that index instead of scanning the workspace.
    by_name = query.label is not None or query.file is not None
    parts = [IN_WORKSPACE_UNINDEXED if by_name else IN_WORKSPACE]
    values: dict[str, Any] = {}
    if query.status:
        listed, named = in_list(query.status, "s")
        parts.append(f"status IN {listed}")
        values |= named
    if query.numbers:
        parts.append(f"n IN ({', '.join(map(str, query.numbers))})")
    if query.ready:
        not_closed, named = not_in_closed_milestones(closed)
        parts.append(ready + not_closed)
        values |= named
    if query.blocked:
        in_closed, named = in_closed_milestones(closed)
        parts.append(f"(status = 'blocked' OR (status = 'backlog' AND (waits > 0 OR {in_closed})))")
        values |= named
    conditions, named = filter_conditions(query)
    parts += conditions
    values |= named
    if query.text is not None:
        text = _CONTAINS_TEXT
        values["text"] = _like_pattern(query.text.lower())
        if not query.text.isascii():
            # SQLite's lower() handles ASCII only, so the text is searched as it was typed, too.
            text = f"({text} OR {_CONTAINS_TYPED_TEXT})"
            values["typed"] = _like_pattern(query.text)
        parts.append(text)
    return " AND ".join(parts), values


_CONTAINS_TEXT = r"(lower(title) LIKE :text ESCAPE '\' OR lower(description) LIKE :text ESCAPE '\')"
_CONTAINS_TYPED_TEXT = r"(title LIKE :typed ESCAPE '\' OR description LIKE :typed ESCAPE '\')"


_CONDITIONS = {
    "agent": "claim_agent = :agent AND claim_expires > :now",
    "priority": "priority = :priority",
    "label": "uid IN (SELECT task FROM label WHERE label = :label)",
    "parent": "parent = :parent",
    "milestone": "milestone = :milestone",
    "file": "uid IN (SELECT task FROM file WHERE path = :file)",
}


def filter_conditions(wanted: NamedTuple) -> tuple[list[str], dict[str, Any]]:
    """Return the SQL conditions for the fields of a `Query` or `ClaimFilter`, and their parameters.

    Fields that are None or that `_CONDITIONS` does not name have no condition here.
    """
    fields = wanted._asdict()
    values = {name: fields[name] for name in _CONDITIONS if fields.get(name) is not None}
    parts = [_CONDITIONS[name] for name in values]
    if "priority" in values:
        values["priority"] = PRIORITIES.index(values["priority"])
    return parts, values


def _like_pattern(text: str) -> str:
    """Return the pattern with which LIKE finds a text anywhere; its own wildcards are escaped."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def sort_key(task: Task, sort: Sort) -> list[float]:
    """Return the sort key of a task in an order; keys compare item by item."""
    names = _ORDERS[sort].key.split(", ")
    return [-getattr(task, name[1:]) if name.startswith("-") else getattr(task, name) for name in names]


def _decode_position(query: Query, key: str) -> list[float]:
    """Return the sort key in the query's cursor; raise if it does not have as many parts as `key`."""
    position = decode_cursor(query.fingerprint, query.cursor or "")
    parts = list(position) if isinstance(position, list) else []
    if len(parts) != key.count(",") + 1 or not all(isinstance(part, int | float) for part in parts):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    return parts
