"""A store in one SQLite file: checked when opened, written in immediate transactions, never recreated.

Contract:
- When `write` ends without an exception, its changes survive kill -9 and power loss (write-ahead log,
  `synchronous=FULL`). When it raises, none of them happened.
- Every write begins with `BEGIN IMMEDIATE`: a transaction that starts by reading and then writes can fail
  *busy* at once, whatever the timeout. `read` yields a connection that cannot write, so this never happens.
- A store that was created and whose file is now missing, empty, foreign or without its schema raises
  `Corrupted`, and the file is left as it is (see `store_file`). A file of a newer release is refused and left
  unchanged, even if another process upgrades it while this one has it open.
- Before SQLite drops finished writes from a damaged log, a copy of the log is made.
- Once this process finds a store damaged, it no longer writes to it; undamaged parts stay readable.
- Where nothing can be written, the store can still be read (see `snapshot`).
- If the file is replaced while the process runs, the new file is opened, so that no acknowledged write goes
  to a file without a name.
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
from holdfast.storage.sql.quick import format_of, open_store, version_of
from holdfast.storage.sql.snapshot import write_obstacle
from holdfast.storage.sql.sqlite_errors import (
    SQLITE_ERRORS,
    SqliteError,
    is_busy,
    is_damage,
    raise_translated,
    translate_sqlite_errors,
)
from holdfast.storage.sql.store_file import StoreFile, is_blank
from holdfast.storage.sql.upgrade import Migration, refuse_newer, upgrade
from holdfast.storage.watching.own_writes import announce

if TYPE_CHECKING:
    from holdfast.storage.sql.sql_store import Connection, Values

SETTINGS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # A schema that came with a hostile archive may not call functions that have side effects.
    "PRAGMA trusted_schema = OFF",
)
_MIN_PAUSE_SECONDS = 0.0005
"""The first pause between attempts to write. A judgement: a fraction of a flush, which takes milliseconds."""
_MAX_PAUSE_SECONDS = 0.005
"""A judgement: another process holds the lock for about one flush, a few milliseconds."""


class Database:
    """A store in one SQLite file, usable from many threads and many processes.

    `migrations` bring an older file up to date when it is opened. `read_only` opens a store of any version
    and changes nothing; `holdfast doctor` examines damaged stores with it. Neither `write` inside `write` nor
    use across a fork is supported.

    This class implements `SqlStore`. SQLite runs writers one at a time, so `concurrent` has no effect, and
    numbers are in the order of commits without further locks.
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
        self.path = self._file.path
        self.name = self._file.name
        """The name of the file, as messages show it."""
        self._application_id = application_id
        self._migrations = migrations
        self._read_only = read_only
        self._busy_seconds = busy_seconds
        # Writers wait in `_begin_immediate`; after that, no statement has to wait.
        self._connections = ConnectionPool(self._connect, for_writing=("PRAGMA busy_timeout = 0",))
        # `data_version` can only be compared on the same connection: `_probing` keeps this pool to one.
        self._probes = ConnectionPool(self._connect)
        self._probing = threading.Lock()
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._identity: tuple[int, int] | None = None
        """Device and inode of the file that is open."""
        self._openings = 0
        """How often the file was opened, because another had replaced it."""
        self._damaged = False
        self._closed = False
        self._open()

    def read(self) -> Transaction:
        """Yield a read-only connection to one snapshot of the store."""
        return Transaction(self._begin_reading, self._end)

    def write(self, *, concurrent: bool = False) -> Transaction:  # noqa: ARG002 - see the class
        """Yield a connection whose changes are all committed at the end, or not at all."""
        return Transaction(self._begin_writing, self._end)

    def send_later(self, connection: Connection, statement: str, values: Values) -> None:
        """Run a statement without a result."""
        connection.execute(statement, values)

    def number_in_order(self, connection: object) -> None:
        """Do nothing: there is one writer at a time."""

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
        broken_references = [f"table {table} refers to a row that does not exist" for table in orphans]
        return [finding for finding in findings if finding != "ok"] + broken_references

    def close(self) -> None:
        """Close every idle connection now, and each of the others when it is returned."""
        self._closed = True
        self._retire()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> sqlite3.Connection:
        connection = open_store(self.path, self._busy_seconds, mode="ro" if self._read_only else "rw")
        try:
            for setting in SETTINGS:
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
            return self._check_version(connection) == len(self._migrations) or self._read_only

    def _check_version(self, connection: sqlite3.Connection) -> int:
        """Return the version, or raise if the file belongs to another program or to a newer release."""
        application_id, _version = format_of(connection)
        if application_id != self._application_id:
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
        return self._begin(lambda connection: connection.execute("BEGIN"), writing=False)

    def _begin_writing(self) -> Loan:
        if self._damaged:
            raise self._file.damage_error("is damaged, and can only be read from now on")
        if self._read_only:
            raise Denied(f"The store '{self.name}' was opened for reading only.", path=self.name)
        # Threads of this process queue here; only other processes are waited for in SQLite.
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise Busy(f"The store '{self.name}' is in use.", hint="Try again in a moment.", path=self.name)
        try:
            self._reopen_if_replaced()
            return self._begin(self._begin_immediate, writing=True)
        except BaseException:
            self._writing.release()
            raise

    def _begin_immediate(self, connection: sqlite3.Connection) -> None:
        """Begin to write, waiting for other processes.

        SQLite's own busy handler soon retries only ten times a second, and would starve among many writers.
        """
        deadline: float | None = None
        pause = _MIN_PAUSE_SECONDS
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if deadline is None:
                    deadline = monotonic() + self._busy_seconds
                if not is_busy(error) or monotonic() >= deadline:
                    raise
            time.sleep(pause)
            pause = min(pause * 1.5, _MAX_PAUSE_SECONDS)

    def _begin(self, begin: Callable[[sqlite3.Connection], object], *, writing: bool) -> Loan:
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
        """Commit unless the block failed, return the connection, and let the next writer begin."""
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
                self._check_version(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            upgrade(connection, self.path, self._application_id, self._migrations)
            # The schema must be in the file itself before the marker says that it was created.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
        self._file.mark_as_created()

    def _reopen_if_replaced(self) -> None:
        """Open the file again if it was replaced; raise if the store is closed or the file is gone."""
        if self._closed:
            raise Unavailable(f"The store '{self.name}' is closed.", hint="Open it again.", path=self.name)
        if self._file.identity() == self._identity is not None:
            return
        with self._opening:
            if self._identity is None or self._identity != self._file.identity():
                self._retire()
                self._identity = None  # the old inode number is free now, so the next file may get it
                self._damaged = False
                self._open()

    def _retire(self) -> None:
        self._connections.retire()
        self._probes.retire()

    def _refuse(self, error: SqliteError) -> NoReturn:
        """Raise the error that a caller sees, and remember whether the file is damaged."""
        self._damaged = self._damaged or is_damage(error)
        obstacle = write_obstacle(self.path, error)
        if obstacle is not None:
            raise obstacle from None
        raise_translated(error, self.name)


class Transaction:
    """The context manager of a transaction. A class, because nested generators cost more than a query."""

    def __init__(self, begin: Callable[[], Loan], end: Callable[[Loan, BaseException | None], None]) -> None:
        self._begin = begin
        self._end = end

    def __enter__(self) -> sqlite3.Connection:
        self._loan = self._begin()
        return self._loan.connection

    def __exit__(self, _: object, failure: BaseException | None, __: object) -> None:
        self._end(self._loan, failure)
