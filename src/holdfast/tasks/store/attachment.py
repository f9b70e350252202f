"""Files on a task: each content is kept once, by its checksum."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from holdfast.kernel.errors import NotFound
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store import rows
from holdfast.tasks.store.history import event_row, record, state_of
from holdfast.tasks.store.records import Task, Who
from holdfast.tasks.store.tasks import Tasks


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to put on a task."""

    name: str
    mime: str
    content: bytes

    @property
    def sha256(self) -> str:
        """Return the checksum by which its content is kept."""
        return hashlib.sha256(self.content).hexdigest()


def put(room: Tasks, connection: Connection, task: Task, new: NewFile, who: Who) -> Task:
    """Store a file on a task; putting the same one twice changes nothing."""
    before = state_of(connection, task)["attachments"]
    connection.execute(
        "INSERT INTO content (sha256, data) VALUES (:sha256, :data) ON CONFLICT (sha256) DO NOTHING",
        {"sha256": new.sha256, "data": new.content},
    )
    connection.execute(
        "INSERT INTO attachment (task, name, mime, sha256, size) VALUES (:task, :name, :mime, :sha256, :size)"
        " ON CONFLICT (task, name) DO UPDATE SET mime = excluded.mime, sha256 = excluded.sha256,"
        " size = excluded.size",
        {
            "task": task.uid,
            "name": new.name,
            "mime": new.mime,
            "sha256": new.sha256,
            "size": len(new.content),
        },
    )
    after = state_of(connection, task)["attachments"]
    if after == before:
        return task
    at = room.now()
    connection.execute(
        "UPDATE task SET version = version + 1, updated_at = :at WHERE uid = :uid",
        {"at": at, "uid": task.uid},
    )
    now = rows.task_by_uid(connection, task.uid)
    event = event_row(now, "attached", who, at, before={"attachments": before}, after={"attachments": after})
    record(room.store, connection, [event])
    return now


def is_text(mime: str) -> bool:
    """Tell whether a type says that people can read it as it is."""
    return mime.startswith("text/") or mime in ("application/json", "application/xml", "image/svg+xml")


def content_of(connection: Connection, workspace: str, sha256: str) -> bytes:
    """Return the content of an attachment of this workspace."""
    row = connection.execute(
        "SELECT content.data FROM content WHERE content.sha256 = :sha256 AND EXISTS (SELECT 1 FROM attachment"
        " JOIN task ON task.uid = attachment.task WHERE attachment.sha256 = content.sha256"
        " AND task.workspace = :workspace)",
        {"sha256": sha256, "workspace": workspace},
    ).fetchone()
    if row is None:
        raise NotFound("There is no such attachment.", hint="Tasks name the addresses of theirs.")
    return bytes(row[0])
