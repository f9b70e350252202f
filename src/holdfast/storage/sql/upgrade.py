"""Upgrades of older stores: first a backup, then every migration in one transaction.

Contract:
- Either all migrations are applied or none: the schema, the application id and the version number change in
  one transaction. A process killed at any point leaves the old version or the new one, never new tables with
  the old version number.
- Before a store with data is changed, a copy of it is on disk beside it, named after the new version:
  `<name>.before-<version>.<digest>`. It is made inside the migrating transaction, so nothing is written
  between the two. If it cannot be made, the store stays as it is.
- A backup gets its name once it is complete. The digest is that of its content: an upgrade that was
  interrupted and starts again leaves one backup, and overwrites no other. The newest three backups of a store
  are kept.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from holdfast.kernel.errors import Corrupted, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import flush_directory
from holdfast.storage.files.temporary import temporary_name
from holdfast.storage.sql.quick import connect_to, sqlite_uri
from holdfast.storage.sql.sqlite_errors import NOTHING_CHANGED, translate_sqlite_errors
from holdfast.storage.sql.store_file import version_of

Migration = str | Callable[[sqlite3.Connection], None]

_BACKUP = re.compile(r"\.before-[0-9]+\.[0-9a-f]{16}$")
_KEPT_BACKUPS = 3
"""A judgement: enough to go back past a bad release."""
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_COPYING = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")
"""An interrupted copy is discarded, and a complete one is flushed at the end."""


def upgrade(
    connection: sqlite3.Connection, path: str, application_id: int, migrations: Sequence[Migration]
) -> None:
    """Bring the open database at a path to the newest version; references are checked at the end."""
    newest = len(migrations)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again: another process may have upgraded while this one waited for the lock.
        version = version_of(connection)
        refuse_newer(version, newest, os.path.basename(path))
        if 0 < version < newest:
            _save_backup(path, newest)
        for migration in migrations[version:]:
            _apply(connection, migration)
        if (broken := connection.execute("PRAGMA foreign_key_check").fetchone()) is not None:
            raise Corrupted(f"Table {broken[0]} refers to rows that do not exist.", hint=NOTHING_CHANGED)
        connection.execute(f"PRAGMA application_id = {application_id:d}")
        connection.execute(f"PRAGMA user_version = {newest:d}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    _remove_old_backups(path)


def refuse_newer(version: int, known: int, label: str) -> None:
    """Raise if a store was written by a later release than this one."""
    if version > known:
        raise Unavailable(
            f"The store '{label}' was written by a newer Holdfast (format {version}, known {known}).",
            hint="Upgrade holdfast and try again. Nothing was changed.",
            path=label,
            newer=True,
        )


def is_backup(name: str) -> bool:
    """Return whether a file of that name is a backup of a store."""
    return _BACKUP.search(name) is not None


def _save_backup(path: str, version: int) -> None:
    directory, name = os.path.split(path)
    label = f"{name}.before-{version}"
    temporary = os.path.join(directory, temporary_name(label))
    with translate_disk_errors(label), translate_sqlite_errors(label):
        descriptor = os.open(temporary, _NEW_FILE, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # so that no sweep removes it
            _copy(path, temporary)
            with open(descriptor, "rb", closefd=False) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
            os.fsync(descriptor)
            os.replace(temporary, os.path.join(directory, f"{label}.{digest}"))
        except BaseException:
            os.unlink(temporary)
            raise
        finally:
            os.close(descriptor)
        flush_directory(directory)


def _copy(path: str, to: str) -> None:
    wait = LIMITS.database_busy_seconds
    with (
        closing(connect_to(sqlite_uri(path, "ro"), wait)) as source,
        closing(connect_to(sqlite_uri(to, "rw"), wait)) as target,
    ):
        for setting in _COPYING:
            target.execute(setting)
        source.backup(target)


def _remove_old_backups(path: str) -> None:
    directory, name = os.path.split(path)
    try:
        backups = [
            entry for entry in os.scandir(directory) if entry.name.startswith(name) and is_backup(entry.name)
        ]
        backups.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
        for entry in backups[:-_KEPT_BACKUPS]:
            os.unlink(entry)
    except OSError:
        pass  # the next upgrade tries again


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    if callable(migration):
        migration(connection)
        return
    for statement in statements(migration):
        connection.execute(statement)


def statements(script: str) -> Iterator[str]:
    """Split a script into statements; `executescript` would commit the transaction it runs in."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.rstrip(";").strip():
        yield statement
