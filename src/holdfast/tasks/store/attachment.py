"""Files on a task: each content is kept once, by its checksum."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from holdfast.kernel.errors import NotFound
from holdfast.tasks.store import rows
from holdfast.tasks.store.history import record, state_of
from holdfast.tasks.store.records import Attachment, Task
from holdfast.tasks.store.transaction import Transaction


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


def put(transaction: Transaction, task: Task, new: NewFile) -> Task:
    """Store a file on a task; putting the same one twice changes nothing."""
    before = state_of(transaction, task)["attachments"]
    transaction.execute(
        rows.insert("content", ("sha256", "data"), "(sha256) DO NOTHING"),
        {"sha256": new.sha256, "data": new.content},
    )
    rows.add(transaction, task.uid, "attachments", [(new.name, new.mime, new.sha256, len(new.content))])
    after = state_of(transaction, task)["attachments"]
    if after == before:
        return task
    transaction.execute(
        "UPDATE task SET version = version + 1, updated_at = :at WHERE uid = :uid",
        {"at": transaction.now, "uid": task.uid},
    )
    now = rows.task_by_uid(transaction, task.uid)
    record(transaction, now, "attached", before={"attachments": before}, after={"attachments": after})
    return now


def attached_at(transaction: Transaction, task: Task, kept: Attachment) -> float | None:
    """Return when a file was put on its task as it is now, or None where no event tells."""
    events = transaction.execute(
        "SELECT at, before, after FROM event WHERE workspace = :workspace AND task = :task"
        " AND type = 'attached' ORDER BY seq DESC",
        {"workspace": task.workspace, "task": task.uid},
    )
    for at, *states in events:
        before, after = (json.loads(state or "{}").get("attachments", []) for state in states)
        if list(kept) in after and list(kept) not in before:
            return float(at)
    return None


def is_text(mime: str) -> bool:
    """Tell whether a type says that people can read it as it is."""
    return mime.startswith("text/") or mime in ("application/json", "application/xml", "image/svg+xml")


def content_of(transaction: Transaction, sha256: str) -> bytes:
    """Return the content of an attachment of this workspace."""
    row = transaction.ask(
        "SELECT content.data FROM content WHERE content.sha256 = :sha256 AND EXISTS (SELECT 1 FROM attachment"
        " JOIN task ON task.uid = attachment.task WHERE attachment.sha256 = content.sha256"
        " AND task.workspace = :workspace)",
        sha256=sha256,
    ).fetchone()
    if row is None:
        raise NotFound("There is no such attachment.", hint="Tasks name the addresses of theirs.")
    return bytes(row[0])
