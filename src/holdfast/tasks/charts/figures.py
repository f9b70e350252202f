"""The data of the charts, queried from the store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from holdfast.tasks.store import census
from holdfast.tasks.store.records import task_id
from holdfast.tasks.store.states import FINISHED, STATUSES, Status
from holdfast.tasks.store.transaction import TaskTransaction

MAX_DAYS = 365
"""A chosen bound: a year still shows single days at the chart's width of 640 pixels."""


@dataclass(frozen=True)
class Box:
    """A task in the dependency graph."""

    id: str
    title: str
    status: str


def counts_by_status(transaction: TaskTransaction) -> dict[Status, int]:
    """Return the number of tasks in each state, in the usual order."""
    rows = transaction.ask("SELECT status, count(*) FROM task WHERE workspace = :workspace GROUP BY status")
    counted: Mapping[str, int] = dict(rows.fetchall())
    return {status: counted.get(status, 0) for status in STATUSES}


def burndown(transaction: TaskTransaction, today: date) -> list[tuple[date, int, int]]:
    """Return, for each day since the first task, the numbers of open and of done tasks at its end."""
    opened: Counter[date] = Counter()
    done: Counter[date] = Counter()
    states: dict[str, str] = {}
    for at, task, status in _changes_of_status(transaction):
        before = states.get(task)
        states[task] = status
        day = datetime.fromtimestamp(at, UTC).date()
        opened[day] += (status not in FINISHED) - (before is not None and before not in FINISHED)
        done[day] += (status == "done") - (before == "done")
    days: list[tuple[date, int, int]] = []
    still_open = finished = 0
    first = min(opened, default=today)
    for number in range((max(today, first) - first).days + 1 if opened else 0):
        day = first + timedelta(number)
        still_open += opened[day]
        finished += done[day]
        days.append((day, still_open, finished))
    return days[-MAX_DAYS:]


def _changes_of_status(transaction: TaskTransaction) -> Iterable[tuple[float, str, str]]:
    """Yield time, task and new status of every change of status, in the order of events."""
    rows = transaction.ask(
        "SELECT at, task, after FROM event WHERE workspace = :workspace AND task IS NOT NULL ORDER BY seq"
    )
    for at, task, after in rows:
        if after and '"status"' in after:
            changed: Mapping[str, Any] = json.loads(after)
            if isinstance(changed.get("status"), str):
                yield at, task, changed["status"]


def graph(transaction: TaskTransaction, maximum: int) -> tuple[list[Box], list[tuple[str, str]], int]:
    """Return the tasks (open ones with dependencies first), the dependency pairs, and the number of tasks."""
    needs = [
        (task_id(task), task_id(needed))
        for task, needed in transaction.ask(
            "SELECT task.n, other.n FROM dependency JOIN task ON task.uid = dependency.task"
            " JOIN task other ON other.uid = dependency.needs"
            " WHERE dependency.kind = 'blocks' AND task.workspace = :workspace ORDER BY task.n, other.n"
        )
    ]
    rows = transaction.ask(
        "SELECT n, title, status FROM task WHERE workspace = :workspace"
        " ORDER BY CASE WHEN status IN ('done', 'dropped') THEN 1 ELSE 0 END,"
        " CASE WHEN waits > 0 OR unblocks > 0 THEN 0 ELSE 1 END, n LIMIT :maximum",
        maximum=maximum,
    )
    boxes = [Box(task_id(number), title, status) for number, title, status in rows]
    return boxes, needs, census.count(transaction)
