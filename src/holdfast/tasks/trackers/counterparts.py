"""What is stored about trackers: which there are, how far they were read, and which item is which task.

No secret is stored. A disconnected tracker keeps its counterparts, so that connecting it again continues
where it ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.tasks.store.records import encoded
from holdfast.tasks.store.statements import insert, on_conflict_update
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction

_TRACKERS = "SELECT name, kind, settings, mark, connected, synced_at FROM tracker"
_PUT_TRACKER = (
    "INSERT INTO tracker (workspace, name, kind, settings, mark, connected, created_at)"
    " VALUES (:workspace, :name, :kind, :settings, '{}', 1, :now)"
    " ON CONFLICT (workspace, name) DO UPDATE SET settings = excluded.settings, connected = 1"
)
_DISCONNECT = "UPDATE tracker SET connected = 0 WHERE workspace = :workspace AND name = :name"
_MOVE_MARK = "UPDATE tracker SET mark = :mark, synced_at = :now WHERE workspace = :workspace AND name = :name"
_PUT_COUNTERPART = insert(
    "counterpart",
    ("workspace", "tracker", "origin", "task", "url", "base", "seen"),
    on_conflict_update("workspace, tracker, origin", ("url", "base", "seen")),
)


@dataclass(frozen=True, slots=True)
class StoredTracker:
    """A tracker that is or was connected."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    mark: Mapping[str, Any]
    connected: bool
    synced_at: float | None


@dataclass(frozen=True, slots=True)
class Counterpart:
    """An item and its task, with the values both last agreed on and those last seen over there."""

    origin: str
    task: str
    url: str | None
    base: Mapping[str, Any]
    seen: Mapping[str, Any]


def trackers(room: Tasks, kind: str | None = None) -> list[StoredTracker]:
    """Return the trackers of the workspace, the newest first."""
    with room.reading() as transaction:
        return _trackers(transaction, kind)


def _trackers(transaction: TaskTransaction, kind: str | None) -> list[StoredTracker]:
    only = "" if kind is None else " AND kind = :kind"
    query = f"{_TRACKERS} WHERE workspace = :workspace{only} ORDER BY created_at DESC, name"
    return [
        StoredTracker(name, kind, json.loads(settings), json.loads(mark), bool(connected), synced_at)
        for name, kind, settings, mark, connected, synced_at in transaction.ask(query, kind=kind)
    ]


def connect(room: Tasks, name: str, kind: str, settings: Mapping[str, Any]) -> None:
    """Store a tracker as connected, unless it is so already with these settings."""
    with room.writing() as transaction:
        before = {item.name: item for item in _trackers(transaction, kind)}.get(name)
        if before is None or not before.connected or dict(before.settings) != dict(settings):
            transaction.ask(_PUT_TRACKER, name=name, kind=kind, settings=encoded(dict(settings)))


def disconnect(room: Tasks, name: str) -> None:
    """Mark a tracker as disconnected; its counterparts are kept."""
    with room.writing() as transaction:
        transaction.ask(_DISCONNECT, name=name)


def move_mark(room: Tasks, name: str, mark: Mapping[str, Any]) -> None:
    """Store how far a tracker was read."""
    with room.writing() as transaction:
        transaction.ask(_MOVE_MARK, name=name, mark=encoded(dict(mark)))


def counterparts(room: Tasks, tracker: str) -> dict[str, Counterpart]:
    """Return a tracker's counterparts by their origin."""
    with room.reading() as transaction:
        rows = transaction.ask(
            "SELECT origin, task, url, base, seen FROM counterpart"
            " WHERE workspace = :workspace AND tracker = :tracker ORDER BY origin",
            tracker=tracker,
        ).fetchall()
    return {
        origin: Counterpart(origin, task, url, json.loads(base), json.loads(seen))
        for origin, task, url, base, seen in rows
    }


def put(room: Tasks, tracker: str, *found: Counterpart) -> None:
    """Store counterparts, replacing earlier ones of the same items."""
    if not found:
        return
    with room.writing() as transaction:
        workspace = transaction.workspace.id
        rows = [
            {
                "workspace": workspace, "tracker": tracker, "origin": item.origin, "task": item.task,
                "url": item.url, "base": encoded(dict(item.base)), "seen": encoded(dict(item.seen)),
            }
            for item in found
        ]  # fmt: skip
        transaction.executemany(_PUT_COUNTERPART, rows)
