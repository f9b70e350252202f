"""A SQLite file whose content is derived from other stores, so that it can be rebuilt whenever in doubt.

Contract:
- Each build is a new file with a new name; a small pointer file, replaced atomically, names the current one.
  A file is never renamed or rebuilt in place: a new database under an old name would find the old log.
  Files that are no longer current are removed; a process that has one open notices at its next use.
- A file or pointer that is missing, foreign, damaged or of another version raises `NotUsable`, and the owner
  rebuilds it. A failure never looks like an empty result.
- A file whose content is believed without comparing it with anything is `authenticated`: it is used only if
  this user's Holdfast built that very file, as a code in the pointer proves. One that came with the
  repository is not used.
- Writes are consistent but not flushed: after a power failure the file may be older than its sources, so the
  owner compares the two before it uses the file.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TypeVar

from holdfast.kernel.errors import (
    Corrupted,
    Denied,
    HoldfastError,
    InvalidPath,
    NotFound,
    OutOfSpace,
    TooLarge,
    Unavailable,
)
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import locked
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.sql.connection_pool import ConnectionPool
from holdfast.storage.sql.quick import connect_to, format_of, open_store
from holdfast.storage.sql.sqlite_errors import SQLITE_ERRORS, SqliteError, database_failure

POINTER_SUFFIX = ".index"

_MAX_POINTER_BYTES = 200
"""A judgement: the pointer holds one file name, which has fewer than 100 bytes."""
CANNOT_WRITE = (Denied, InvalidPath, OutOfSpace, Unavailable)
"""The errors that mean that the directory cannot be written to."""
_CANNOT_OPEN = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
SETTINGS = ("PRAGMA synchronous = NORMAL", "PRAGMA trusted_schema = OFF")
_MAX_BUILD_ATTEMPTS = 3
"""A judgement: another process seldom removes the file during a build, and hardly ever twice."""
_BUSY_SECONDS = LIMITS.database_busy_seconds
_BUILD_SETTINGS = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -65536")
"""An interrupted build is discarded, so it needs no journal; 64 MiB of cache hold most files whole."""

Prepare = Callable[[sqlite3.Connection], object]
"""Creates the tables that do not exist yet, or fills them."""
Result = TypeVar("Result")


class NotUsable(Exception):
    """The file must be rebuilt; the message says why."""


class DerivedDatabase:
    """A rebuildable database called `name` in a directory, usable from many threads and processes."""

    def __init__(
        self,
        directory: str,
        name: str,
        *,
        application_id: int,
        version: int,
        prepare: Prepare,
        authenticated: bool = False,
    ) -> None:
        self._directory = directory
        self._name = name
        self._application_id = application_id
        self._version = version
        self._prepare = prepare
        self._authenticated = authenticated
        self._pointer = os.path.join(directory, name + POINTER_SUFFIX)
        self._name_pattern = re.compile(re.escape(name) + r"-[0-9a-f]{16}\.sqlite")
        self._current: str | None = None
        self._damaged: str | None = None
        """The name of the last file that was found damaged."""
        self._memory: sqlite3.Connection | None = None
        """The connection that keeps a database in memory alive, where nothing can be written to the disk."""
        self._connections = ConnectionPool(self._connect)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield a read-only connection to one snapshot of the data."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are all committed at the end, or not at all."""
        try:
            with self._transaction("BEGIN IMMEDIATE", writing=True) as connection:
                yield connection
                connection.execute("COMMIT")
        except CANNOT_WRITE as failure:
            raise NotUsable(failure.message) from None

    def try_read(self, query: Callable[[sqlite3.Connection], Result], otherwise: Result) -> Result:
        """Return the result of a query, or `otherwise` where there is no usable file; for caches."""
        try:
            with self.read() as connection:
                return query(connection)
        except (NotUsable, HoldfastError):
            return otherwise

    def try_write(self, fill: Prepare) -> bool:
        """Run `fill` in the file, or in a new one where it is unusable; return whether that succeeded."""
        try:
            # A write need not touch the page that a read found damaged.
            if self._damaged is None or self._damaged != self._read_pointer():
                with suppress(NotUsable):
                    self._fill_current(fill)
                    return True
            if not self.rebuild(fill):
                self._fill_current(fill)
        except (HoldfastError, NotUsable):
            return False
        return True

    def _fill_current(self, fill: Prepare) -> None:
        with self.write() as connection:
            fill(connection)

    def rebuild(self, fill: Prepare) -> bool:
        """Build a new file with `fill`, unless another process has just done so; return whether `fill` ran.

        If nothing can be written to the disk, the database is built in memory, for this process alone.
        """
        try:
            return self._rebuild(fill)
        except CANNOT_WRITE:
            self.close()
            address = f"file:/{os.urandom(8).hex()}?vfs=memdb"
            memory = connect_to(address, _BUSY_SECONDS)
            try:
                self._fill(memory, fill)
            except BaseException:
                memory.close()
                raise
            self._current, self._memory = address, memory
            return True

    def _rebuild(self, fill: Prepare) -> bool:
        previous = self._read_pointer()
        with locked(self._pointer, wait=LIMITS.index_seconds):
            if self._read_pointer() != previous and self.is_usable():
                return False
            name = f"{self._name}-{os.urandom(8).hex()}.sqlite"
            path = os.path.join(self._directory, name)
            try:
                for _ in range(_MAX_BUILD_ATTEMPTS):
                    self._build(path, fill)
                    if os.path.exists(path):  # unless another process removed it meanwhile
                        break
                with translate_disk_errors(name), open(path, "rb") as file:
                    os.fsync(file.fileno())
                atomic_write(self._pointer, f"{self._pointer_to(name)}\n".encode(), mode=0o600)
            except BaseException:
                _remove(path)
                raise
            self._remove_all_but(name)
            return True

    def is_usable(self) -> bool:
        """Return whether the current file can be opened and is of this version."""
        try:
            with self.read():
                return True
        except NotUsable:
            return False

    def discard(self) -> None:
        """Make the current file unusable, because it is damaged; the next use builds another."""
        self.close()
        _remove(self._pointer)

    def close(self) -> None:
        """Close every connection."""
        self._current = None
        self._connections.retire()
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    @contextmanager
    def _transaction(self, begin: str, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        self._follow_pointer()
        try:
            with self._connections.lend(writing=writing) as connection:
                connection.execute(begin)
                yield connection
        except SQLITE_ERRORS as error:
            raise self._translate(error) from None

    def _translate(self, error: SqliteError) -> Exception:
        """Return `NotUsable` for an error that a rebuild fixes, else the error that the caller should see."""
        failure = database_failure(error, self._name + POINTER_SUFFIX)
        cannot_open = getattr(error, "sqlite_errorcode", 0) & 0xFF in _CANNOT_OPEN
        is_damaged = isinstance(failure, Corrupted)
        if is_damaged:
            self._damaged = self._current
        if is_damaged or cannot_open or str(error).startswith(("no such table", "no such column")):
            self.close()
            return NotUsable(str(error))
        return failure or error

    def _follow_pointer(self) -> None:
        if self._memory is not None:
            return
        name = self._read_pointer()
        if name is None:
            raise NotUsable("it was not built yet")
        if name != self._current:
            self._current = name  # before retiring, so that new connections open the new file
            self._connections.retire()

    def _read_pointer(self) -> str | None:
        """Return the name of the current file, or None if the pointer is missing or unusable."""
        if not os.path.lexists(self._pointer):
            return None  # before the first use
        try:
            content = os.fsdecode(read_limited(self._pointer, _MAX_POINTER_BYTES)).strip()
            name = content.partition(" ")[0]
            is_valid = self._name_pattern.fullmatch(name) and content == self._pointer_to(name)
        except (Denied, NotFound, InvalidPath, TooLarge):
            return None
        return name if is_valid else None

    def _pointer_to(self, name: str) -> str:
        """Return the content of a pointer to a file, with the code that authenticates it if necessary."""
        if not self._authenticated:
            return name
        from holdfast.storage.files.user_key import authentication_code  # most databases need none

        with translate_disk_errors(name):
            inode = os.stat(os.path.join(self._directory, name)).st_ino  # an unpacked copy has another
        code = authentication_code(f"{name} {inode}".encode())
        if code is None:
            raise Denied("The state of this user can neither be read nor written.")
        return f"{name} {code}"

    def _connect(self) -> sqlite3.Connection:
        if self._current is None:
            raise NotUsable("it was closed")
        path = os.path.join(self._directory, self._current)
        connection = (
            open_store(path, _BUSY_SECONDS)
            if self._memory is None
            else connect_to(self._current, _BUSY_SECONDS)
        )
        try:
            if format_of(connection) != (self._application_id, self._version):
                raise NotUsable("it is of another version")
            for setting in SETTINGS:
                connection.execute(setting)
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _build(self, path: str, fill: Prepare) -> None:
        with translate_disk_errors(self._name):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with closing(open_store(path, _BUSY_SECONDS)) as connection:
            self._fill(connection, fill)

    def _fill(self, connection: sqlite3.Connection, fill: Prepare) -> None:
        try:
            for setting in _BUILD_SETTINGS:
                connection.execute(setting)
            self._prepare(connection)
            connection.execute("BEGIN")
            fill(connection)
            connection.execute("COMMIT")
            connection.execute(f"PRAGMA application_id = {self._application_id:d}")
            connection.execute(f"PRAGMA user_version = {self._version:d}")
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            failure = database_failure(error, self._name + POINTER_SUFFIX)
            raise failure or error from None

    def _remove_all_but(self, current: str) -> None:
        for entry in os.listdir(self._directory):
            base = entry.removesuffix("-wal").removesuffix("-shm").removesuffix("-journal")
            if base != current and self._name_pattern.fullmatch(base):
                _remove(os.path.join(self._directory, entry))


def _remove(path: str) -> None:
    with suppress(OSError):  # the next build tries again
        os.unlink(path)
