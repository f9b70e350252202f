"""The inbox for quick commands: the ordinary case of sending, and of finding that nothing waits.

Contract: what happens here is exactly what `Inbox` would do, or nothing. Whatever is out of the ordinary
(no repository, no store yet, another version of it, an unusual name, an error of any kind) raises
`OutOfTheOrdinary` before anything was stored, and the whole program takes over.

Loading `Inbox` and what it needs takes several times as long as Python's own start; this module is why
`holdfast send` does not.
"""

from __future__ import annotations

import os
import stat
import time
from _sqlite3 import Connection, Error, connect

from holdfast.inbox.places import legacy_message_file, place_in_work_tree
from holdfast.inbox.posting import digest_of, identity, is_line_range, is_storable
from holdfast.inbox.schema import ANY_PENDING, APPLICATION_ID, DATABASE_NAME, INSERT_MESSAGE, MIGRATIONS

_PATIENCE_SECONDS = 1.0
_LOG_BYTES = 400_000
_POINTER_BYTES = 4096
_ORDINARY_COMMENT_CHARACTERS = 2000
_ORDINARY_NAME_CHARACTERS = 200
_ORDINARY_PATH_CHARACTERS = 2000


class OutOfTheOrdinary(Exception):
    """The whole program must look at this."""


class Posted:
    """The receipt for a message."""

    __slots__ = ("duplicate", "file", "id", "line", "time")

    def __init__(self, digest: str, file: str, line: str | None, time: str, *, duplicate: bool) -> None:
        self.id = identity(digest)
        self.file = file
        self.line = line
        self.time = time
        self.duplicate = duplicate


def post(start: str, file: str, comment: str, line: str | None) -> Posted:
    """Store a message in the inbox of the repository that encloses `start`."""
    root, store = _repository(start)
    placed = place_in_work_tree(file, root, os.getcwd())
    if not (placed and _is_ordinary_path(placed) and _is_ordinary_comment(comment)):
        raise OutOfTheOrdinary
    if line is not None and not is_line_range(line):
        raise OutOfTheOrdinary
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    digest = digest_of(placed, comment, moment)
    try:
        is_new = _insert(store, (digest, placed, comment, line, None, moment, root))
    except (OSError, Error) as error:
        raise OutOfTheOrdinary from error
    return Posted(digest, placed, line, moment, duplicate=not is_new)


def nothing_waits(start: str) -> bool:
    """Tell whether there is certainly no message for a reader."""
    if os.path.lexists(legacy_message_file()):
        return False
    _, store = _repository(start)
    try:
        with _OpenStore(store, "rw") as connection:
            return not connection.execute(ANY_PENDING).fetchone()[0]
    except (OSError, Error) as error:
        raise OutOfTheOrdinary from error


def _insert(store: str, row: tuple[str | None, ...]) -> bool:
    """Store a row and tell whether it is new.

    The last writer to close moves the log into the file, at the price of several flushes. A reader that
    closes after it leaves the log, which is as durable, in place; so only every now and then a sender pays.
    """
    if _size(f"{store}-wal") >= _LOG_BYTES:
        return _inserted(store, row)
    with _OpenStore(store, "ro"):
        return _inserted(store, row)


def _inserted(store: str, row: tuple[str | None, ...]) -> bool:
    with _OpenStore(store, "rw") as connection:
        connection.execute("PRAGMA synchronous = FULL")
        return bool(connection.execute(INSERT_MESSAGE, row).rowcount == 1)


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0


class _OpenStore:
    """Holds the store open if it is complete and of this version."""

    def __init__(self, store: str, mode: str) -> None:
        status = os.lstat(store)
        if not stat.S_ISREG(status.st_mode) or status.st_size == 0 or not os.path.lexists(f"{store}.created"):
            raise OutOfTheOrdinary
        quoted = store.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        address = f"file://{quoted}?mode={mode}"
        self.connection = connect(address, uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None)

    def __enter__(self) -> Connection:
        try:
            self.connection.execute("PRAGMA trusted_schema = OFF")
            application = self.connection.execute("PRAGMA application_id").fetchone()[0]
            version = self.connection.execute("PRAGMA user_version").fetchone()[0]
            if (application, version) != (APPLICATION_ID, len(MIGRATIONS)):
                raise OutOfTheOrdinary
        except BaseException:
            self.connection.close()
            raise
        return self.connection

    def __exit__(self, *_: object) -> None:
        self.connection.close()


def _repository(start: str) -> tuple[str, str]:
    """Return the work tree that encloses a directory, and the store that its worktrees share."""
    if not os.path.isdir(start):
        raise OutOfTheOrdinary
    root = os.path.realpath(start)
    while not os.path.lexists(os.path.join(root, ".git")):
        above = os.path.dirname(root)
        if above == root:
            raise OutOfTheOrdinary
        root = above
    entry = os.path.join(root, ".git")
    git_directory = os.path.realpath(entry) if os.path.isdir(entry) else _pointer(entry, "gitdir:")
    common = git_directory
    if os.path.lexists(os.path.join(git_directory, "commondir")):
        common = _pointer(os.path.join(git_directory, "commondir"), "")
    has_head = os.path.lexists(os.path.join(git_directory, "HEAD"))
    if not (has_head and all(os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs"))):
        raise OutOfTheOrdinary
    return root, os.path.join(common, "holdfast", DATABASE_NAME)


def _pointer(path: str, prefix: str) -> str:
    """Return the directory that one of git's small files names."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            text = os.fsdecode(os.read(descriptor, _POINTER_BYTES)).strip()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise OutOfTheOrdinary from error
    if not text.startswith(prefix) or len(text) >= _POINTER_BYTES - 1:
        raise OutOfTheOrdinary
    return os.path.realpath(os.path.join(os.path.dirname(path), text.removeprefix(prefix).strip()))


def _is_ordinary_comment(comment: str) -> bool:
    return bool(comment.strip()) and len(comment) <= _ORDINARY_COMMENT_CHARACTERS and is_storable(comment)


def _is_ordinary_path(path: str) -> bool:
    """Tell whether a path is stored and shown as it is, whatever file system it came from."""
    if path == os.curdir:
        return True
    is_plain = path.isascii() and path.isprintable() and not any(mark in path for mark in '\\~:"')
    return is_plain and len(path) <= _ORDINARY_PATH_CHARACTERS and all(map(_is_ordinary, path.split("/")))


def _is_ordinary(name: str) -> bool:
    reserved = name.lower() in (".git", ".holdfast")
    return len(name) <= _ORDINARY_NAME_CHARACTERS and not reserved and not name.endswith((".", " "))
