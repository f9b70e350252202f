"""One SQLite file as a store: opened with care, written in immediate transactions, never recreated.

Contract:
- When `write` ends without an exception, its changes survive kill -9 and power loss (write-ahead log,
  `synchronous=FULL`). When it raises, nothing inside it happened.
- Every write begins with `BEGIN IMMEDIATE`: a transaction that reads first and upgrades later fails *busy* at
  once, whatever the time-out. `read` gives a connection that cannot write, so nobody upgrades by accident.
- A file that is missing, empty, foreign or without its schema after it once was created is `Corrupted`: it is
  reported and left as it is (see `store_file`). A file of a newer release is refused untouched, also when
  the upgrade happens while this process has it open.
- Before SQLite drops finished writes from a damaged log, a copy of the log is kept.
- A store found damaged in use is not written to again by this process; what can be read stays readable.
- Where nothing can be written, what was stored can still be read (see `snapshot`).
- A file replaced under a running process is opened anew, so that no acknowledged write goes to a file that
  has lost its name.
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
from holdfast.kernel.machine import disk_failures_named
from holdfast.storage.files.atomic import StrPath, locked
from holdfast.storage.sql.quick import connected
from holdfast.storage.sql.snapshot import unwritable
from holdfast.storage.sql.store_file import (
    SQLITE_ERRORS,
    ConnectionPool,
    Loan,
    SqliteError,
    StoreFile,
    application_of,
    database_failures_named,
    is_blank,
    is_busy,
    is_damage,
    raise_translated,
    version_of,
)
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


class Database:
    """A store in one SQLite file, usable from many threads and many processes.

    `migrations` bring an older file up to date when it is opened. `read_only` opens what can still be read of
    a store of any version, changes nothing, and is how `holdfast doctor` looks at a damaged one. Neither
    `write` inside `write` nor use across a fork is supported.

    It is also an `SqlStore`: its writers always come one after the other, so that `together` and numbering in
    order ask nothing of it.
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
        """Where the file is, and what messages call it."""
        self._application_id = application_id
        self._migrations = migrations
        self._read_only = read_only
        self._busy_seconds = busy_seconds
        # Writers wait for their turn in `_begin_immediate`, and for nothing else once they have it.
        self._connections = ConnectionPool(self._connect, for_writing=("PRAGMA busy_timeout = 0",))
        # `data_version` means something only when the same connection asks again: a pool of one.
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
        """Yield a connection that sees one moment of the store and cannot change it."""
        return Transaction(self._begin_reading, self._end)

    def write(self, *, together: bool = False) -> Transaction:
        """Yield a connection whose changes are committed together at the end, or not at all."""
        del together  # SQLite has one writer at a time, whatever they do.
        return Transaction(self._begin_writing, self._end)

    def send_later(self, connection: Connection, statement: str, values: Values) -> None:
        """Run a statement whose answer nobody needs."""
        connection.execute(statement, values)

    def number_in_order(self, connection: object) -> None:
        """Nothing to do: there is one writer at a time."""

    def append_in_order(self, connection: Connection, statement: str, rows: Sequence[Values]) -> None:
        """Insert rows that are numbered in the order of commits."""
        if len(rows) == 1:
            connection.execute(statement, rows[0])
        else:
            connection.executemany(statement, rows)

    def data_version(self) -> tuple[int, int]:
        """Return a value that changes whenever any process commits a change."""
        self._follow_the_name()
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
        """Return the number of the migration that the file has reached."""
        with self.read() as connection:
            return version_of(connection)

    def verify(self) -> list[str]:
        """Return what SQLite finds wrong in the file; an empty list means that it is sound."""
        try:
            with self.read() as connection:
                findings = [str(row[0]) for row in connection.execute("PRAGMA quick_check")]
                orphans = [str(row[0]) for row in connection.execute("PRAGMA foreign_key_check")]
        except Corrupted as failure:
            return [failure.message]
        broken = [f"table {table} refers to a row that does not exist" for table in orphans]
        return [finding for finding in findings if finding != "ok"] + broken

    def close(self) -> None:
        """Close every connection; those in use, when they come back."""
        self._closed = True
        self._retire()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> sqlite3.Connection:
        connection = connected(self.path, self._busy_seconds, mode="ro" if self._read_only else "rw")
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open(self) -> None:
        try:
            with disk_failures_named(self.name), database_failures_named(self.name):
                self._file.check()
                if not self._read_only:
                    self._file.keep_damaged_log()
                if not self._is_current():
                    with locked(self.path, wait=self._busy_seconds):
                        self._create_or_upgrade()
                self._identity = self._file.identity()
                self._openings += 1
        except BaseException:
            self._retire()
            raise

    def _is_current(self) -> bool:
        """Tell whether the file is complete and of this version: the quick way in."""
        if not self._read_only and not self._file.was_created:
            return False
        with self._connections.lend() as connection:
            return self._checked_version(connection) == len(self._migrations) or self._read_only

    def _checked_version(self, connection: sqlite3.Connection) -> int:
        if application_of(connection) != self._application_id:
            raise self._file.lost("holds something else than it should")
        return self._refuse_if_newer(connection)

    def _refuse_if_newer(self, connection: sqlite3.Connection) -> int:
        """Return the version; a later release may upgrade the file at any time, also while it is open."""
        version = version_of(connection)
        if version > len(self._migrations) and not self._read_only:
            refuse_newer(version, len(self._migrations), self.name)
        return version

    def _begin_reading(self) -> Loan:
        self._follow_the_name()
        return self._begun(lambda connection: connection.execute("BEGIN"), writing=False)

    def _begin_writing(self) -> Loan:
        if self._damaged:
            raise self._file.lost("is damaged, and is only read from now on")
        if self._read_only:
            raise Denied(f"The store '{self.name}' was opened for reading only.", path=self.name)
        # Threads queue here without sleeping; SQLite's own waiting is for other processes.
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise Busy(f"The store '{self.name}' is in use.", hint="Try again in a moment.", path=self.name)
        try:
            self._follow_the_name()
            return self._begun(self._begin_immediate, writing=True)
        except BaseException:
            self._writing.release()
            raise

    def _begin_immediate(self, connection: sqlite3.Connection) -> None:
        """Wait for the turn to write. SQLite itself, once it has waited a while, looks ten times a second:
        among many busy writers it would miss every moment at which it could begin."""
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
        """Commit what was written, unless something failed, and let the next one write."""
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
            # The schema moves into the file itself before the marker vouches for it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
        self._file.remember()

    def _follow_the_name(self) -> None:
        """Open again when another file has taken this one's name, or say that it is gone."""
        if self._closed:
            raise Unavailable(f"The store '{self.name}' is closed.", hint="Open it again.", path=self.name)
        if self._file.identity() == self._identity is not None:
            return
        with self._opening:
            if self._identity is None or self._identity != self._file.identity():
                self._retire()
                self._identity = None  # closing freed its number, which the next file may get
                self._damaged = False
                self._open()

    def _retire(self) -> None:
        self._connections.retire()
        self._probes.retire()

    def _refuse(self, error: SqliteError) -> NoReturn:
        self._damaged = self._damaged or is_damage(error)
        if (reason := unwritable(self.path, error)) is not None:
            raise reason from None
        raise_translated(error, self.name)


class Transaction:
    """A transaction for as long as a `with` lasts. By hand: nested generators cost more than a query does."""

    __slots__ = ("_begin", "_end", "_loan")

    def __init__(self, begin: Callable[[], Loan], end: Callable[[Loan, BaseException | None], None]) -> None:
        self._begin = begin
        self._end = end

    def __enter__(self) -> sqlite3.Connection:
        self._loan = self._begin()
        return self._loan.connection

    def __exit__(self, _: object, failure: BaseException | None, __: object) -> None:
        self._end(self._loan, failure)
