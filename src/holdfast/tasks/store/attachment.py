"""Attachments of tasks. They are content-addressed, so that the same content is stored only once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from holdfast.kernel.errors import NotFound
from holdfast.tasks.store import items, rows, statements
from holdfast.tasks.store.history import record, state_of
from holdfast.tasks.store.records import Attachment, Task
from holdfast.tasks.store.transaction import TaskTransaction


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to attach to a task."""

    name: str
    mime: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def attach_file(transaction: TaskTransaction, task: Task, new: NewFile) -> Task:
    """Attach a file to a task, and return the changed task.

    A file of the same name is replaced; the same file again changes nothing.
    """
    before = state_of(transaction, task)["attachments"]
    transaction.execute(
        statements.insert("content", ("sha256", "data"), "(sha256) DO NOTHING"),
        {"sha256": new.sha256, "data": new.content},
    )
    items.add(transaction, task.uid, "attachments", [(new.name, new.mime, new.sha256, len(new.content))])
    after = state_of(transaction, task)["attachments"]
    if after == before:
        return task
    transaction.execute(
        "UPDATE task SET version = version + 1, updated_at = :at WHERE uid = :uid",
        {"at": transaction.now, "uid": task.uid},
    )
    changed = rows.task_by_uid(transaction, task.uid)
    record(transaction, changed, "attached", before={"attachments": before}, after={"attachments": after})
    return changed


def attached_at(transaction: TaskTransaction, task: Task, attachment: Attachment) -> float | None:
    """Return when an attachment got its current content, or None if no event records that."""
    events = transaction.execute(
        "SELECT at, before, after FROM event WHERE workspace = :workspace AND task = :task"
        " AND type = 'attached' ORDER BY seq DESC",
        {"workspace": task.workspace, "task": task.uid},
    )
    for at, *states in events:
        before, after = (json.loads(state or "{}").get("attachments", []) for state in states)
        if list(attachment) in after and list(attachment) not in before:
            return float(at)
    return None


def is_text(mime: str) -> bool:
    """Return whether a media type denotes human-readable text."""
    return mime.startswith("text/") or mime in ("application/json", "application/xml", "image/svg+xml")


def read_content(transaction: TaskTransaction, sha256: str) -> bytes:
    """Return the content with this SHA-256; raise unless it is attached to a task of this workspace."""
    row = transaction.run_in_workspace(
        "SELECT content.data FROM content WHERE content.sha256 = :sha256 AND EXISTS (SELECT 1 FROM attachment"
        " JOIN task ON task.uid = attachment.task WHERE attachment.sha256 = content.sha256"
        " AND task.workspace = :workspace)",
        sha256=sha256,
    ).fetchone()
    if row is None:
        raise NotFound("There is no such attachment.", hint="Each task lists the URIs of its attachments.")
    return bytes(row[0])
