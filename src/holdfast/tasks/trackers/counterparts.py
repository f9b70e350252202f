"""What is kept about other trackers: which there are, how far they were read, and which item is which task.

No secret is kept. A tracker that was disconnected keeps its counterparts, so that connecting it again goes
on where it ended.
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
class Known:
    """A tracker that was connected at some time."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    mark: Mapping[str, Any]
    connected: bool
    synced_at: float | None


@dataclass(frozen=True, slots=True)
class Counterpart:
    """An item over there and the task it is, with what both agreed on and what was last seen there."""

    origin: str
    task: str
    url: str | None
    base: Mapping[str, Any]
    seen: Mapping[str, Any]


def trackers(room: Tasks, kind: str | None = None) -> list[Known]:
    """Return the trackers of the workspace, those connected last first."""
    with room.reading() as transaction:
        return _trackers(transaction, kind)


def _trackers(transaction: TaskTransaction, kind: str | None) -> list[Known]:
    only = "" if kind is None else " AND kind = :kind"
    query = f"{_TRACKERS} WHERE workspace = :workspace{only} ORDER BY created_at DESC, name"
    return [
        Known(name, kind, json.loads(settings), json.loads(mark), bool(connected), synced_at)
        for name, kind, settings, mark, connected, synced_at in transaction.ask(query, kind=kind)
    ]


def connect(room: Tasks, name: str, kind: str, settings: Mapping[str, Any]) -> None:
    """Keep a tracker; one that is connected with these settings stays as it is."""
    with room.writing() as transaction:
        before = {item.name: item for item in _trackers(transaction, kind)}.get(name)
        if before is None or not before.connected or dict(before.settings) != dict(settings):
            transaction.ask(_PUT_TRACKER, name=name, kind=kind, settings=encoded(dict(settings)))


def disconnect(room: Tasks, name: str) -> None:
    """Stop using a tracker; what is known about its items is kept."""
    with room.writing() as transaction:
        transaction.ask(_DISCONNECT, name=name)


def move_mark(room: Tasks, name: str, mark: Mapping[str, Any]) -> None:
    """Keep how far a tracker was read."""
    with room.writing() as transaction:
        transaction.ask(_MOVE_MARK, name=name, mark=encoded(dict(mark)))


def counterparts(room: Tasks, tracker: str) -> dict[str, Counterpart]:
    """Return what is known about a tracker's items, by their origin."""
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
    """Keep what both sides agreed on and what was seen."""
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
