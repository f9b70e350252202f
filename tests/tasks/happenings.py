"""What happened to the tasks of a workspace, as tests look at it."""

from __future__ import annotations

from holdfast.tasks.store import rows
from holdfast.tasks.store.records import Event
from holdfast.tasks.store.tasks import Tasks


def events_of(room: Tasks, *, after: int = 0, limit: int = 100, task: str | None = None) -> list[Event]:
    """Return what happened after a number, to everything or to one task, oldest first."""
    with room.reading() as transaction:
        uid = None if task is None else rows.find_task(transaction, task).uid
        return rows.events_after(transaction, transaction.workspace.id, after, limit, uid)
