"""Creates many entities or operations in one write, without those that are stored already."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from holdfast.milestones.entity import EntityDraft, WriteReceipt
from holdfast.milestones.index.lookup import is_taken, require_uuid
from holdfast.milestones.log.entry import Entry
from holdfast.milestones.log.operation_builder import OperationBuilder


def create_new(
    connection: sqlite3.Connection, builder: OperationBuilder, drafts: Iterable[EntityDraft]
) -> Iterator[WriteReceipt]:
    """Create the drafts that do not exist yet, and yield a receipt for each, also for one that does."""
    requested: dict[str, WriteReceipt] = {}
    created: set[str] = set()
    for draft in drafts:
        if draft.id is not None:
            require_uuid(draft.id)
        existing = requested.get(draft.request or "") or _existing_receipt(connection, draft)
        if existing is None and draft.id in created:
            existing = WriteReceipt(draft.id or "", (), changed=False, repeated=True)
        if existing is not None:
            yield existing
            continue
        start = len(builder.entries)
        entity = builder.create(draft)
        operation_ids = tuple(entry.id for entry in builder.entries[start:])
        created.add(entity)
        if draft.request is not None:
            builder.set_request(start, draft.request)
            requested[draft.request] = WriteReceipt(entity, operation_ids, changed=False, repeated=True)
        yield WriteReceipt(entity, operation_ids, changed=True)


def new_entries(connection: sqlite3.Connection, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the operations that no log contains."""
    query = "SELECT 1 FROM operation WHERE entity = ? AND id = ?"
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        key = (entry.entity, entry.id)
        if key not in seen and connection.execute(query, key).fetchone() is None:
            seen.add(key)
            yield entry


def _existing_receipt(connection: sqlite3.Connection, draft: EntityDraft) -> WriteReceipt | None:
    """Return the receipt of a draft whose id or request is stored already."""
    if draft.id is not None and is_taken(connection, draft.id):
        return WriteReceipt(draft.id, (), changed=False, repeated=True)
    if draft.request is not None:
        query = "SELECT entity, operations FROM request WHERE id = ?"
        if row := connection.execute(query, (draft.request,)).fetchone():
            return WriteReceipt(row[0], tuple(json.loads(row[1])), changed=False, repeated=True)
    return None
