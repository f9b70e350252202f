"""A fast path to stores, for commands that must answer in about the time Python takes to start.

Contract: in the ordinary case, every function here does exactly what `Database` and `Repository` do. In any
other case (no repository, no store yet, another version of it, an error of any kind) it raises
`NeedsFullProgram` before anything is stored, and the full program takes over. If the disk fails while
something is stored, it raises `WriteFailed`.

`Database` has pools, migrations and repairs, whose imports take several times as long as Python's own start.
This module imports only what Python has loaded at its start, and SQLite itself.
"""

from __future__ import annotations

import os
import stat
from _sqlite3 import SQLITE_CANTOPEN, SQLITE_IOERR, Connection, Error, OperationalError, connect

TYPE_CHECKING = False  # importing `typing` takes too long
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Result = TypeVar("Result")

_BUSY_SECONDS = 1.0
"""How long to wait for a lock. A judgement: after that the full program, which waits longer, takes over."""
_MAX_LOG_BYTES = 200_000
"""A judgement: some fifty pages of 4 KiB, so that few writers pay for a checkpoint of the log."""
FLUSH_SETTING = "PRAGMA synchronous = FULL"
"""Makes SQLite flush its log at each commit, so that a stored row survives a power cut."""
_MAX_POINTER_BYTES = 64 * 1024
"""A judgement: such a file holds one path, and Linux allows 4096 bytes for a path."""


class NeedsFullProgram(Exception):
    """The case is not an ordinary one: the full program must handle it."""


class WriteFailed(Exception):
    """The disk reported an error while a row was written. It may be stored, so it must not be sent again."""

    def __init__(self, error: Error) -> None:
        super().__init__(str(error))
        self.error = error


class QuickStore:
    """A database that exists, is complete, and has the version this program expects."""

    def __init__(self, path: str, application_id: int, version: int) -> None:
        self._path = path
        self._expected = (application_id, version)

    def first_value(self, query: str) -> object:
        """Return the first value of a query's result."""
        try:
            with _OpenStore(self._path, self._expected, "rw") as connection:
                return connection.execute(query).fetchone()[0]
        except (OSError, Error, UnicodeDecodeError) as error:
            raise NeedsFullProgram from error

    def rows(
        self, query: str, parameters: tuple[object, ...] | dict[str, object] = ()
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a query's result."""
        try:
            with _OpenStore(self._path, self._expected, "rw") as connection:
                return connection.execute(query, parameters).fetchall()
        except (OSError, Error, UnicodeDecodeError) as error:
            raise NeedsFullProgram from error

    def transaction(self, change: Callable[[Connection], Result]) -> Result:
        """Run a change in one durable transaction, and return its result."""
        try:
            with _OpenStore(self._path, self._expected, "rw") as connection:
                connection.execute(FLUSH_SETTING)
                connection.execute("BEGIN IMMEDIATE")
                result = change(connection)
                connection.execute("COMMIT")
                return result
        except (OSError, Error, UnicodeDecodeError) as error:
            raise NeedsFullProgram from error

    def insert(self, statement: str, row: tuple[str | None, ...]) -> bool:
        """Store a row durably and return whether it is new.

        If the last connection to close is a writer, SQLite checkpoints the log, which costs several flushes.
        A reader that is closed later prevents that, and the log is just as durable. So there is a checkpoint
        only once the log is large.
        """
        try:
            if size_of(f"{self._path}-wal") >= _MAX_LOG_BYTES:
                return self._insert(statement, row)
            with _OpenStore(self._path, self._expected, "ro"):
                return self._insert(statement, row)
        except (OSError, Error, UnicodeDecodeError) as error:
            raise NeedsFullProgram from error

    def _insert(self, statement: str, row: tuple[str | None, ...]) -> bool:
        with _OpenStore(self._path, self._expected, "rw") as connection:
            connection.execute(FLUSH_SETTING)
            try:
                return bool(connection.execute(statement, row).rowcount == 1)
            except OperationalError as error:
                # The low byte of an extended code is the primary code (<https://sqlite.org/rescode.html>).
                if error.sqlite_errorcode & 0xFF == SQLITE_IOERR:
                    raise WriteFailed(error) from error
                raise


def sqlite_uri(path: str, mode: str) -> str:
    """Return the URI with which SQLite opens a file to read (`ro`) or write (`rw`), but never creates it."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file://{quoted}?mode={mode}"


def are_owned_by_caller(*paths: str) -> bool:
    """Return whether the user who runs this program owns all of these paths; under sudo, that user or root.

    For paths of other users git's `safe.directory` decides: see `command.is_accepted_by_git`.
    """
    own_ids = {os.geteuid()}
    before_sudo = os.environ.get("SUDO_UID", "")
    if 0 in own_ids and before_sudo.isascii() and before_sudo.isdecimal():
        own_ids.add(int(before_sudo))
    try:
        return all(os.lstat(path).st_uid in own_ids for path in paths)
    except OSError:
        return False


def connect_to(address: str, seconds: float) -> Connection:
    """Connect to a URI with the options that all stores use."""
    return connect(address, uri=True, timeout=seconds, isolation_level=None, check_same_thread=False)


def open_file(path: str, mode: str, seconds: float) -> Connection:
    """Open a database in a regular file: no link is followed, and no FIFO can block."""
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        error = OperationalError("it is not a regular file")
        error.sqlite_errorcode = SQLITE_CANTOPEN
        raise error
    return connect_to(sqlite_uri(path, mode), seconds)


def open_store(path: str, seconds: float, *, mode: str = "rw") -> Connection:
    """Open a store, or a snapshot of it where nothing can be written."""
    connection = open_file(path, mode, seconds)
    try:
        connection.execute("PRAGMA schema_version").fetchone()  # SQLite opens the file and its log only now
    except Error as error:
        connection.close()
        from holdfast.storage.sql.snapshot import open_snapshot

        return open_snapshot(path, error)
    return connection


def version_of(connection: Connection) -> int:
    """Return how many migrations were applied to the database."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def format_of(connection: Connection) -> tuple[int, int]:
    """Return the application id, which says what the database is for, and its version."""
    application_id = int(connection.execute("PRAGMA application_id").fetchone()[0])
    return application_id, version_of(connection)


def enclosing_repository(start: str) -> tuple[str, str]:
    """Return the root of the enclosing work tree, and the store directory that its worktrees share."""
    if not os.path.isdir(start):
        raise NeedsFullProgram
    root = os.path.realpath(start)
    while not os.path.lexists(os.path.join(root, ".git")):
        above = os.path.dirname(root)
        if above == root:
            raise NeedsFullProgram
        root = above
    entry = os.path.join(root, ".git")
    git_directory, common = git_directories(entry)
    if not (is_git_directory(git_directory, common) and are_owned_by_caller(root, entry, git_directory)):
        raise NeedsFullProgram
    return root, os.path.join(common, "holdfast")


def git_directories(entry: str) -> tuple[str, str]:
    """Return the git directory that a `.git` entry leads to, and the common one of all its worktrees."""
    directory = os.path.realpath(entry) if os.path.isdir(entry) else _read_pointer(entry, "gitdir:")
    shared = os.path.join(directory, "commondir")
    return directory, _read_pointer(shared, "") if os.path.lexists(shared) else directory


def is_git_directory(directory: str, common: str) -> bool:
    """Return whether a git directory, together with the common one, is a repository."""
    has_head = os.path.lexists(os.path.join(directory, "HEAD"))
    return has_head and all(os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs"))


def _read_pointer(path: str, prefix: str) -> str:
    """Return the directory whose path is in a small file of git's, after a prefix."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            text = os.fsdecode(os.read(descriptor, _MAX_POINTER_BYTES)).strip()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise NeedsFullProgram from error
    if not (text and text.startswith(prefix)) or len(text) >= _MAX_POINTER_BYTES - 1 or "\0" in text:
        raise NeedsFullProgram
    try:
        return os.path.realpath(os.path.join(os.path.dirname(path), text.removeprefix(prefix).strip()))
    except OSError as error:  # for example a link in /proc of another user's process
        raise NeedsFullProgram from error


def size_of(path: str) -> int:
    """Return the size of a file, 0 if there is none."""
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0


class _OpenStore:
    """Opens a store for a `with` block, and refuses one that is incomplete or of another version."""

    def __init__(self, store: str, expected: tuple[int, int], mode: str) -> None:
        if not size_of(store) or not os.path.lexists(f"{store}.created"):
            raise NeedsFullProgram
        if size_of(f"{store}-wal"):
            from holdfast.storage.sql.write_ahead_log import damaged_log

            if damaged_log(store) is not None:
                raise NeedsFullProgram
        self._expected = expected
        self.connection = open_file(store, mode, _BUSY_SECONDS)

    def __enter__(self) -> Connection:
        try:
            self.connection.execute("PRAGMA trusted_schema = OFF")
            if format_of(self.connection) != self._expected:
                raise NeedsFullProgram
        except BaseException:
            self.connection.close()
            raise
        return self.connection

    def __exit__(self, *_: object) -> None:
        self.connection.close()
