"""Finding tasks: conditions, order and pages as SQL, so that the database does the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.tasks.store import census
from holdfast.tasks.store.records import COLUMNS, Task
from holdfast.tasks.store.rows import among
from holdfast.tasks.store.states import PRIORITIES
from holdfast.tasks.store.transaction import Transaction

Sort = Literal["priority", "number", "updated", "ready"]

_ORDERS: dict[str, tuple[str, str, str]] = {
    "priority": ("priority, n", ">", "priority, n"),
    "number": ("n", ">", "n"),
    "updated": ("updated_at DESC, n DESC", "<", "updated_at, n"),
    "ready": ("priority, unblocks DESC, rank, n", ">", "priority, -unblocks, rank, n"),
}
_ALL = "workspace = :workspace"
IN_WORKSPACE_AS_WELL = "coalesce(workspace, '') = :workspace"
"""The same as `workspace = :workspace`, said so that no index of the workspace is used for it."""
_READY = "status = 'backlog' AND waits = 0"
"""Written as the index of ready tasks has it, so that their order comes for nothing."""
LEFT_BEHIND = "claim_agent IS NOT NULL AND claim_expires <= :now AND coalesce(status, '') = 'in-progress'"
"""What is in progress by a claim that ran out."""
TO_TAKE_OVER = f"workspace = :workspace AND {LEFT_BEHIND} AND coalesce(waits, 0) = 0"
"""What somebody else may go on with; said so that the index of claims is used for it, not that of states."""
_READY_OR_LEFT_BEHIND = f"waits = 0 AND (status = 'backlog' OR ({LEFT_BEHIND}))"


class Query(NamedTuple):
    """Which tasks, in which order, how many at a time."""

    numbers: Sequence[int] = ()
    status: Sequence[str] = ()
    ready: bool = False
    blocked: bool = False
    agent: str | None = None
    priority: str | None = None
    label: str | None = None
    parent: str | None = None
    """The name for ever of a task whose subtasks are meant."""
    milestone: str | None = None
    file: str | None = None
    text: str | None = None
    sort: Sort = "priority"
    limit: int = 20
    offset: int = 0
    cursor: str | None = None

    @property
    def fingerprint(self) -> str:
        """Return what tells this query from another one, whichever page is asked for."""
        return f"tasks {self._replace(cursor=None, limit=0, offset=0)}"


class Page(NamedTuple):
    """Some of the tasks that a query finds."""

    tasks: list[Task]
    total: int
    next_cursor: str | None


def find(transaction: Transaction, query: Query) -> Page:
    """Return a page of what a query finds, and how many it finds in all."""
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


def _count(transaction: Transaction, where: str, values: dict[str, Any]) -> int:
    if where == _ALL:
        return census.count(transaction)
    return int(transaction.execute(f"SELECT count(*) FROM task WHERE {where}", values).fetchone()[0])


def totals(transaction: Transaction, query: Query) -> dict[str, int]:
    """Return how many tasks of each state a query finds."""
    where, values = _condition(transaction, query)
    return dict(
        transaction.execute(
            f"SELECT status, count(*) FROM task WHERE {where} GROUP BY status", values
        ).fetchall()
    )


def _condition(transaction: Transaction, query: Query) -> tuple[str, dict[str, Any]]:
    ready = _READY_OR_LEFT_BEHIND if query.ready and _left_behind(transaction) else _READY
    closed = transaction.closed_milestones() if query.ready or query.blocked else ()
    where, values = _where(query, ready, closed)
    return where, values | {"workspace": transaction.workspace.id, "now": transaction.now}


def _page(where: str, order: str, sort: Sort) -> str:
    page = f"FROM task WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset"
    if sort != "updated":
        return f"SELECT {COLUMNS} {page}"
    # No index has this order: sorting names alone costs half of sorting whole tasks.
    return f"SELECT {COLUMNS} FROM task WHERE uid IN (SELECT uid {page}) ORDER BY {order}"


def cursor_after(query: Query, task: Task) -> str:
    """Return what asks for those that a query finds after a task."""
    return encode_cursor(query.fingerprint, _key(task, query.sort))


def _left_behind(transaction: Transaction) -> bool:
    """Tell whether a claim ran out on a task that somebody else may take now."""
    query = f"SELECT 1 FROM task WHERE {TO_TAKE_OVER} LIMIT 1"
    return transaction.ask(query).fetchone() is not None


def of_closed(closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return the condition of tasks of closed milestones, and the values in it."""
    listed, values = among(closed, "c")
    return (f"milestone IN {listed}" if closed else "FALSE"), values


def not_of_closed(closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return what is added to a condition to leave out tasks of closed milestones, and the values in it."""
    listed, values = among(closed, "c")
    return (f" AND (milestone IS NULL OR milestone NOT IN {listed})" if closed else ""), values


def _where(query: Query, ready: str, closed: Sequence[str]) -> tuple[str, dict[str, Any]]:
    # Few tasks have a label or a file: they are found by it, and not by going through the workspace.
    by_name = query.label is not None or query.file is not None
    parts, values = [IN_WORKSPACE_AS_WELL if by_name else _ALL], dict[str, Any]()
    if query.status:
        listed, named = among(query.status, "s")
        parts.append(f"status IN {listed}")
        values |= named
    if query.numbers:
        parts.append(f"n IN ({', '.join(map(str, query.numbers))})")
    if query.ready:
        more, named = not_of_closed(closed)
        parts.append(ready + more)
        values |= named
    if query.blocked:
        held, named = of_closed(closed)
        parts.append(f"(status = 'blocked' OR (status = 'backlog' AND (waits > 0 OR {held})))")
        values |= named
    more_parts, named = conditions(query)
    parts += more_parts
    values |= named
    if query.text is not None:
        values["text"] = _pattern(query.text.lower())
        if not query.text.isascii():
            # SQLite knows no small letters beyond ASCII: what was typed is looked for as it was typed, too.
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
    """Return what a task has to fulfil where something is wished of it, and the values in that."""
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


def _key(task: Task, sort: str) -> list[float]:
    """Return the values by which a task has its place in an order."""
    names = _ORDERS[sort][2].split(", ")
    return [-getattr(task, name[1:]) if name.startswith("-") else getattr(task, name) for name in names]


def _position(query: Query, key: str) -> list[float]:
    position = decode_cursor(query.fingerprint, query.cursor or "")
    parts = list(position) if isinstance(position, list) else []
    if len(parts) != key.count(",") + 1 or not all(isinstance(part, int | float) for part in parts):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    return parts
