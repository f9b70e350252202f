"""A SQLite file that is a store: recognised, connected to, and what SQLite's refusals mean.

Contract:
- The marker, `<name>.created`, tells an empty or missing file that is new from one that lost its content. It
  is looked at before SQLite sees the file: SQLite takes an empty file for a new database and deletes its log.
- Programming mistakes (bad SQL, misuse) and broken constraints are not translated: the first are defects, the
  second are for the store that declared the constraint to explain.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import (
    Busy,
    Corrupted,
    Denied,
    HoldfastError,
    InvalidPath,
    OutOfSpace,
    TooLarge,
    Unavailable,
)
from holdfast.kernel.machine import disk_failures_named
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.directories import StrPath, flush_directory
from holdfast.storage.files.locks import locked
from holdfast.storage.sql.quick import size_of
from holdfast.storage.sql.snapshot import Snapshot
from holdfast.storage.sql.write_ahead_log import damaged_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

LOOK = "`holdfast doctor` names the copy that was kept."
LOG_SUFFIX = "-wal"
DOCTOR = "Nothing was changed. `holdfast doctor` shows what can still be read."

SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What the module raises; the second where SQLite's own message quotes damaged bytes of a schema."""

SqliteError = sqlite3.Error | UnicodeDecodeError

_Reason = tuple[type[HoldfastError], str, str]

_BUSY: _Reason = (Busy, "is in use by another process", "Try again in a moment.")
_DAMAGED: _Reason = (Corrupted, "is damaged", DOCTOR)
_DENIED: _Reason = (Denied, "may not be opened or changed", "Check who owns it and what its permissions are.")

# The Python module's own complaint about bytes that are no text carries no code of SQLite's.
_NOT_TEXT_MESSAGE = "Could not decode to UTF-8"
_NOT_TEXT: _Reason = (Corrupted, "holds a text that is damaged", DOCTOR)

_REASONS: dict[int, _Reason] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PROTOCOL: _BUSY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: (Corrupted, "is not a database", DOCTOR),
    sqlite3.SQLITE_READONLY: _DENIED,
    sqlite3.SQLITE_PERM: _DENIED,
    sqlite3.SQLITE_CANTOPEN: (
        Unavailable,
        "could not be opened",
        "Check that its directory exists and may be used.",
    ),
    sqlite3.SQLITE_FULL: (
        OutOfSpace,
        "could not be written: the disk is full",
        "Free some space and try again; what was stored before is unchanged.",
    ),
    sqlite3.SQLITE_IOERR: (
        Unavailable,
        "could not be read or written: the disk reported an error",
        "Check the disk, then try again; `holdfast doctor` verifies the stores.",
    ),
    sqlite3.SQLITE_TOOBIG: (TooLarge, "cannot hold a value of this size", "Store a smaller value."),
}


def database_failure(error: SqliteError, label: str) -> HoldfastError | None:
    """Return what `error` means for the store called `label`, or None when it is a defect of ours."""
    reason = _NOT_TEXT if str(error).startswith(_NOT_TEXT_MESSAGE) else _REASONS.get(_primary_code(error))
    if reason is None:
        return None
    kind, text, hint = reason
    return kind(f"The store '{label}' {text}.", hint=hint, path=label)


def is_damage(error: SqliteError) -> bool:
    """Tell whether SQLite itself cannot make sense of the file, so that nothing more may be written to it."""
    return _primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_busy(error: SqliteError) -> bool:
    """Tell whether another connection is in the way, for now."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: SqliteError) -> int:
    if isinstance(error, UnicodeDecodeError):
        return sqlite3.SQLITE_CORRUPT
    # The low byte is the primary code; extended codes refine it.
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)) & 0xFF


def raise_translated(error: SqliteError, label: str) -> NoReturn:
    """Raise what a caller should see instead of `error`."""
    failure = database_failure(error, label)
    if failure is None:
        raise error
    # Not chained: the texts of the module may quote what is stored.
    raise failure from None


@contextmanager
def database_failures_named(label: str) -> Iterator[None]:
    """Turn SQLite's refusals in the code inside into failures that name the store."""
    try:
        yield
    except SQLITE_ERRORS as error:
        raise_translated(error, label)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the number of migrations that the database has seen."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def application_of(connection: sqlite3.Connection) -> int:
    """Return the number that says which program and store the database belongs to."""
    return int(connection.execute("PRAGMA application_id").fetchone()[0])


def is_blank(connection: sqlite3.Connection) -> bool:
    """Tell whether a database holds nothing at all, as after a creation that was interrupted."""
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    return not (tables or version_of(connection) or application_of(connection))


MARKER_SUFFIX = ".created"
KEPT_MARK = ".damaged-"
"""In the name of what is damaged and was set aside, before other digits for each."""

_MARKER_TEXT = b"A Holdfast store was created beside this file. It is never recreated silently.\n"


class StoreFile:
    """What is known about a store before its bytes are trusted."""

    def __init__(self, path: StrPath) -> None:
        self.path = os.path.abspath(path)
        self.name = os.path.basename(self.path)
        self.marker = self.path + MARKER_SUFFIX

    @property
    def was_created(self) -> bool:
        """Whether this store held its schema at some time."""
        return os.path.lexists(self.marker)

    def identity(self) -> tuple[int, int] | None:
        """Return what tells this file from one that took its name; None when there is none."""
        try:
            status = os.lstat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino

    def check(self) -> None:
        """Raise when the file cannot be the store it was, without opening it."""
        try:
            status = os.lstat(self.path)
        except FileNotFoundError:
            if self.was_created:
                raise self._missing() from None
            return
        if not stat.S_ISREG(status.st_mode):
            if self.was_created:
                raise self.lost("is not a regular file any more")
            raise InvalidPath(
                f"The store '{self.name}' is not a regular file.",
                hint="Move aside what is in its place, then try again.",
                path=self.name,
            )
        if status.st_size == 0 and (self.was_created or size_of(self.path + "-wal") > 0):
            raise self.lost("is empty, although it held data before")

    def _missing(self) -> Corrupted:
        place = os.path.join(*self.path.split(os.sep)[-3:-1])
        hint = (
            f"To restore it, put a backup of it there again, as '{place}/{self.name}'."
            f" To begin anew without what it held, move '{place}/{self.name}{MARKER_SUFFIX}' elsewhere."
        )
        text = f"The store '{self.name}' is missing, although it was created before."
        return Corrupted(text, hint=hint, path=self.name, missing=True)

    def lost(self, reason: str) -> Corrupted:
        """Return the failure for a store whose content is gone or foreign."""
        return Corrupted(f"The store '{self.name}' {reason}.", hint=DOCTOR, path=self.name)

    def create_if_missing(self) -> None:
        """Make an empty file that only its owner may use; SQLite gives its log the same permissions."""
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))

    def keep_damaged_log(self) -> None:
        """Copy a log from which SQLite, once it opens the file, would drop finished writes; and say so."""
        log = damaged_log(self.path)
        if log is None:
            return
        digest = hashlib.sha256(log).hexdigest()[:12]
        try:
            atomic_write(f"{self.path}{LOG_SUFFIX}{KEPT_MARK}{digest}", log, mode=0o600)
        except Denied:
            return  # where nothing may be written, SQLite drops nothing
        text = f"The log of the store '{self.name}' is damaged, and writes in it are lost. {LOOK}"
        current_call().log(text, "warning")

    def set_aside(self, damaged: tuple[int, int] | None) -> None:
        """Take a damaged file, known by its identity, out of the way of a new one."""
        with locked(self.path), disk_failures_named(self.name):
            if self.identity() != damaged:
                return  # somebody else did
            kept = f"{self.path}{KEPT_MARK}{os.urandom(6).hex()}"
            for suffix in ("", LOG_SUFFIX):
                if os.path.lexists(self.path + suffix):
                    os.replace(self.path + suffix, kept + suffix)
            for suffix in ("-shm", MARKER_SUFFIX):
                if os.path.lexists(self.path + suffix):
                    os.unlink(self.path + suffix)
        text = f"The store '{self.name}' was damaged, and was begun anew. {LOOK}"
        current_call().log(text, "warning")

    def remember(self) -> None:
        """Make the file's name durable, then leave the marker."""
        if not self.was_created:
            flush_directory(os.path.dirname(self.path))
            atomic_write(self.marker, _MARKER_TEXT, mode=0o600)


_KEPT_CONNECTIONS = 8


class Loan(NamedTuple):
    """A connection that was handed out, and what to know when it comes back."""

    connection: sqlite3.Connection
    generation: int
    writing: bool


class ConnectionPool:
    """Lends each connection to one thread at a time; the one used last is lent first.

    Connections for reading refuse to write, and are kept apart from those that may. Telling a connection now
    the one and now the other would make SQLite prepare every statement anew, at more than a query's cost.
    A snapshot is lent once, and never for writing.

    `retire` closes what is idle; what is lent out at that moment is closed on its return. The pool may be
    used again afterwards, with fresh connections.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], for_writing: Sequence[str] = ()) -> None:
        """`for_writing` are settings of the connections that may write, beyond those of all."""
        self._connect = connect
        self._settings = {False: ("PRAGMA query_only = ON",), True: ("PRAGMA query_only = OFF", *for_writing)}
        self._idle: dict[bool, list[sqlite3.Connection]] = {False: [], True: []}
        self._lock = threading.Lock()
        self._generation = 0

    @contextmanager
    def lend(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        """Lend a connection; a transaction left open inside is rolled back."""
        loan = self.take(writing=writing)
        try:
            yield loan.connection
        finally:
            self.take_back(loan)

    def take(self, *, writing: bool = False) -> Loan:
        """Hand out a connection, for whoever promises to bring it back with `take_back`."""
        with self._lock:
            generation, idle = self._generation, self._idle[writing]
            connection = idle.pop() if idle else None
        if connection is None:
            connection = self._connected(writing=writing)
        return Loan(connection, generation, writing)

    def _connected(self, *, writing: bool) -> sqlite3.Connection:
        connection = self._connect()
        try:
            if writing and isinstance(connection, Snapshot) and connection.reason is not None:
                raise connection.reason
            for setting in self._settings[writing]:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    def take_back(self, loan: Loan) -> None:
        """Take a connection back; a transaction left open is rolled back."""
        connection, generation, writing = loan
        usable = _end_transaction(connection)
        with self._lock:
            idle = self._idle[writing]
            usable = usable and not isinstance(connection, Snapshot)
            if usable and generation == self._generation and len(idle) < _KEPT_CONNECTIONS:
                idle.append(connection)
                return
        connection.close()

    def retire(self) -> None:
        """Close every connection, now or when it comes back."""
        with self._lock:
            self._generation += 1
            idle, self._idle = self._idle, {False: [], True: []}
        for connection in [*idle[False], *idle[True]]:
            connection.close()


def _end_transaction(connection: sqlite3.Connection) -> bool:
    """Roll back what is still open, and tell whether the connection can be used again."""
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except sqlite3.Error:
        return False
    return not connection.in_transaction
