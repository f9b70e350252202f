"""Reading a store where nothing can be written: on a full disk or a read-only file system.

Contract:
- SQLite needs files beside a store to read it, and fails if it cannot create them. A `Snapshot` has the
  content of the store at one point in time, including finished writes in its log, and writes nothing.
- It is used once: the next caller tries the ordinary way first, and so sees later writes.
- An attempt to write raises the machine's reason, not SQLite's interpretation of it.
"""

from __future__ import annotations

import errno
import os
import sqlite3

from holdfast.kernel.errors import Busy, HoldfastError
from holdfast.kernel.machine import disk_failure
from holdfast.storage.sql.quick import sqlite_uri
from holdfast.storage.sql.write_ahead_log import committed_pages, read_log

_FULL_BYTES = 64 * 1024
_FULL_FILES = 2
"""With less room, in bytes or in inodes, SQLite cannot open a store: its shared memory takes 32 KiB, and
the log needs a file too."""
_REFUSALS = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
)  # fmt: skip
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
VERSIONS = slice(18, 20)
"""The bytes of the header that say whether a database has a write-ahead log, which a copy in memory cannot
have (see sqlite.org/fileformat.html)."""
_ATTEMPTS = 5
"""A judgement: where nothing can be written, a second attempt seldom finds another change."""


class Snapshot(sqlite3.Connection):
    """A connection to a store as it was at one time; `reason` says why it cannot be written."""

    reason: HoldfastError | None = None


def write_obstacle(path: str, error: BaseException) -> HoldfastError | None:
    """Return why the machine prevents writing to a path, if that caused SQLite's error."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code & 0xFF not in _REFUSALS:
        return None
    place = os.statvfs(os.path.dirname(path))
    if place.f_flag & os.ST_RDONLY:
        number = errno.EROFS
    elif not os.access(path, os.W_OK) or not os.access(os.path.dirname(path), os.W_OK):
        number = errno.EACCES
    elif (
        code in _FULL
        or place.f_bavail * place.f_frsize < _FULL_BYTES
        or place.f_favail < _FULL_FILES < place.f_files  # 0 on file systems that do not count inodes
    ):
        number = errno.ENOSPC
    else:
        return None
    return disk_failure(OSError(number, os.strerror(number)), os.path.basename(path))


def open_snapshot(path: str, error: BaseException) -> Snapshot:
    """Return a snapshot of a store that SQLite could not open because nothing can be written, or re-raise."""
    reason = write_obstacle(path, error)
    if reason is None:
        raise error
    for _ in range(_ATTEMPTS):
        before = _stat(path)
        pages, size = committed_pages(read_log(path))
        if not pages:
            snapshot = _opened(f"{sqlite_uri(path, 'ro')}&immutable=1")
        else:
            snapshot = _opened(":memory:")
            snapshot.deserialize(_checkpointed(path, pages, size))
        snapshot.reason = reason
        if _stat(path) == before:
            return snapshot
        snapshot.close()
    name = os.path.basename(path)
    raise Busy(f"The store '{name}' is in use by another process.", hint="Try again in a moment.", path=name)


def _stat(path: str) -> list[tuple[int, int] | None]:
    found = [os.stat(file) if os.path.exists(file) else None for file in (path, f"{path}-wal")]
    return [one and (one.st_size, one.st_mtime_ns) for one in found]


def _checkpointed(path: str, pages: dict[int, bytes], size: int) -> bytes:
    """Return the content that the file would have after a checkpoint of its log."""
    length = len(next(iter(pages.values())))
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content.extend(bytes(max(0, size * length - len(content))))
    for number, page in pages.items():
        content[(number - 1) * length : number * length] = page
    content[VERSIONS] = b"\1\1"
    return bytes(content[: size * length])


def _opened(address: str) -> Snapshot:
    return Snapshot(address, uri=True, isolation_level=None, check_same_thread=False)
