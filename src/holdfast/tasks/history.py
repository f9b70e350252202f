"""Events: what happened to each task, in order, and how its state follows from them.

Contract:
- Every change of a task is one event with the task's new version; versions count from 1 without a gap.
- `replayed` makes of a task's events exactly what `state_of` reads from the tables. The moments in the row
  and the end of a lease are not part of it: they follow from when things happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.storage.sql import Connection, SqlStore
from holdfast.tasks.records import Event, Task, Who
from holdfast.tasks.rows import attachments_of, files_of, labels_of, links_of, needs_of

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)

INSERT_EVENT = (
    "INSERT INTO event (workspace, at, actor, session, task, version, type, before, after, reason)"
    " VALUES (:workspace, :at, :actor, :session, :task, :version, :type, :before, :after, :reason)"
)


def event_row(
    task: Task,
    kind: str,
    who: Who,
    at: float,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> dict[str, Any]:
    """Return what is stored about something that happened to a task, which has its new version already."""
    return {
        "workspace": task.workspace,
        "at": at,
        "actor": who.actor,
        "session": who.session,
        "task": task.uid,
        "version": task.version,
        "type": kind,
        "before": None if not before else encoded(before),
        "after": None if not after else encoded(after),
        "reason": reason,
    }


def record(store: SqlStore, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append events; the last thing that a transaction does."""
    store.number_in_order(connection)
    if len(rows) == 1:
        connection.execute(INSERT_EVENT, rows[0])
    elif rows:
        connection.executemany(INSERT_EVENT, rows)


def encoded(value: Any) -> str:
    """Return a value as it is kept in a column."""
    return _ENCODER.encode(value)


def state_of(connection: Connection, task: Task) -> dict[str, Any]:
    """Return all that events tell about a task, as the tables have it."""
    return {
        **scalars_of(task),
        "labels": labels_of(connection, task.uid),
        "depends_on": [[item.uid, item.kind] for item in sorted_needs(connection, task.uid)],
        "files": [
            [item.path, item.role, item.line_start, item.line_end] for item in files_of(connection, task.uid)
        ],
        "links": [[item.kind, item.ref, item.uri, item.title] for item in links_of(connection, task.uid)],
        "attachments": [
            [item.name, item.mime, item.sha256, item.size] for item in attachments_of(connection, task.uid)
        ],
    }


def sorted_needs(connection: Connection, uid: str) -> list[Any]:
    """Return dependencies in an order that does not depend on numbers, which an import may change."""
    return sorted(needs_of(connection, uid), key=lambda item: (item.uid, item.kind))


def scalars_of(task: Task) -> dict[str, Any]:
    """Return what of a task's state is in its row."""
    return {
        "title": task.title,
        "description": task.description,
        "status": task.status,
        "priority": task.priority_name,
        "progress": task.progress,
        "parent": task.parent,
        "milestone": task.milestone,
        "criteria": json.loads(task.criteria),
        "evidence": json.loads(task.evidence),
        "notes": task.notes,
        "plan": task.plan,
        "rank": task.rank,
        "issue_number": task.issue_number,
        "issue_url": task.issue_url,
        "claimed_by": task.claim_agent,
    }


def replayed(events: Iterable[Event]) -> dict[str, dict[str, Any]]:
    """Return the state of every task that events tell of."""
    states: dict[str, dict[str, Any]] = {}
    for event in events:
        if event.task is not None:
            states.setdefault(event.task, {}).update(event.after)
    return states
