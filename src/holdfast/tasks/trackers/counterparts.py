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
from holdfast.tasks.store.tasks import Tasks

_TRACKERS = "SELECT name, kind, settings, mark, connected, created_at, synced_at FROM tracker"
_PUT_TRACKER = (
    "INSERT INTO tracker (workspace, name, kind, settings, mark, connected, created_at)"
    " VALUES (:workspace, :name, :kind, :settings, '{}', 1, :now)"
    " ON CONFLICT (workspace, name) DO UPDATE SET settings = excluded.settings, connected = 1"
)
_PUT_COUNTERPART = (
    "INSERT INTO counterpart (workspace, tracker, origin, task, url, base, seen)"
    " VALUES (:workspace, :tracker, :origin, :task, :url, :base, :seen)"
    " ON CONFLICT (workspace, tracker, origin) DO UPDATE SET url = excluded.url, base = excluded.base,"
    " seen = excluded.seen"
)


@dataclass(frozen=True, slots=True)
class Known:
    """A tracker that was connected at some time."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    mark: Mapping[str, Any]
    connected: bool
    created_at: float
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
    with room.reading() as connection:
        values = {"workspace": room.workspace_in(connection).id, "kind": kind}
        only = "" if kind is None else " AND kind = :kind"
        query = f"{_TRACKERS} WHERE workspace = :workspace{only} ORDER BY created_at DESC, name"
        return [_known(row) for row in connection.execute(query, values)]


def connect(room: Tasks, name: str, kind: str, settings: Mapping[str, Any]) -> bool:
    """Keep a tracker, and return whether it is new or its settings are."""
    before = {item.name: item for item in trackers(room, kind)}.get(name)
    if before is not None and before.connected and dict(before.settings) == dict(settings):
        return False
    with room.store.write() as connection:
        values = {
            "workspace": room.workspace_in(connection).id,
            "name": name,
            "kind": kind,
            "settings": encoded(dict(settings)),
            "now": room.now(),
        }
        connection.execute(_PUT_TRACKER, values)
    return True


def disconnect(room: Tasks, name: str) -> None:
    """Stop using a tracker; what is known about its items is kept."""
    with room.store.write() as connection:
        values = {"workspace": room.workspace_in(connection).id, "name": name}
        statement = "UPDATE tracker SET connected = 0 WHERE workspace = :workspace AND name = :name"
        connection.execute(statement, values)


def move_mark(room: Tasks, name: str, mark: Mapping[str, Any]) -> None:
    """Keep how far a tracker was read."""
    with room.store.write() as connection:
        values = {
            "workspace": room.workspace_in(connection).id, "name": name, "mark": encoded(dict(mark)),
            "now": room.now(),
        }  # fmt: skip
        connection.execute(
            "UPDATE tracker SET mark = :mark, synced_at = :now WHERE workspace = :workspace AND name = :name",
            values,
        )


def counterparts(room: Tasks, tracker: str) -> dict[str, Counterpart]:
    """Return what is known about a tracker's items, by their origin."""
    with room.reading() as connection:
        rows = connection.execute(
            "SELECT origin, task, url, base, seen FROM counterpart"
            " WHERE workspace = :workspace AND tracker = :tracker ORDER BY origin",
            {"workspace": room.workspace_in(connection).id, "tracker": tracker},
        ).fetchall()
    return {
        origin: Counterpart(origin, task, url, json.loads(base), json.loads(seen))
        for origin, task, url, base, seen in rows
    }


def put(room: Tasks, tracker: str, *found: Counterpart) -> None:
    """Keep what both sides agreed on and what was seen."""
    if not found:
        return
    with room.store.write() as connection:
        workspace = room.workspace_in(connection).id
        rows = [
            {
                "workspace": workspace, "tracker": tracker, "origin": item.origin, "task": item.task,
                "url": item.url, "base": encoded(dict(item.base)), "seen": encoded(dict(item.seen)),
            }
            for item in found
        ]  # fmt: skip
        connection.executemany(_PUT_COUNTERPART, rows)


def _known(row: Any) -> Known:
    name, kind, settings, mark, connected, created_at, synced_at = row
    return Known(name, kind, json.loads(settings), json.loads(mark), bool(connected), created_at, synced_at)
