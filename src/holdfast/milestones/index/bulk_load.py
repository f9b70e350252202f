"""The first load of an index: all logs from their beginnings, in one pass and with bounded memory.

Contract: afterwards the index has the same rows as after adding the operations one by one.

Most commits of an import create one entity each; `creation_commit` parses those quickly, and their rows are
written at once. Other operations are pending in memory until all logs are read, because an entity is folded
from all of its operations at once. An entity is deferred, that is, folded from the index afterwards, if its
row was written already, if an operation on it occurs twice, or if too many operations are pending.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from holdfast.milestones.index.creation_commit import INSERT_CREATION, parse_creation
from holdfast.milestones.index.rows import delete_relations, entries_of, write_entities
from holdfast.milestones.index.schema import INDEXES, TABLES
from holdfast.milestones.index.update import IndexUpdate, Lines, OperationRow, Tips, request_rows, run_script
from holdfast.milestones.log.entry import Entry
from holdfast.storage.garbage_collection import without_garbage_collection
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit import Commit, parse_record
from holdfast.storage.git.commits.commit_reader import read_records

OPERATIONS_PER_INSERT = 2_000  # per `executemany`; larger batches save little time, and use more memory
MAX_PENDING_OPERATIONS = 250_000  # some hundred megabytes; when it is reached, all pending ones are deferred
_INSERT_OPERATION = "INSERT INTO operation VALUES (?, ?, ?, ?, ?)"
_SELECT_DUPLICATES = (
    "SELECT rowid, * FROM operation WHERE (entity, id) IN"
    " (SELECT entity, id FROM operation GROUP BY entity, id HAVING count(*) > 1) ORDER BY rowid DESC"
)


def build(connection: sqlite3.Connection, git: Git, tips: Tips) -> None:
    """Fill a new index from all logs."""
    run_script(connection, TABLES)
    with without_garbage_collection():
        BulkLoad(connection, git, tips).run()


class BulkLoad(IndexUpdate):
    """One pass over all logs into an empty database, whose SQL indexes are built last."""

    def __init__(self, connection: sqlite3.Connection, git: Git, tips: Tips) -> None:
        super().__init__(connection, git, tips)
        # The rows of the next batch.
        self._operations: list[OperationRow] = []
        self._requests: list[tuple[str, str, str, str]] = []
        self._creations: list[tuple[object, ...]] = []
        # Ids of entities; one that is deferred is never pending.
        self._created: set[str] = set()
        self._pending: dict[str, list[Entry]] = {}
        self._deferred: set[str] = set()
        self._free_operations = MAX_PENDING_OPERATIONS
        self._operation_ids: set[str] = set()
        """Without those of plain creations, which are the bulk: a duplicate of one names a created entity."""
        self._may_have_duplicates = False

    def run(self) -> None:
        super().run()
        self._write_batch()
        write_entities(self._connection, (entries for _, entries in sorted(self._pending.items())))
        duplicates = []
        if self._may_have_duplicates:
            duplicates = self._connection.execute(_SELECT_DUPLICATES).fetchall()
        self._connection.executemany(
            "DELETE FROM operation WHERE rowid = ?", [(rowid,) for rowid, *_ in duplicates]
        )
        run_script(self._connection, INDEXES)
        for _, *row in duplicates:  # oldest first, because git lists the latest commit of a log first
            self._store_row(tuple(row))
        self._save_flaws()
        delete_relations(self._connection, self._deferred & self._created)
        deferred = (entries_of(self._connection, entity_id) for entity_id in sorted(self._deferred))
        write_entities(self._connection, deferred)

    def store(self, commits: Sequence[tuple[Commit, Lines]]) -> None:
        for commit, lines in commits:
            self._seen.add(commit.id)
            self._requests += request_rows(lines)
            for entry, line in lines:
                self._store_entry(entry, self._logs[commit.source], line)
        if len(self._operations) >= OPERATIONS_PER_INSERT:
            self._write_batch()

    def _read_stream(self, wanted: Sequence[str], known: Sequence[str], ends: frozenset[str]) -> None:
        assert self._git is not None
        for records in read_records(self._git, wanted, known):
            to_parse = [record for record in records if not self._store_creation(record, ends)]
            self._store_all(map(parse_record, to_parse), ends)

    def _store_creation(self, record: str, ends: frozenset[str]) -> bool:
        """Store a commit if it creates a new entity, in plain form; return whether it does."""
        creation = parse_creation(record)
        if creation is None:
            return False
        entity_id, lamport, operation_id, tip, line = creation.operation
        if entity_id in self._created or entity_id in self._pending or entity_id in self._deferred:
            return False
        self._operations.append((entity_id, lamport, operation_id, self._logs[tip], line))
        self._created.add(entity_id)
        self._creations.append(creation.entity)
        if creation.commit in ends:
            self._end_dates[creation.commit] = creation.committed
            self._seen.add(creation.commit)
        return True

    def _store_entry(self, entry: Entry, log: str, line: str) -> None:
        """Store one operation, to be folded with others of its entity."""
        entity_id = entry.entity
        self._operations.append((entity_id, entry.lamport, entry.id, log, line))
        may_be_duplicate = entry.id in self._operation_ids or entity_id in self._created
        self._operation_ids.add(entry.id)
        if may_be_duplicate:
            self._may_have_duplicates = True
            self._deferred.add(entity_id)
            self._pending.pop(entity_id, None)
        if entity_id in self._deferred:
            return
        self._pending.setdefault(entity_id, []).append(entry)
        self._free_operations -= 1
        if not self._free_operations:
            self._deferred.update(self._pending)
            self._pending.clear()
            self._free_operations = MAX_PENDING_OPERATIONS

    def _write_batch(self) -> None:
        if not self._operations:
            return
        write = self._connection.executemany
        write(_INSERT_OPERATION, self._operations)
        write(INSERT_CREATION, self._creations)
        self._store_requests(self._requests)
        self._store_lamport(max(lamport for _, lamport, *_ in self._operations))
        for rows in (self._operations, self._creations, self._requests):
            rows.clear()
