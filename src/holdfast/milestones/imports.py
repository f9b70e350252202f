"""What an import brings that is not here yet."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from holdfast.kernel.errors import InvalidArguments
from holdfast.milestones.entity import Draft, Receipt
from holdfast.milestones.log.entry import Entry, is_uuid
from holdfast.milestones.log.scribe import Scribe


def fresh_drafts(
    connection: sqlite3.Connection, scribe: Scribe, drafts: Iterable[Draft]
) -> Iterator[Receipt]:
    """Write down those drafts that were not created before, and yield what became of each."""
    requested: dict[str, Receipt] = {}
    created: set[str] = set()
    for draft in drafts:
        if draft.id is not None and not is_uuid(draft.id):
            raise InvalidArguments(f"{draft.id[:100]!a} is not an id.", hint="Ids are UUIDs in lower case.")
        before = requested.get(draft.request or "") or _created_before(connection, draft)
        if before is None and draft.id in created:
            before = Receipt(draft.id or "", (), changed=False, repeated=True)
        if before is not None:
            yield before
            continue
        start = len(scribe.entries)
        entity = scribe.create(draft)
        names = tuple(entry.id for entry in scribe.entries[start:])
        created.add(entity)
        if draft.request is not None:
            scribe.sign(start, draft.request)
            requested[draft.request] = Receipt(entity, names, changed=False, repeated=True)
        yield Receipt(entity, names, changed=True)


def fresh_entries(connection: sqlite3.Connection, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield those operations that no log has."""
    query = "SELECT 1 FROM operation WHERE entity = ? AND lamport = ? AND id = ?"
    seen: set[tuple[str, int, str]] = set()
    for entry in entries:
        key = (entry.entity, entry.lamport, entry.id)
        if key not in seen and connection.execute(query, key).fetchone() is None:
            seen.add(key)
            yield entry


def _created_before(connection: sqlite3.Connection, draft: Draft) -> Receipt | None:
    exists = "SELECT 1 FROM entity WHERE id = ?"
    if draft.id is not None and connection.execute(exists, (draft.id,)).fetchone():
        return Receipt(draft.id, (), changed=False, repeated=True)
    if draft.request is not None:
        query = "SELECT entity, operations FROM request WHERE id = ?"
        if row := connection.execute(query, (draft.request,)).fetchone():
            return Receipt(row[0], tuple(json.loads(row[1])), changed=False, repeated=True)
    return None
