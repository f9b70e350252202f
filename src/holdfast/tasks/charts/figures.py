"""The data of the charts, queried from the store; `plots` draws it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from holdfast.tasks.store import census
from holdfast.tasks.store.records import task_id
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED, Status
from holdfast.tasks.store.transaction import TaskTransaction

_MAX_BURNDOWN_DAYS = 365
"""A judgement: over a year, a day still has more than a pixel of the chart's width."""


class Box(NamedTuple):
    """A task in the dependency graph, drawn as a box."""

    id: str
    title: str
    status: Status


class TaskEdge(NamedTuple):
    """The ids of a task and of one it waits for."""

    task: str
    needed: str


class TaskGraph(NamedTuple):
    """The dependency graph, limited to some tasks."""

    boxes: list[Box]
    """Unfinished tasks first, those with dependencies before the others, then by number."""
    edges: list[TaskEdge]
    """All dependencies of kind `blocks`, also those of tasks without a box."""
    total: int
    """The number of all tasks."""


class BurndownDay(NamedTuple):
    """The numbers of open and of done tasks at the end of a day, in UTC."""

    day: date
    open_count: int
    done_count: int


def burndown(transaction: TaskTransaction, today: date) -> list[BurndownDay]:
    """Return the days since the first task was created, or the last year of them, in order."""
    open_changes: Counter[date] = Counter()  # of the count on each day
    done_changes: Counter[date] = Counter()
    current: dict[str, str] = {}
    for at, task, status in _status_changes(transaction):
        before = current.get(task)
        current[task] = status
        day = datetime.fromtimestamp(at, UTC).date()
        was_open = before is not None and before not in FINISHED
        open_changes[day] += (status not in FINISHED) - was_open
        done_changes[day] += (status == "done") - (before == "done")
    if not open_changes:
        return []
    days: list[BurndownDay] = []
    open_count = done_count = 0
    first = min(open_changes)
    for number in range((max(today, first) - first).days + 1):
        day = first + timedelta(number)
        open_count += open_changes[day]
        done_count += done_changes[day]
        days.append(BurndownDay(day, open_count, done_count))
    return days[-_MAX_BURNDOWN_DAYS:]


def _status_changes(transaction: TaskTransaction) -> Iterable[tuple[float, str, str]]:
    """Yield the time, the task's uid and the new status for every change of status, in order."""
    rows = transaction.run_in_workspace(
        "SELECT at, task, after FROM event WHERE workspace = :workspace AND task IS NOT NULL ORDER BY seq"
    )
    for at, task, after in rows:
        if after and '"status"' in after:
            changed: Mapping[str, Any] = json.loads(after)
            if isinstance(changed.get("status"), str):
                yield at, task, changed["status"]


def dependency_graph(transaction: TaskTransaction, maximum: int) -> TaskGraph:
    """Return the dependency graph with at most `maximum` boxes."""
    edges = [
        TaskEdge(task_id(task), task_id(needed))
        for task, needed in transaction.run_in_workspace(
            "SELECT task.n, other.n FROM dependency JOIN task ON task.uid = dependency.task"
            " JOIN task other ON other.uid = dependency.needs"
            " WHERE dependency.kind = 'blocks' AND task.workspace = :workspace ORDER BY task.n, other.n"
        )
    ]
    rows = transaction.run_in_workspace(
        "SELECT n, title, status FROM task WHERE workspace = :workspace"
        f" ORDER BY CASE WHEN {IS_UNFINISHED} THEN 0 ELSE 1 END,"
        " CASE WHEN waits > 0 OR unblocks > 0 THEN 0 ELSE 1 END, n LIMIT :maximum",
        maximum=maximum,
    )
    boxes = [Box(task_id(number), title, status) for number, title, status in rows]
    return TaskGraph(boxes, edges, census.task_count(transaction))
