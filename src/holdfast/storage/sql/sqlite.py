"""A store in one SQLite file: opened with care, written in immediate transactions, never recreated silently.

Contract:
- When `write` ends without an exception, its changes survive kill -9 and power loss (write-ahead log,
  `synchronous=FULL`). When it raises, none of them happened.
- Every write begins with `BEGIN IMMEDIATE`: a transaction that reads first and upgrades later fails *busy* at
  once, whatever the timeout. `read` gives a connection that cannot write, so no caller upgrades by accident.
- A file that was created once and is now missing, empty, foreign or without its schema is `Corrupted`: that
  is reported, and the file left as it is (see `store_file`). A file of a newer release is refused and left
  untouched, also when it is upgraded while this process has it open.
- Before SQLite drops finished writes from a damaged log, a copy of the log is made.
- A store found damaged in use is not written to again by this process; the rest stays readable.
- Where nothing can be written, the store can still be read (see `snapshot`).
- A file that is replaced while the process runs is opened again, so that no acknowledged write goes to a file
  that has lost its name.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NoReturn

from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Busy, Corrupted, Denied, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import StrPath
from holdfast.storage.files.locks import locked
from holdfast.storage.sql.connection_pool import ConnectionPool, Loan
from holdfast.storage.sql.quick import open_store
from holdfast.storage.sql.snapshot import write_obstacle
from holdfast.storage.sql.sqlite_errors import (
    SQLITE_ERRORS,
    SqliteError,
    is_busy,
    is_damage,
    raise_translated,
    translate_sqlite_errors,
)
from holdfast.storage.sql.store_file import StoreFile, application_of, is_blank, version_of
from holdfast.storage.sql.upgrade import Migration, refuse_newer, upgrade
from holdfast.storage.watching.own_writes import announce

if TYPE_CHECKING:
    from holdfast.storage.sql.sql_store import Connection, Values

_SETTINGS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # A schema that came with a hostile archive may not call functions that have side effects.
    "PRAGMA trusted_schema = OFF",
)
_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.005
"""Judgements: a write takes about as long as a flush, a few milliseconds."""


class Database:
    """A store in one SQLite file, usable from many threads and many processes.

    `migrations` bring an older file up to date when it is opened. `read_only` opens a store of any version,
    as far as it is readable, and changes nothing; `holdfast doctor` examines damaged stores with it. Neither
    `write` inside `write` nor use across a fork is supported.

    It is also an `SqlStore`: its writers always run one at a time, so `together` and numbering in order need
    nothing.
    """

    engine: Literal["sqlite", "postgresql"] = "sqlite"
    skip_locked = ""

    def __init__(
        self,
        path: StrPath,
        *,
        application_id: int,
        migrations: Sequence[Migration],
        read_only: bool = False,
        busy_seconds: float = LIMITS.database_busy_seconds,
    ) -> None:
        self._file = StoreFile(path)
        self.path, self.name = self._file.path, self._file.name
        """The path of the file, and its name in messages."""
        self._application_id = application_id
        self._migrations = migrations
        self._read_only = read_only
        self._busy_seconds = busy_seconds
        # Writers wait in `_begin_immediate`; once they have begun, no statement waits.
        self._connections = ConnectionPool(self._connect, for_writing=("PRAGMA busy_timeout = 0",))
        # `data_version` is only comparable on the same connection: a pool of one.
        self._probes = ConnectionPool(self._connect)
        self._probing = threading.Lock()
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._identity: tuple[int, int] | None = None
        self._openings = 0
        self._damaged = False
        self._closed = False
        self._open()

    def read(self) -> Transaction:
        """Yield a read-only connection to one snapshot of the store."""
        return Transaction(self._begin_reading, self._end)

    def write(self, *, together: bool = False) -> Transaction:
        """Yield a connection whose changes are committed together at the end, or not at all."""
        del together  # SQLite has one writer at a time, whatever they do.
        return Transaction(self._begin_writing, self._end)

    def send_later(self, connection: Connection, statement: str, values: Values) -> None:
        """Run a statement without a result."""
        connection.execute(statement, values)

    def number_in_order(self, connection: object) -> None:
        """Nothing to do: there is one writer at a time."""

    def append_in_order(self, connection: Connection, statement: str, rows: Sequence[Values]) -> None:
        """Insert rows whose numbers follow the order of commits."""
        if len(rows) == 1:
            connection.execute(statement, rows[0])
        else:
            connection.executemany(statement, rows)

    def data_version(self) -> tuple[int, int]:
        """Return a value that changes whenever any process commits a change."""
        self._reopen_if_replaced()
        try:
            with self._probing:
                loan = self._probes.take()
                try:
                    return self._openings, loan.connection.execute("PRAGMA data_version").fetchone()[0]
                finally:
                    self._probes.take_back(loan)
        except SQLITE_ERRORS as error:
            self._refuse(error)

    def version(self) -> int:
        """Return how many migrations were applied to the file."""
        with self.read() as connection:
            return version_of(connection)

    def verify(self) -> list[str]:
        """Return the defects that SQLite finds; an empty list means that the file is sound."""
        try:
            with self.read() as connection:
                findings = [str(row[0]) for row in connection.execute("PRAGMA quick_check")]
                orphans = [str(row[0]) for row in connection.execute("PRAGMA foreign_key_check")]
        except Corrupted as failure:
            return [failure.message]
        broken = [f"table {table} refers to a row that does not exist" for table in orphans]
        return [finding for finding in findings if finding != "ok"] + broken

    def close(self) -> None:
        """Close every connection; those in use, when they are returned."""
        self._closed = True
        self._retire()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> sqlite3.Connection:
        connection = open_store(self.path, self._busy_seconds, mode="ro" if self._read_only else "rw")
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open(self) -> None:
        try:
            with translate_disk_errors(self.name), translate_sqlite_errors(self.name):
                self._file.check()
                if not self._read_only:
                    self._file.save_damaged_log()
                if not self._is_current():
                    with locked(self.path, wait=self._busy_seconds):
                        self._create_or_upgrade()
                self._identity = self._file.identity()
                self._openings += 1
        except BaseException:
            self._retire()
            raise

    def _is_current(self) -> bool:
        """Return whether the file is complete and of this version, without locking it."""
        if not self._read_only and not self._file.was_created:
            return False
        with self._connections.lend() as connection:
            return self._checked_version(connection) == len(self._migrations) or self._read_only

    def _checked_version(self, connection: sqlite3.Connection) -> int:
        if application_of(connection) != self._application_id:
            raise self._file.damage_error("contains something other than it should")
        return self._refuse_if_newer(connection)

    def _refuse_if_newer(self, connection: sqlite3.Connection) -> int:
        """Return the version; a later release may upgrade the file at any time, also while it is open."""
        version = version_of(connection)
        if version > len(self._migrations) and not self._read_only:
            refuse_newer(version, len(self._migrations), self.name)
        return version

    def _begin_reading(self) -> Loan:
        self._reopen_if_replaced()
        return self._begun(lambda connection: connection.execute("BEGIN"), writing=False)

    def _begin_writing(self) -> Loan:
        if self._damaged:
            raise self._file.damage_error("is damaged, and can only be read from now on")
        if self._read_only:
            raise Denied(f"The store '{self.name}' was opened for reading only.", path=self.name)
        # Threads queue here; waiting for SQLite is for other processes.
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise Busy(f"The store '{self.name}' is in use.", hint="Try again in a moment.", path=self.name)
        try:
            self._reopen_if_replaced()
            return self._begun(self._begin_immediate, writing=True)
        except BaseException:
            self._writing.release()
            raise

    def _begin_immediate(self, connection: sqlite3.Connection) -> None:
        """Begin to write, waiting for other processes.

        SQLite's own busy handler soon retries only ten times a second: among many writers it would starve.
        """
        ends, pause = 0.0, _FIRST_PAUSE
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                ends = ends or monotonic() + self._busy_seconds
                if not is_busy(error) or monotonic() >= ends:
                    raise
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def _begun(self, begin: Callable[[sqlite3.Connection], object], *, writing: bool) -> Loan:
        try:
            loan = self._connections.take(writing=writing)
            try:
                begin(loan.connection)
                self._refuse_if_newer(loan.connection)
            except BaseException:
                self._connections.take_back(loan)
                raise
        except SQLITE_ERRORS as error:
            self._refuse(error)
        return loan

    def _end(self, loan: Loan, failure: BaseException | None) -> None:
        """Commit unless the block failed, and let the next writer begin."""
        try:
            if loan.writing and failure is None:
                loan.connection.execute("COMMIT")
        except sqlite3.Error as error:
            failure = error
        finally:
            try:
                self._connections.take_back(loan)
            finally:
                if loan.writing:
                    self._writing.release()
        if loan.writing and failure is None:
            announce(self.path)
        if isinstance(failure, sqlite3.Error):
            self._refuse(failure)

    def _create_or_upgrade(self) -> None:
        self._file.check()
        self._file.create_if_missing()
        connection = self._connect()
        try:
            # A migration may rebuild tables; `upgrade` checks the references at its end.
            connection.execute("PRAGMA foreign_keys = OFF")
            if self._file.was_created or not is_blank(connection):
                self._checked_version(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            upgrade(connection, self.path, self._application_id, self._migrations)
            # The schema must be in the file itself before the marker vouches for it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
        self._file.mark_as_created()

    def _reopen_if_replaced(self) -> None:
        """Reopen if another file has taken this one's name; raise if the store is closed or the file gone."""
        if self._closed:
            raise Unavailable(f"The store '{self.name}' is closed.", hint="Open it again.", path=self.name)
        if self._file.identity() == self._identity is not None:
            return
        with self._opening:
            if self._identity is None or self._identity != self._file.identity():
                self._retire()
                self._identity = None  # closing freed its inode number, which the next file may get
                self._damaged = False
                self._open()

    def _retire(self) -> None:
        self._connections.retire()
        self._probes.retire()

    def _refuse(self, error: SqliteError) -> NoReturn:
        self._damaged = self._damaged or is_damage(error)
        if (reason := write_obstacle(self.path, error)) is not None:
            raise reason from None
        raise_translated(error, self.name)


class Transaction:
    """A transaction as a context manager. A class, because nested generators cost more than a query."""

    __slots__ = ("_begin", "_end", "_loan")

    def __init__(self, begin: Callable[[], Loan], end: Callable[[Loan, BaseException | None], None]) -> None:
        self._begin = begin
        self._end = end

    def __enter__(self) -> sqlite3.Connection:
        self._loan = self._begin()
        return self._loan.connection

    def __exit__(self, _: object, failure: BaseException | None, __: object) -> None:
        self._end(self._loan, failure)
