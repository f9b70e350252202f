"""The first load of an index: all logs from their beginnings, in one pass and with bounded memory.

Contract: afterwards the index has the same rows as after adding the operations one by one.

Entities that were only created are written at once. Other operations are folded at the end, from memory or,
if there are too many, from the index. Most commits of an import create one entity. `parse_creation` reads
such a commit with a regular expression and returns the row that `rows.EntityRows` would contain. It returns
None for any commit that differs from what `entry.commit_message` writes in plain ASCII; such a commit is
parsed in full.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # the string parser of `json.loads`
from typing import NamedTuple

from holdfast.kernel.clock import seconds_of
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import STATUSES
from holdfast.milestones.index.rows import delete_relations, encode_labels, entries_of, write_entities
from holdfast.milestones.index.schema import INDEXES, TABLES
from holdfast.milestones.index.update import IndexUpdate, Lines, OperationRow, Tips, request_rows, run_script
from holdfast.milestones.log.entry import Entry, is_set_member
from holdfast.storage.garbage_collection import without_garbage_collection
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit import EMPTY_TREES, Commit, parse_record
from holdfast.storage.git.commits.commit_reader import read_records

INSERT_CREATION = (
    "INSERT INTO entity (id, kind, title, description, status, status_rank, author, created, updated,"
    " created_place, updated_place, comments, contested, labels)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?9, 0, 0, ?10)"
)
OPERATIONS_PER_INSERT = 2_000  # per `executemany`; larger batches save little time, and use more memory
MAX_PENDING_OPERATIONS = 250_000  # some hundred megabytes; operations beyond that are folded from the index
_INSERT_OPERATION = "INSERT INTO operation VALUES (?, ?, ?, ?, ?)"
_SELECT_DUPLICATES = (
    "SELECT rowid, * FROM operation WHERE (entity, id) IN"
    " (SELECT entity, id FROM operation GROUP BY entity, id HAVING count(*) > 1) ORDER BY rowid DESC"
)

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PLAIN_CHARACTERS = r"[ !#-\[\]-~]*"
_JSON_STRING = rf'"{_PLAIN_CHARACTERS}(?:\\["\\/bfnrt]{_PLAIN_CHARACTERS})*"'
_RECORD = re.compile(
    rf"([0-9a-f]+) ([0-9a-f]+) (?:{'|'.join(EMPTY_TREES)}) ([0-9]{{1,11}}),[0-9a-f]*\n"
    r"[^\n{][^\n]*\n\n"
    rf'(\{{"by":"({_PLAIN_CHARACTERS})","e":"({_UUID})","k":"(issue|milestone)","l":([1-9][0-9]{{0,14}}),'
    rf'"op":"({_UUID})","t":"create","ts":"({_PLAIN_CHARACTERS})","v":1,'
    rf'"x":\{{(?:"description":({_JSON_STRING}),)?(?:"labels":(\[[^\]\\]*\]),)?'
    rf'(?:"status":"(draft|open|closed)",)?"title":({_JSON_STRING})\}}\}})\n*',
    re.ASCII,
)
_STATUS_WITH_RANK: dict[str | None, tuple[str, int]] = {
    status: (status, rank) for rank, status in enumerate(STATUSES)
}
_STATUS_WITH_RANK[None] = _STATUS_WITH_RANK["open"]

_cached_seconds = lru_cache(maxsize=4096)(seconds_of)  # the operations of an import share few timestamps


class Creation(NamedTuple):
    """A commit that creates one entity."""

    commit: str
    committed: int
    operation: OperationRow
    """The row of the operation, with the tip from which the commit was reached instead of the log's name."""
    entity: tuple[object, ...]
    """The parameters of `INSERT_CREATION`."""


def parse_creation(record: str) -> Creation | None:
    """Parse a record of `read_records`; return None unless the commit creates one entity, in plain ASCII."""
    match = _RECORD.fullmatch(record)
    if match is None:
        return None
    commit, tip, committed, line, actor, entity_id, kind, lamport, *rest = match.groups()
    operation, time, description, labels, status, title = rest
    encoded_labels = "[]" if labels is None else _label_column(labels)
    # A string is never longer than its quoted form. If the quoted form is too long, the full parser decides.
    has_long_title = len(title) > LIMITS.entity_title_characters
    has_long_description = len(description or "") > LIMITS.entity_text_characters
    if encoded_labels is None or title == '""' or has_long_title or has_long_description:
        return None
    text = "" if description is None else _decode_string(description)
    entity = (
        entity_id, kind, _decode_string(title), text, *_STATUS_WITH_RANK[status], actor,
        _cached_seconds(time) or 0, int(lamport), encoded_labels,
    )  # fmt: skip
    return Creation(commit, int(committed), (entity_id, int(lamport), operation, tip, line), entity)


def _decode_string(quoted: str) -> str:
    return scanstring(quoted, 1)[0] if "\\" in quoted else quoted[1:-1]


@lru_cache(maxsize=4096)
def _label_column(text: str) -> str | None:
    """Return the labels of a line as stored in the index, or None if one is invalid."""
    try:
        members = json.loads(text)
    except ValueError:
        return None
    is_plain = all(is_set_member(member) and member.isascii() for member in members)
    if len(members) > LIMITS.entity_set_members or not is_plain:
        return None
    return encode_labels(tuple(sorted(set(members))))


def build(connection: sqlite3.Connection, git: Git, tips: Tips) -> None:
    """Fill a new index from all logs."""
    run_script(connection, TABLES)
    with without_garbage_collection():
        BulkLoad(connection, git, tips).run()


class BulkLoad(IndexUpdate):
    """One pass over all logs into an empty database, whose SQL indexes are built last."""

    def __init__(self, connection: sqlite3.Connection, git: Git, tips: Tips) -> None:
        super().__init__(connection, git, tips)
        self._operations: list[OperationRow] = []
        self._requests: list[tuple[str, str, str, str]] = []
        self._creations: list[tuple[object, ...]] = []
        self._created: set[str] = set()
        self._pending: dict[str, list[Entry]] = {}
        self._deferred: set[str] = set()
        self._remaining = MAX_PENDING_OPERATIONS
        self._operation_ids: set[str] = set()
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
        self._remaining -= 1
        if not self._remaining:
            self._deferred.update(self._pending)
            self._pending.clear()
            self._remaining = MAX_PENDING_OPERATIONS

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
