"""Events: what happened to each task, in order, and how its state follows from them.

Contract:
- Every change of a task is one event with the task's new version; versions count from 1 without a gap.
- A task's events, replayed, make exactly what `state_of` reads from the tables. The moments in the row and
  the end of a lease are not part of it: they follow from when things happened.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.records import Task, encoded
from holdfast.tasks.store.rows import PARTS, insert, items_query, rows_of
from holdfast.tasks.store.transaction import Transaction

_EVENT = ("workspace", "at", "actor", "session", "task", "version", "type", "before", "after", "reason")
INSERT_EVENT = insert("event", _EVENT)


def record(
    transaction: Transaction,
    task: Task,
    kind: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> None:
    """Append what happened to a task, which has its new version already; the last thing in a transaction."""
    transaction.append(INSERT_EVENT, [event_row(transaction, task, kind, before, after, reason)])


def record_created(transaction: Transaction, tasks: Sequence[Task]) -> None:
    """Append that tasks were made, with all that is known of them."""
    states = states_of(transaction, tasks)
    events = [
        event_row(transaction, task, "created", None, state)
        for task, state in zip(tasks, states, strict=True)
    ]
    transaction.append(INSERT_EVENT, events)


def note(
    transaction: Transaction,
    kind: str,
    after: Mapping[str, Any],
    reason: str | None = None,
    *,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Append something that happened to the workspace and to no task."""
    transaction.append(INSERT_EVENT, [event_row(transaction, None, kind, before, after, reason)])


def event_row(
    transaction: Transaction,
    task: Task | None,
    kind: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    reason: str | None = None,
) -> dict[str, Any]:
    """Return what is stored about something that happened."""
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
    """Return all that events tell about a task, as the tables have it."""
    return states_of(connection, [task])[0]


def states_of(connection: Connection, tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Return all that events tell about some tasks, each table looked at once for many of them."""
    lists, states = {sort: _by_task(connection, sort, tasks) for sort in PARTS}, []
    for task in tasks:
        items: dict[str, list[Any]] = {name: found.get(task.uid, []) for name, found in lists.items()}
        items["labels"] = [label for (label,) in items["labels"]]
        items["depends_on"] = sorted(items["depends_on"])  # as no collation of a database changes it
        states.append({**scalars_of(task), **items})
    return states


def _by_task(connection: Connection, sort: str, tasks: Sequence[Task]) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for uid, *row in rows_of(connection, items_query(sort, "IN {}", "task, "), (task.uid for task in tasks)):
        found[uid].append(row)
    return found


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
        "criteria": [] if task.criteria == "[]" else json.loads(task.criteria),
        "evidence": [] if task.evidence == "[]" else json.loads(task.evidence),
        "notes": task.notes,
        "plan": task.plan,
        "rank": task.rank,
        "issue_number": task.issue_number,
        "issue_url": task.issue_url,
        "claimed_by": task.claim_agent,
    }


def differing(connection: Connection, tasks: Sequence[Task]) -> Iterator[Task]:
    """Yield those of some tasks whose events tell another state than the tables have."""
    told: dict[str, list[str]] = defaultdict(list)
    query = "SELECT task, after FROM event WHERE task IN {} AND after IS NOT NULL ORDER BY seq"
    for uid, after in rows_of(connection, query, (task.uid for task in tasks)):
        told[uid].append(after)
    for task, state in zip(tasks, states_of(connection, tasks), strict=True):
        # Most tasks have one event; texts are compared sooner than they are taken apart.
        if told[task.uid] != [encoded(state)] and _united(told[task.uid]) != state:
            yield task


def _united(texts: Iterable[str]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for text in texts:
        state.update(json.loads(text))
    return state
