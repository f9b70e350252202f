"""Reading a store where nothing can be written: on a full disk or a file system that is read-only.

Contract:
- SQLite needs files beside a store to read it, and refuses where it cannot make them. A `Snapshot` shows what
  the store held at one moment all the same, finished writes in its log included, and writes nothing.
- It is used once: whoever asks next tries the ordinary way first, and sees what was written meanwhile.
- Who wants to write is told why that is not possible: what the machine says, not what SQLite makes of it.
"""

from __future__ import annotations

import errno
import os
import sqlite3

from holdfast.kernel.errors import Busy, HoldfastError
from holdfast.kernel.machine import disk_failure
from holdfast.storage.sql.quick import address_of
from holdfast.storage.sql.write_ahead_log import log_of, pages_of

_FULL_BYTES = 64 * 1024
_FULL_FILES = 2
"""With less room than this, in bytes or in files, SQLite cannot even open a store."""
_REFUSALS = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
)  # fmt: skip
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
VERSIONS = slice(18, 20)
"""Where a file says whether it has a log, which a copy in memory cannot have."""
_ATTEMPTS = 5


class Snapshot(sqlite3.Connection):
    """A connection that shows a store as it was at one moment; `reason` says why it cannot be written."""

    reason: HoldfastError | None = None


def unwritable(path: str, error: BaseException) -> HoldfastError | None:
    """Return why the machine lets nothing be written at a path, if that is what SQLite's error comes from."""
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
        or place.f_favail < _FULL_FILES < place.f_files  # which is 0 where nobody counts them
    ):
        number = errno.ENOSPC
    else:
        return None
    return disk_failure(OSError(number, os.strerror(number)), os.path.basename(path))


def snapshot_of(path: str, error: BaseException) -> Snapshot:
    """Return a snapshot of a store that SQLite could not open because nothing can be written, or raise."""
    reason = unwritable(path, error)
    if reason is None:
        raise error
    for _ in range(_ATTEMPTS):
        before = _moment(path)
        pages, size = pages_of(log_of(path))
        if not pages:
            snapshot = _opened(f"{address_of(path, 'ro')}&immutable=1")
        else:
            snapshot = _opened(":memory:")
            snapshot.deserialize(_united(path, pages, size))
        snapshot.reason = reason
        if _moment(path) == before:
            return snapshot
        snapshot.close()
    name = os.path.basename(path)
    raise Busy(f"The store '{name}' is in use by another process.", hint="Try again in a moment.", path=name)


def _moment(path: str) -> list[tuple[int, int] | None]:
    found = [os.stat(file) if os.path.exists(file) else None for file in (path, f"{path}-wal")]
    return [one and (one.st_size, one.st_mtime_ns) for one in found]


def _united(path: str, pages: dict[int, bytes], size: int) -> bytes:
    """Return the bytes that the file would have, had SQLite moved the log into it."""
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
