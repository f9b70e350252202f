"""What happened to the tasks of a workspace, as tests look at it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holdfast.tasks.store import history, rows
from holdfast.tasks.store.records import Event
from holdfast.tasks.store.tasks import Tasks


def events_of(room: Tasks, *, after: int = 0, limit: int = 100, task: str | None = None) -> list[Event]:
    """Return what happened after a number, to everything or to one task, oldest first."""
    with room.reading() as transaction:
        uid = None if task is None else rows.find_task(transaction, task).uid
        return history.events_after(transaction, transaction.workspace.id, after, limit, uid)


def replayed(events: Iterable[Event]) -> dict[str, dict[str, Any]]:
    """Return the state of every task that events tell of."""
    states: dict[str, dict[str, Any]] = {}
    for event in events:
        if event.task is not None:
            states.setdefault(event.task, {}).update(event.after)
    return states
