"""The cache of records on disk: content-addressed, shared by the worktrees of a repository, and with the last
known stat of each file.

Contract:
- A record is valid for its key, which consists of language, file extension and content hash, and for one
  version of the code that computes records. The stat and key of a file only save reading it.
- Damage, another version or a full disk only cost time. Several processes may use the cache at once.
- The size is bounded: the least recently used records are evicted first.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from zlib import crc32

from holdfast.analysis.engine.code_version import record_version
from holdfast.kernel.clock import DAY_SECONDS
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.project_files import FileStat
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.derived import DerivedDatabase
from holdfast.syntax.core.sections import Parts

NAME = "records"
APPLICATION_ID = 0x48465243  # "HFRC"

_TABLES = """
CREATE TABLE IF NOT EXISTS record (
    key TEXT PRIMARY KEY,
    used INTEGER NOT NULL,  -- the day of the last use, counted from 1970
    checksum INTEGER NOT NULL,  -- of the key and the parts
    metrics BLOB NOT NULL,
    comments BLOB NOT NULL,
    names BLOB NOT NULL  -- empty if they were not read
) STRICT;
CREATE INDEX IF NOT EXISTS record_used ON record (used);
CREATE TABLE IF NOT EXISTS file (
    root BLOB NOT NULL,
    path BLOB NOT NULL,
    seen TEXT NOT NULL,  -- the stat, empty if it cannot be trusted
    size INTEGER NOT NULL,
    sight TEXT NOT NULL,  -- why it cannot be read
    key TEXT NOT NULL,
    reason TEXT NOT NULL,  -- why it is skipped
    PRIMARY KEY (root, path)
) STRICT, WITHOUT ROWID;
"""
_INSERT_FILE = "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_RECORD = "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?)"
_MARK_USED = "UPDATE record SET used = ? WHERE key = ?"
_SELECT_RECORDS = """
SELECT record.key, used, checksum, metrics, comments, names FROM json_each(?) AS wanted
JOIN record ON record.key = wanted.value WHERE length(names) >= ?
"""
_DELETE_LEAST_RECENTLY_USED = "DELETE FROM record WHERE key IN (SELECT key FROM record ORDER BY used LIMIT ?)"


class CachedFile(NamedTuple):
    """The state of a file when it was last read."""

    stat: FileStat | None
    """None if the stat cannot be trusted to detect a change."""
    size: int = 0
    unreadable: str = ""
    """Why the file cannot be read, if its stat shows that."""
    key: str = ""
    """The key of its record; empty if it has none."""
    reason: str = ""
    """Why the file is skipped, if it is."""


class RecordCache:
    """The cache of one repository, for one of its work trees."""

    def __init__(
        self, repository: Repository, name: str = NAME, *, clock: Callable[[], float] = time.time
    ) -> None:
        """`name` is the name of the database; `clock` returns seconds since 1970."""
        self._repository = repository
        self._name = name
        self._clock = clock
        self._root = os.fsencode(repository.root)
        self._database = Lazy(self._open)

    def cached_files(self) -> dict[str, CachedFile]:
        rows = self._rows(
            lambda connection: connection.execute(
                "SELECT path, seen, size, sight, key, reason FROM file WHERE root = ?", (self._root,)
            ).fetchall()
        )
        return {os.fsdecode(path): CachedFile(_parse_stat(stat), *rest) for path, stat, *rest in rows}

    def keys(self, *, only_whole: bool = False) -> list[str]:
        """Return the keys of all records, or only of those that include names."""
        query = "SELECT key FROM record WHERE length(names) >= ?"
        rows = self._rows(lambda connection: connection.execute(query, (only_whole,)).fetchall())
        return [key for (key,) in rows]

    def load(self, keys: Collection[str], *, only_whole: bool = False) -> dict[str, Parts]:
        """Return the records that are cached and undamaged, by key, and mark them as used today."""
        if not keys:
            return {}
        parameters = (json.dumps(sorted(keys)), only_whole)
        rows = self._rows(lambda connection: connection.execute(_SELECT_RECORDS, parameters).fetchall())
        found = {key: tuple(parts) for key, _, checksum, *parts in rows if checksum == _checksum(key, parts)}
        today = self._today()
        if used_before := [(today, key) for key, used, *_ in rows if used < today]:
            self._write(lambda connection: connection.executemany(_MARK_USED, used_before))
        return found

    def _today(self) -> int:
        return int(self._clock()) // DAY_SECONDS

    def put(
        self, records: Mapping[str, Parts], files: Mapping[str, CachedFile], deleted: Iterable[str] = ()
    ) -> None:
        """Cache records and the state of files, and forget deleted files."""
        today = self._today()
        record_rows = [(key, today, _checksum(key, parts), *parts) for key, parts in records.items()]
        file_rows = [(self._root, os.fsencode(path), *_file_columns(file)) for path, file in files.items()]
        deleted_rows = [(self._root, os.fsencode(path)) for path in deleted]

        def fill(connection: sqlite3.Connection) -> None:
            connection.executemany(_INSERT_RECORD, record_rows)
            connection.executemany("DELETE FROM file WHERE root = ? AND path = ?", deleted_rows)
            connection.executemany(_INSERT_FILE, file_rows)
            _evict(connection)

        if record_rows or file_rows or deleted_rows:
            self._write(fill)

    def close(self) -> None:
        self._database.close()

    def _open(self) -> DerivedDatabase:
        return DerivedDatabase(
            self._repository.store_directory,
            self._name,
            application_id=APPLICATION_ID,
            version=record_version(),
            prepare=_prepare,
            authenticated=True,
        )

    def _rows(self, query: Callable[[sqlite3.Connection], list[Any]]) -> list[Any]:
        if not os.path.isdir(self._repository.store_directory):
            return []
        return self._database.get().try_read(query, [])

    def _write(self, fill: Callable[[sqlite3.Connection], object]) -> None:
        with suppress(HoldfastError):  # a cache that cannot be written only costs time
            self._repository.ensure_store()
            self._database.get().try_write(fill)


def _prepare(connection: sqlite3.Connection) -> None:
    for table in filter(str.strip, _TABLES.split(";")):
        connection.execute(table)


def _evict(connection: sqlite3.Connection) -> None:
    """Evict the least recently used quarter of the records until the cache is within its bound."""
    while _bytes_used(connection) > LIMITS.record_cache_bytes:
        count = connection.execute("SELECT COUNT(*) FROM record").fetchone()[0]
        if not connection.execute(_DELETE_LEAST_RECENTLY_USED, (count // 4 + 1,)).rowcount:
            connection.execute("DELETE FROM file")  # no record is left, so these rows fill the cache
            return


def _bytes_used(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _checksum(key: str, parts: Iterable[bytes]) -> int:
    return crc32(b"".join((key.encode(), *parts)))


def _file_columns(file: CachedFile) -> tuple[str, int, str, str, str]:
    stat = "" if file.stat is None else ":".join(map(str, file.stat))
    return stat, file.size, file.unreadable, file.key, file.reason


def _parse_stat(text: str) -> FileStat | None:
    return FileStat(*map(int, text.split(":"))) if text else None
