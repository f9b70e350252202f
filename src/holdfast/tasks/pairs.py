"""What an export says about other trackers, taken in.

A tracker that travels arrives disconnected: which project tasks are sent to is for somebody here to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.storage.sql.sql_store import Connection

TRACKER_COLUMNS = ("name", "kind", "settings", "mark", "created_at", "synced_at")
COUNTERPART_COLUMNS = ("tracker", "origin", "task", "url", "base", "seen")

_INSERT_TRACKER = (
    "INSERT INTO tracker (workspace, name, kind, settings, mark, connected, created_at, synced_at)"
    " VALUES (:workspace, :name, :kind, :settings, :mark, 0, :created_at, :synced_at)"
    " ON CONFLICT (workspace, name) DO NOTHING"
)
_INSERT_COUNTERPART = (
    "INSERT INTO counterpart (workspace, tracker, origin, task, url, base, seen)"
    " VALUES (:workspace, :tracker, :origin, :task, :url, :base, :seen) ON CONFLICT DO NOTHING"
)


def take_in_trackers(
    connection: Connection,
    workspace: str,
    trackers: Iterable[Mapping[str, Any]],
    counterparts: Iterable[Mapping[str, Any]],
) -> None:
    """Take in what is not known here yet."""
    for row in trackers:
        values = {name: row[name] for name in TRACKER_COLUMNS}
        connection.execute(_INSERT_TRACKER, {**values, "workspace": workspace})
    for row in counterparts:
        values = {name: row[name] for name in COUNTERPART_COLUMNS}
        connection.execute(_INSERT_COUNTERPART, {**values, "workspace": workspace})
