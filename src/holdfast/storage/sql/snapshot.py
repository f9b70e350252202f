"""Read-only snapshots of a store, for a full disk or a read-only file system.

Contract:
- To read a store, SQLite creates files beside it, and fails where it cannot. A `Snapshot` has the content of
  the store at one point in time, including the committed writes in its log, and creates no file.
- A snapshot is used once: the next caller first tries to open the store itself, and so sees later writes.
- An attempt to write raises the operating system's reason, not SQLite's interpretation of it.
"""

from __future__ import annotations

import errno
import os
import sqlite3

from holdfast.kernel.errors import Busy, HoldfastError
from holdfast.kernel.machine import disk_failure
from holdfast.storage.sql.quick import sqlite_uri
from holdfast.storage.sql.write_ahead_log import committed_pages, read_log

_MIN_FREE_BYTES = 64 * 1024
"""SQLite needs 32 KiB of shared memory (<https://sqlite.org/walformat.html>), and some space for the log."""
_MIN_FREE_INODES = 2
"""One for the shared memory, one for the log."""
_WRITE_REFUSED_CODES = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
)  # fmt: skip
_DISK_FULL_CODES = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
VERSIONS = slice(18, 20)
"""The two bytes of the header that are 2 if a database has a write-ahead log, else 1. A copy in memory cannot
have a log (<https://sqlite.org/fileformat.html>)."""
_MAX_ATTEMPTS = 5
"""A judgement: where nothing can be written, the store seldom changes during an attempt, let alone twice."""


class Snapshot(sqlite3.Connection):
    """A connection to a store as it was at one time; `reason` is why the store cannot be written."""

    reason: HoldfastError | None = None


def write_obstacle(path: str, error: BaseException) -> HoldfastError | None:
    """Return why the operating system prevents writing to a path, if that caused SQLite's error."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code & 0xFF not in _WRITE_REFUSED_CODES:
        return None
    file_system = os.statvfs(os.path.dirname(path))
    if file_system.f_flag & os.ST_RDONLY:
        number = errno.EROFS
    elif not os.access(path, os.W_OK) or not os.access(os.path.dirname(path), os.W_OK):
        number = errno.EACCES
    elif code in _DISK_FULL_CODES or _is_full(file_system):
        number = errno.ENOSPC
    else:
        return None
    return disk_failure(OSError(number, os.strerror(number)), os.path.basename(path))


def _is_full(file_system: os.statvfs_result) -> bool:
    if file_system.f_bavail * file_system.f_frsize < _MIN_FREE_BYTES:
        return True
    counts_inodes = file_system.f_files > 0
    return counts_inodes and file_system.f_favail < _MIN_FREE_INODES


def open_snapshot(path: str, error: BaseException) -> Snapshot:
    """Return a snapshot of a store that SQLite could not open because nothing can be written, or re-raise."""
    reason = write_obstacle(path, error)
    if reason is None:
        raise error
    for _ in range(_MAX_ATTEMPTS):
        before = _stat(path)
        pages, page_count = committed_pages(read_log(path))
        if not pages:
            snapshot = _connect(f"{sqlite_uri(path, 'ro')}&immutable=1")
        else:
            snapshot = _connect(":memory:")
            snapshot.deserialize(_checkpointed_content(path, pages, page_count))
        snapshot.reason = reason
        if _stat(path) == before:
            return snapshot
        snapshot.close()
    name = os.path.basename(path)
    raise Busy(f"The store '{name}' is in use by another process.", hint="Try again in a moment.", path=name)


def _stat(path: str) -> list[tuple[int, int] | None]:
    """Return the size and the modification time of a store and of its log; None for a missing file."""
    stats = [os.stat(file) if os.path.exists(file) else None for file in (path, f"{path}-wal")]
    return [None if status is None else (status.st_size, status.st_mtime_ns) for status in stats]


def _checkpointed_content(path: str, pages: dict[int, bytes], page_count: int) -> bytes:
    """Return the content that the file would have after a checkpoint of its log."""
    page_size = len(next(iter(pages.values())))
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content.extend(bytes(max(0, page_count * page_size - len(content))))
    for number, page in pages.items():
        content[(number - 1) * page_size : number * page_size] = page
    content[VERSIONS] = b"\1\1"
    return bytes(content[: page_count * page_size])


def _connect(address: str) -> Snapshot:
    return Snapshot(address, uri=True, isolation_level=None, check_same_thread=False)
