"""The event log: what happened to each task, in order.

Contract:
- Every change of a task is one event with the task's new version; versions count from 1 without gaps.
- Replaying a task's events yields exactly what `state_of` reads from the tables. Timestamps in the row and
  the expiry of a lease are not part of that state.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.items import PARTS, items_query
from holdfast.tasks.store.records import Event, Task, encoded
from holdfast.tasks.store.statements import insert, rows_of
from holdfast.tasks.store.transaction import TaskTransaction

_EVENT = ("workspace", "at", "actor", "session", "task", "version", "type", "before", "after", "reason")
INSERT_EVENT = insert("event", _EVENT)


def record(
    transaction: TaskTransaction,
    task: Task,
    kind: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> None:
    """Append an event of a task that already has its new version; must come last in a transaction."""
    transaction.append(INSERT_EVENT, [event_row(transaction, task, kind, before, after, reason)])


def record_created(transaction: TaskTransaction, tasks: Sequence[Task]) -> None:
    """Append a `created` event for each task, with its whole state."""
    states = states_of(transaction, tasks)
    events = [
        event_row(transaction, task, "created", None, state)
        for task, state in zip(tasks, states, strict=True)
    ]
    transaction.append(INSERT_EVENT, events)


def note(
    transaction: TaskTransaction,
    kind: str,
    after: Mapping[str, Any],
    reason: str | None = None,
    *,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Append an event that concerns the workspace and no particular task."""
    transaction.append(INSERT_EVENT, [event_row(transaction, None, kind, before, after, reason)])


def event_row(
    transaction: TaskTransaction,
    task: Task | None,
    kind: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    reason: str | None = None,
) -> dict[str, Any]:
    """Return the row of an event."""
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
    """Return the state of a task that events record, read from the tables."""
    return states_of(connection, [task])[0]


def states_of(connection: Connection, tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Return the state of several tasks, with one query per table and batch."""
    lists, states = {sort: _by_task(connection, sort, tasks) for sort in PARTS}, []
    for task in tasks:
        items: dict[str, list[Any]] = {name: found.get(task.uid, []) for name, found in lists.items()}
        items["labels"] = [label for (label,) in items["labels"]]
        items["depends_on"] = sorted(items["depends_on"])  # independent of the database's collation
        states.append({**scalars_of(task), **items})
    return states


def _by_task(connection: Connection, sort: str, tasks: Sequence[Task]) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for uid, *row in rows_of(connection, items_query(sort, "IN {}", "task, "), (task.uid for task in tasks)):
        found[uid].append(row)
    return found


def scalars_of(task: Task) -> dict[str, Any]:
    """Return the part of a task's state that is in its own row."""
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


def unlike_history(connection: Connection, tasks: Sequence[Task]) -> Iterator[Task]:
    """Yield the tasks whose replayed events give a different state than the tables."""
    recorded: dict[str, list[str]] = defaultdict(list)
    query = "SELECT task, after FROM event WHERE task IN {} AND after IS NOT NULL ORDER BY seq"
    for uid, after in rows_of(connection, query, (task.uid for task in tasks)):
        recorded[uid].append(after)
    for task, state in zip(tasks, states_of(connection, tasks), strict=True):
        # Most tasks have a single event: comparing its JSON text avoids parsing it.
        if recorded[task.uid] != [encoded(state)] and _replayed(recorded[task.uid]) != state:
            yield task


def _replayed(texts: Iterable[str]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for text in texts:
        state.update(json.loads(text))
    return state


_EVENTS = (
    "SELECT seq, at, actor, session, task, version, type, before, after, reason FROM event"
    " WHERE workspace = :workspace AND seq > :after"
)
_EVENTS_OF = {
    "task": " AND task = :task",
    "actor": " AND actor = :actor",
    "file": " AND task IN (SELECT task FROM file WHERE path = :file)",
    "before": " AND seq < :before",
}


def events_after(
    connection: Connection, workspace: str, after: int, limit: int, task: str | None = None
) -> list[Event]:
    """Return the events after a sequence number, oldest first."""
    only = "" if task is None else " AND task = :task"
    rows = connection.execute(
        f"{_EVENTS}{only} ORDER BY seq LIMIT :limit",
        {"workspace": workspace, "after": after, "limit": limit, "task": task},
    )
    return [_event(row) for row in rows]


def events_before(
    connection: Connection, workspace: str, after: int, limit: int, wanted: Mapping[str, Any]
) -> list[Event]:
    """Return events, newest first, filtered by task, actor, file, or `before` a sequence number."""
    given = {name: value for name, value in wanted.items() if value is not None}
    only = "".join(_EVENTS_OF[name] for name in given)
    values = {"workspace": workspace, "after": after, "limit": limit, **given}
    found = connection.execute(f"{_EVENTS}{only} ORDER BY seq DESC LIMIT :limit", values)
    return [_event(row) for row in found]


def _event(row: Sequence[Any]) -> Event:
    *head, before, after, reason = row
    return Event._make((*head, json.loads(before or "{}"), json.loads(after or "{}"), reason))
