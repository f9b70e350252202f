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

_EVENT_COLUMNS = (
    "workspace",
    "at",
    "actor",
    "session",
    "task",
    "version",
    "type",
    "before",
    "after",
    "reason",
)
INSERT_EVENT = insert("event", _EVENT_COLUMNS)


def record(
    transaction: TaskTransaction,
    task: Task,
    kind: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> None:
    """Append an event of a task that already has its new version; must be last in a transaction."""
    transaction.append(INSERT_EVENT, [event_row(transaction, task, kind, before, after, reason)])


def record_created(transaction: TaskTransaction, tasks: Sequence[Task]) -> None:
    """Append a `created` event for each task, with its whole state."""
    states = states_of(transaction, tasks)
    events = [
        event_row(transaction, task, "created", None, state)
        for task, state in zip(tasks, states, strict=True)
    ]
    transaction.append(INSERT_EVENT, events)


def record_workspace_event(
    transaction: TaskTransaction,
    kind: str,
    after: Mapping[str, Any],
    reason: str | None = None,
    *,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Append an event of the workspace, about no particular task."""
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
    """Return the state of a task, as events record it, from the tables."""
    return states_of(connection, [task])[0]


def states_of(connection: Connection, tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Return the states of several tasks, with one query per table and batch."""
    lists = {list_name: _items_by_task(connection, list_name, tasks) for list_name in LIST_TABLES}
    states = []
    for task in tasks:
        items: dict[str, list[Any]] = {name: found.get(task.uid, []) for name, found in lists.items()}
        items["labels"] = [label for (label,) in items["labels"]]
        items["depends_on"] = sorted(items["depends_on"])  # independent of the database's collation
        states.append({**scalars_of(task), **items})
    return states


def _items_by_task(
    connection: Connection, list_name: str, tasks: Sequence[Task]
) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for uid, *row in select_by_uids(
        connection, items_query(list_name, "IN {}", "task, "), (task.uid for task in tasks)
    ):
        found[uid].append(row)
    return found


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
    """Return the state after events, given the new values of each as JSON."""
    state: dict[str, Any] = {}
    for text in texts:
        state.update(json.loads(text))
    return state


_SELECT_EVENTS = (
    "SELECT seq, at, actor, session, task, version, type, before, after, reason FROM event"
    " WHERE workspace = :workspace AND seq > :after"
)
_EVENT_FILTERS = {
    "task": " AND task = :task",
    "actor": " AND actor = :actor",
    "file": " AND task IN (SELECT task FROM file WHERE path = :file)",
    "before": " AND seq < :before",
}


def events_after(
    connection: Connection, workspace: str, after: int, limit: int, task: str | None = None
) -> list[Event]:
    """Return the events after a sequence number, oldest first; with `task`, only those of one task."""
    only = "" if task is None else " AND task = :task"
    rows = connection.execute(
        f"{_SELECT_EVENTS}{only} ORDER BY seq LIMIT :limit",
        {"workspace": workspace, "after": after, "limit": limit, "task": task},
    )
    return [_event_from_row(row) for row in rows]


def events_before(
    connection: Connection, workspace: str, after: int, limit: int, wanted: Mapping[str, Any]
) -> list[Event]:
    """Return events, newest first. `wanted` filters by task, actor, file, or `before` a sequence number."""
    filters = {name: value for name, value in wanted.items() if value is not None}
    only = "".join(_EVENT_FILTERS[name] for name in filters)
    values = {"workspace": workspace, "after": after, "limit": limit, **filters}
    found = connection.execute(f"{_SELECT_EVENTS}{only} ORDER BY seq DESC LIMIT :limit", values)
    return [_event_from_row(row) for row in found]


def _event_from_row(row: Sequence[Any]) -> Event:
    *head, before, after, reason = row
    return Event._make((*head, json.loads(before or "{}"), json.loads(after or "{}"), reason))
