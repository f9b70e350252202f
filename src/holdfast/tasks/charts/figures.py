"""The numbers behind the charts, counted from the store."""

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
from holdfast.tasks.store.transaction import Transaction

MOST_DAYS = 365


@dataclass(frozen=True)
class Box:
    """A task as the graph shows it."""

    id: str
    title: str
    status: str


def counts_by_status(transaction: Transaction) -> dict[Status, int]:
    """Return how many tasks are in each state, in the usual order."""
    rows = transaction.ask("SELECT status, count(*) FROM task WHERE workspace = :workspace GROUP BY status")
    counted: Mapping[str, int] = dict(rows.fetchall())
    return {status: counted.get(status, 0) for status in STATUSES}


def burndown(transaction: Transaction, today: date) -> list[tuple[date, int, int]]:
    """Return, for each day since the first task, how many tasks were open and done at its end."""
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
    return days[-MOST_DAYS:]


def _changes_of_status(transaction: Transaction) -> Iterable[tuple[float, str, str]]:
    """Yield every status that a task got, in the order of events."""
    rows = transaction.ask(
        "SELECT at, task, after FROM event WHERE workspace = :workspace AND task IS NOT NULL ORDER BY seq"
    )
    for at, task, after in rows:
        if after and '"status"' in after:
            changed: Mapping[str, Any] = json.loads(after)
            if isinstance(changed.get("status"), str):
                yield at, task, changed["status"]


def graph(transaction: Transaction, most: int) -> tuple[list[Box], list[tuple[str, str]], int]:
    """Return tasks, those that matter to others first, what they need, and how many there are in all."""
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
        " CASE WHEN waits > 0 OR unblocks > 0 THEN 0 ELSE 1 END, n LIMIT :most",
        most=most,
    )
    boxes = [Box(task_id(number), title, status) for number, title, status in rows]
    return boxes, needs, census.count(transaction)
