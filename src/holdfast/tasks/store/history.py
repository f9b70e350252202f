"""The event log: records, reads and verifies the changes of each task, in order.

Contract:
- Every change of a task is one event, which has the task's new version. Versions count from 1 without gaps.
- Replaying a task's events yields exactly the state that `state_of` reads from the tables. The timestamps of
  the row and the expiry of a lease are not part of that state.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.items import LIST_TABLES, items_query
from holdfast.tasks.store.records import Event, Task, encoded
from holdfast.tasks.store.statements import insert, select_by_uids
from holdfast.tasks.store.transaction import TaskTransaction

INSERT_EVENT = insert("event", ["workspace", *(name for name in Event._fields if name != "seq")])


def record(
    transaction: TaskTransaction,
    task: Task | None,
    kind: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> None:
    """Append an event of a task that already has its new version, or of the workspace if `task` is None."""
    event = _event_row(transaction, task, kind, before=before, after=after, reason=reason)
    transaction.append(INSERT_EVENT, [event])


def record_created(transaction: TaskTransaction, tasks: Sequence[Task]) -> None:
    """Append a `created` event for each task, with its whole state."""
    states = states_of(transaction, tasks)
    events = [
        _event_row(transaction, task, "created", before=None, after=state)
        for task, state in zip(tasks, states, strict=True)
    ]
    transaction.append(INSERT_EVENT, events)


def _event_row(
    transaction: TaskTransaction,
    task: Task | None,
    kind: str,
    *,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    reason: str | None = None,
) -> dict[str, Any]:
    return {
        "workspace": transaction.workspace.id if task is None else task.workspace,
        "at": transaction.now,
        "actor": transaction.who.actor,
        "session": transaction.who.session,
        "task": None if task is None else task.uid,
        "version": 0 if task is None else task.version,
        "type": kind,
        "before": encoded(before) if before else None,
        "after": encoded(after) if after else None,
        "reason": reason,
    }


def state_of(connection: Connection, task: Task) -> dict[str, Any]:
    """Return the current state of a task in the form in which events record it."""
    return states_of(connection, [task])[0]


def states_of(connection: Connection, tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Return the states of several tasks in their order, with one query per table and batch."""
    lists = {list_name: _items_by_task(connection, list_name, tasks) for list_name in LIST_TABLES}
    states = []
    for task in tasks:
        items: dict[str, list[Any]] = {name: rows.get(task.uid, []) for name, rows in lists.items()}
        items["labels"] = [label for (label,) in items["labels"]]
        items["depends_on"] = sorted(items["depends_on"])  # independent of the database's collation
        states.append({**scalars_of(task), **items})
    return states


def _items_by_task(
    connection: Connection, list_name: str, tasks: Sequence[Task]
) -> dict[str, list[list[Any]]]:
    rows: dict[str, list[list[Any]]] = defaultdict(list)
    query = items_query(list_name, "IN {}", first="task, ")
    for uid, *row in select_by_uids(connection, query, (task.uid for task in tasks)):
        rows[uid].append(row)
    return rows


def scalars_of(task: Task) -> dict[str, Any]:
    """Return the part of a task's state that its own row holds."""
    return {
        "title": task.title,
        "description": task.description,
        "status": task.status,
        "priority": task.priority_name,
        "progress": task.progress,
        "parent": task.parent,
        "milestone": task.milestone,
        "criteria": [] if task.criteria == "[]" else json.loads(task.criteria),
        "evidence": [] if task.evidence == "[]" else json.loads(task.evidence),
        "notes": task.notes,
        "plan": task.plan,
        "rank": task.rank,
        "issue_number": task.issue_number,
        "issue_url": task.issue_url,
        "claimed_by": task.claim_agent,
    }


def find_history_mismatches(connection: Connection, tasks: Sequence[Task]) -> Iterator[Task]:
    """Yield the tasks whose replayed events differ from their state in the tables."""
    recorded: dict[str, list[str]] = defaultdict(list)
    query = "SELECT task, after FROM event WHERE task IN {} AND after IS NOT NULL ORDER BY seq"
    for uid, after in select_by_uids(connection, query, (task.uid for task in tasks)):
        recorded[uid].append(after)
    for task, state in zip(tasks, states_of(connection, tasks), strict=True):
        # Most tasks have a single event: comparing its JSON text avoids parsing it.
        if recorded[task.uid] != [encoded(state)] and _replay(recorded[task.uid]) != state:
            yield task


def _replay(texts: Iterable[str]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for text in texts:
        state.update(json.loads(text))
    return state


_SELECT_EVENTS = f"SELECT {', '.join(Event._fields)} FROM event WHERE workspace = :workspace AND seq > :after"
_EVENT_FILTERS = {
    "task": " AND task = :task",
    "actor": " AND actor = :actor",
    "file": " AND task IN (SELECT task FROM file WHERE path = :file)",
    "before": " AND seq < :before",
}


def events_after(
    connection: Connection, workspace: str, after: int, limit: int | None, task: str | None = None
) -> list[Event]:
    """Return the events after a sequence number, oldest first; `task` is the uid of the only task, if any."""
    only = "" if task is None else _EVENT_FILTERS["task"]
    maximum = "" if limit is None else " LIMIT :limit"
    rows = connection.execute(
        f"{_SELECT_EVENTS}{only} ORDER BY seq{maximum}",
        {"workspace": workspace, "after": after, "limit": limit, "task": task},
    )
    return [_event_from_row(row) for row in rows]


def newest_events(
    connection: Connection, workspace: str, after: int, limit: int, wanted: Mapping[str, Any]
) -> list[Event]:
    """Return the events after a sequence number that match `wanted`, newest first.

    `wanted` may have the uid of a `task`, an `actor`, the path of a `file` that the task is about, and the
    sequence number `before` which the events must be; None means any.
    """
    filters = {name: value for name, value in wanted.items() if value is not None}
    only = "".join(_EVENT_FILTERS[name] for name in filters)
    values = {"workspace": workspace, "after": after, "limit": limit, **filters}
    rows = connection.execute(f"{_SELECT_EVENTS}{only} ORDER BY seq DESC LIMIT :limit", values)
    return [_event_from_row(row) for row in rows]


def _event_from_row(row: Sequence[Any]) -> Event:
    *head, before, after, reason = row
    return Event._make((*head, json.loads(before or "{}"), json.loads(after or "{}"), reason))
