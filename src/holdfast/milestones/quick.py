"""The index for quick commands: opened if it is up to date, in about the time Python takes to start.

Contract: the connection shows exactly what `Milestones.reading` would, or none is given. Whatever is out of
the ordinary (no repository, no logs, an index that is missing, old, damaged or behind the logs) raises
`OutOfTheOrdinary`, and the whole program takes over.
"""

from __future__ import annotations

import os
from _sqlite3 import Connection, Error, connect

from holdfast.milestones.index.schema import APPLICATION_ID, INDEX_NAME, NAMESPACE, SCHEMA_VERSION
from holdfast.storage.git.ref_files import RefFiles

_PATIENCE_SECONDS = 1.0
_SMALL_FILE_BYTES = 4096


class OutOfTheOrdinary(Exception):
    """The whole program must look at this."""


def connect_fresh(start: str) -> Connection:
    """Return a connection, for reading, to the index of the repository that encloses a directory."""
    common = _common_directory(start)
    refs = RefFiles(common, NAMESPACE)
    try:
        tips = refs.tips() if refs.are_readable else {}
        if not tips:
            raise OutOfTheOrdinary
        connection = _connect(os.path.join(common, "holdfast"))
        try:
            _check(connection, tips)
        except BaseException:
            connection.close()
            raise
    except (OSError, Error, ValueError) as error:
        raise OutOfTheOrdinary from error
    return connection


def _connect(store: str) -> Connection:
    name = _small_file(os.path.join(store, INDEX_NAME + ".index"))
    if not name.startswith(INDEX_NAME + "-") or not name.endswith(".sqlite") or "/" in name:
        raise OutOfTheOrdinary
    path = os.path.join(store, name)
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return connect(f"file://{quoted}?mode=ro", uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None)


def _check(connection: Connection, tips: dict[str, str]) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if (application, version) != (APPLICATION_ID, SCHEMA_VERSION):
        raise OutOfTheOrdinary
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    # The comparison and what the caller asks next see the same moment.
    connection.execute("BEGIN")
    if dict(connection.execute("SELECT ref, id FROM tip").fetchall()) != tips:
        raise OutOfTheOrdinary


def _common_directory(start: str) -> str:
    """Return the git directory that the worktrees of the enclosing repository share."""
    directory = os.path.realpath(start)
    if not os.path.isdir(directory):
        raise OutOfTheOrdinary
    while not os.path.lexists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            raise OutOfTheOrdinary
        directory = parent
    git_directory = os.path.join(directory, ".git")
    if not os.path.isdir(git_directory):
        git_directory = _pointer(git_directory, "gitdir:")
    common = git_directory
    if os.path.lexists(os.path.join(git_directory, "commondir")):
        common = _pointer(os.path.join(git_directory, "commondir"), "")
    for needed in (os.path.join(git_directory, "HEAD"), os.path.join(common, "objects")):
        if not os.path.lexists(needed):
            raise OutOfTheOrdinary
    return os.path.realpath(common)


def _pointer(path: str, prefix: str) -> str:
    """Return the directory that one of git's small files names."""
    text = _small_file(path)
    if not text.startswith(prefix):
        raise OutOfTheOrdinary
    return os.path.realpath(os.path.join(os.path.dirname(path), text.removeprefix(prefix).strip()))


def _small_file(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise OutOfTheOrdinary from error
    try:
        text = os.fsdecode(os.read(descriptor, _SMALL_FILE_BYTES)).strip()
    finally:
        os.close(descriptor)
    if not text or len(text) >= _SMALL_FILE_BYTES - 1:
        raise OutOfTheOrdinary
    return text
