"""Finding tasks: filters, order and keyset pagination as SQL, so that the database does the work."""

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

_ORDERS: dict[str, tuple[str, str, str]] = {
    "priority": ("priority, n", ">", "priority, n"),
    "number": ("n", ">", "n"),
    "updated": ("updated_at DESC, n DESC", "<", "updated_at, n"),
    "ready": ("priority, unblocks DESC, rank, n", ">", "priority, -unblocks, rank, n"),
}
_ALL = "workspace = :workspace"
IN_WORKSPACE_UNINDEXED = "coalesce(workspace, '') = :workspace"
"""The same as `workspace = :workspace`, written so that the planner uses no index that starts with it."""
_READY = "status = 'backlog' AND waits = 0"
"""Written exactly as in the partial index `task_ready`, so that the index also supplies the order."""
ABANDONED = "claim_agent IS NOT NULL AND claim_expires <= :now AND coalesce(status, '') = 'in-progress'"
"""Tasks in progress whose claim has expired."""
AVAILABLE_ABANDONED = f"workspace = :workspace AND {ABANDONED} AND coalesce(waits, 0) = 0"
"""Abandoned tasks that others may take; written so that the planner uses the index on claims."""
_READY_OR_ABANDONED = f"waits = 0 AND (status = 'backlog' OR ({ABANDONED}))"


class Query(NamedTuple):
    """A filter, an order and a page."""

    numbers: Sequence[int] = ()
    status: Sequence[str] = ()
    ready: bool = False
    blocked: bool = False
    agent: str | None = None
    priority: str | None = None
    label: str | None = None
    parent: str | None = None
    """The uid of the task whose subtasks are wanted."""
    milestone: str | None = None
    file: str | None = None
    text: str | None = None
    sort: Sort = "priority"
    limit: int = 20
    offset: int = 0
    cursor: str | None = None

    @property
    def fingerprint(self) -> str:
        """Return what identifies this query, regardless of the page; cursors are bound to it."""
        return f"tasks {self._replace(cursor=None, limit=0, offset=0)}"


class Page(NamedTuple):
    """A page of results, and the total count."""

    tasks: list[Task]
    total: int
    next_cursor: str | None


def find(transaction: TaskTransaction, query: Query) -> Page:
    """Return a page of the tasks that match, and how many match in all."""
    where, values = _condition(transaction, query)
    order, beyond, key = _ORDERS[query.sort]
    after = ""
    if query.cursor is not None:
        position = _position(query, key)
        after = f" AND ({key}) {beyond} ({', '.join(f':k{number}' for number in range(len(position)))})"
        values |= {f"k{number}": value for number, value in enumerate(position)}
    rows = transaction.execute(
        _page(f"{where}{after}", order, query.sort),
        values | {"limit": query.limit + 1, "offset": query.offset},
    ).fetchall()
    tasks = [Task._make(row) for row in rows[: query.limit]]
    more = len(rows) > query.limit
    total = len(rows)
    if more or query.cursor is not None or query.offset:
        total = _count(transaction, where, values)
    return Page(tasks, total, cursor_after(query, tasks[-1]) if more else None)


def _count(transaction: TaskTransaction, where: str, values: dict[str, Any]) -> int:
    if where == _ALL:
        return census.count(transaction)
    return int(transaction.execute(f"SELECT count(*) FROM task WHERE {where}", values).fetchone()[0])


def totals(transaction: TaskTransaction, query: Query) -> dict[str, int]:
    """Return how many tasks match a query, by state."""
    where, values = _condition(transaction, query)
    return dict(
        transaction.execute(
            f"SELECT status, count(*) FROM task WHERE {where} GROUP BY status", values
        ).fetchall()
    )


def _condition(transaction: TaskTransaction, query: Query) -> tuple[str, dict[str, Any]]:
    ready = _READY_OR_ABANDONED if query.ready and _any_abandoned(transaction) else _READY
    closed = transaction.closed_milestones() if query.ready or query.blocked else ()
    where, values = _where(query, ready, closed)
    return where, values | {"workspace": transaction.workspace.id, "now": transaction.now}


def _page(where: str, order: str, sort: Sort) -> str:
    page = f"FROM task WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset"
    if sort != "updated":
        return f"SELECT {COLUMNS} {page}"
    # No index has this order. Sorting uids alone costs half as much as sorting whole rows.
    return f"SELECT {COLUMNS} FROM task WHERE uid IN (SELECT uid {page}) ORDER BY {order}"


def cursor_after(query: Query, task: Task) -> str:
    """Return the cursor of the page that begins after a task."""
    return encode_cursor(query.fingerprint, sort_key(task, query.sort))


def _any_abandoned(transaction: TaskTransaction) -> bool:
    """Return whether there is any abandoned task that others may take."""
    query = f"SELECT 1 FROM task WHERE {AVAILABLE_ABANDONED} LIMIT 1"
    return transaction.ask(query).fetchone() is not None


def in_closed_milestones(closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return a condition that selects tasks of closed milestones, and its parameters."""
    listed, values = in_list(closed, "c")
    return (f"milestone IN {listed}" if closed else "FALSE"), values


def not_in_closed_milestones(closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return an AND clause that excludes tasks of closed milestones, and its parameters."""
    listed, values = in_list(closed, "c")
    return (f" AND (milestone IS NULL OR milestone NOT IN {listed})" if closed else ""), values


def _where(query: Query, ready: str, closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    # Few tasks have a given label or file: use that index instead of scanning the workspace.
    by_name = query.label is not None or query.file is not None
    parts, values = [IN_WORKSPACE_UNINDEXED if by_name else _ALL], dict[str, Any]()
    if query.status:
        listed, named = in_list(query.status, "s")
        parts.append(f"status IN {listed}")
        values |= named
    if query.numbers:
        parts.append(f"n IN ({', '.join(map(str, query.numbers))})")
    if query.ready:
        more, named = not_in_closed_milestones(closed)
        parts.append(ready + more)
        values |= named
    if query.blocked:
        held, named = in_closed_milestones(closed)
        parts.append(f"(status = 'blocked' OR (status = 'backlog' AND (waits > 0 OR {held})))")
        values |= named
    more_parts, named = conditions(query)
    parts += more_parts
    values |= named
    if query.text is not None:
        values["text"] = _pattern(query.text.lower())
        if not query.text.isascii():
            # SQLite's lower() handles ASCII only, so the text is also searched as it was typed.
            parts[-1] = _AS_TYPED
            values["typed"] = _pattern(query.text)
    return " AND ".join(parts), values


_CONDITIONS = {
    "agent": "claim_agent = :agent AND claim_expires > :now",
    "priority": "priority = :priority",
    "label": "uid IN (SELECT task FROM label WHERE label = :label)",
    "parent": "parent = :parent",
    "milestone": "milestone = :milestone",
    "file": "uid IN (SELECT task FROM file WHERE path = :file)",
    "text": r"(lower(title) LIKE :text ESCAPE '\' OR lower(description) LIKE :text ESCAPE '\')",
}


def conditions(wanted: object) -> tuple[list[str], dict[str, Any]]:
    """Return the conditions for the filters that `wanted` sets, and their parameters."""
    given = {name: value for name in _CONDITIONS if (value := getattr(wanted, name, None)) is not None}
    parts = [_CONDITIONS[name] for name in given]
    if "priority" in given:
        given["priority"] = PRIORITIES.index(given["priority"])
    return parts, given


_AS_TYPED = (
    f"({_CONDITIONS['text']}"
    r" OR title LIKE :typed ESCAPE '\' OR description LIKE :typed ESCAPE '\')"
)


def _pattern(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def sort_key(task: Task, sort: Sort) -> list[float]:
    """Return the sort key of a task; keys are compared item by item."""
    names = _ORDERS[sort][2].split(", ")
    return [-getattr(task, name[1:]) if name.startswith("-") else getattr(task, name) for name in names]


def _position(query: Query, key: str) -> list[float]:
    position = decode_cursor(query.fingerprint, query.cursor or "")
    parts = list(position) if isinstance(position, list) else []
    if len(parts) != key.count(",") + 1 or not all(isinstance(part, int | float) for part in parts):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    return parts
