"""The stored state of synchronisation: trackers, how far each was read, and the counterparts of tasks.

A counterpart is the item that corresponds to a task in a tracker or an imported file. No secrets are stored.
A disconnected tracker keeps its counterparts, so that a new connection continues where the last one stopped.
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

_SELECT_TRACKERS = "SELECT name, kind, settings, mark, connected, synced_at FROM tracker"
_UPSERT_TRACKER = (
    "INSERT INTO tracker (workspace, name, kind, settings, mark, connected, created_at)"
    " VALUES (:workspace, :name, :kind, :settings, '{}', 1, :now)"
    " ON CONFLICT (workspace, name) DO UPDATE SET settings = excluded.settings, connected = 1"
)
_DISCONNECT = "UPDATE tracker SET connected = 0 WHERE workspace = :workspace AND name = :name"
_UPDATE_CURSOR = (
    "UPDATE tracker SET mark = :cursor, synced_at = :now WHERE workspace = :workspace AND name = :name"
)
_UPSERT_COUNTERPART = insert(
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
    cursor: Mapping[str, Any]
    """The position up to which it was read, in the column `mark`."""
    connected: bool
    synced_at: float | None


@dataclass(frozen=True, slots=True)
class Counterpart:
    """An item and its task."""

    foreign_id: str
    """The id of the item in the tracker, in the column `origin`."""
    task: str
    """The uid of the task."""
    url: str | None
    base: Mapping[str, Any]
    """The values that both sides last agreed on."""
    seen: Mapping[str, Any]
    """The values that the item had when it was last read."""


def list_trackers(room: Tasks, kind: str | None = None) -> list[StoredTracker]:
    """Return the trackers of the workspace, connected or not, the newest first."""
    with room.reading() as transaction:
        return _read_trackers(transaction, kind)


def find_tracker(room: Tasks, name: str) -> StoredTracker | None:
    """Return a tracker by its name, or None if it was never connected."""
    return next((item for item in list_trackers(room) if item.name == name), None)


def _read_trackers(transaction: TaskTransaction, kind: str | None) -> list[StoredTracker]:
    only = "" if kind is None else " AND kind = :kind"
    query = f"{_SELECT_TRACKERS} WHERE workspace = :workspace{only} ORDER BY created_at DESC, name"
    return [
        StoredTracker(name, kind, json.loads(settings), json.loads(cursor), bool(connected), synced_at)
        for name, kind, settings, cursor, connected, synced_at in transaction.run_in_workspace(
            query, kind=kind
        )
    ]


def store_connected(room: Tasks, name: str, kind: str, settings: Mapping[str, Any]) -> None:
    """Store a tracker as connected, unless it is already connected with these settings."""
    with room.writing() as transaction:
        before = next((item for item in _read_trackers(transaction, kind) if item.name == name), None)
        if before is None or not before.connected or dict(before.settings) != dict(settings):
            transaction.run_in_workspace(
                _UPSERT_TRACKER, name=name, kind=kind, settings=encoded(dict(settings))
            )


def store_disconnected(room: Tasks, name: str) -> None:
    """Mark a tracker as disconnected; its counterparts stay."""
    with room.writing() as transaction:
        transaction.run_in_workspace(_DISCONNECT, name=name)


def store_cursor(room: Tasks, name: str, cursor: Mapping[str, Any]) -> None:
    """Store how far a tracker was read."""
    with room.writing() as transaction:
        transaction.run_in_workspace(_UPDATE_CURSOR, name=name, cursor=encoded(dict(cursor)))


def read_counterparts(room: Tasks, tracker: str) -> dict[str, Counterpart]:
    """Return the counterparts in a tracker by the ids of their items there."""
    with room.reading() as transaction:
        rows = transaction.run_in_workspace(
            "SELECT origin, task, url, base, seen FROM counterpart"
            " WHERE workspace = :workspace AND tracker = :tracker ORDER BY origin",
            tracker=tracker,
        ).fetchall()
    return {
        foreign_id: Counterpart(foreign_id, task, url, json.loads(base), json.loads(seen))
        for foreign_id, task, url, base, seen in rows
    }


def store_counterparts(room: Tasks, tracker: str, *pairs: Counterpart) -> None:
    """Store counterparts, replacing earlier ones of the same items."""
    if not pairs:
        return
    with room.writing() as transaction:
        workspace = transaction.workspace.id
        rows = [
            {
                "workspace": workspace, "tracker": tracker, "origin": item.foreign_id, "task": item.task,
                "url": item.url, "base": encoded(dict(item.base)), "seen": encoded(dict(item.seen)),
            }
            for item in pairs
        ]  # fmt: skip
        transaction.executemany(_UPSERT_COUNTERPART, rows)
