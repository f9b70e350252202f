"""Upgrades of older stores: first a backup, then all migrations in one transaction.

Contract:
- Either all migrations are applied or none: the schema, the application id and the version number change in
  one transaction. A process killed at any point leaves the old version or the new one, never a mixture.
- Before a store with data is changed, a copy is written beside it, named after the new version:
  `<name>.before-<version>.<digest>`. The copy is made inside the migrating transaction, so no write can come
  between the two. If the copy fails, the store stays as it is.
- A backup gets its name once it is complete. The digest is that of its content, so an upgrade that was
  interrupted and repeated leaves one backup, and never overwrites a different one. Only the newest backups
  of a store are kept (`_MAX_BACKUPS`).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress

from holdfast.kernel.errors import Corrupted, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import flush_directory
from holdfast.storage.files.temporary import temporary_name
from holdfast.storage.sql.quick import connect_to, sqlite_uri, version_of
from holdfast.storage.sql.sqlite_errors import NOTHING_CHANGED, translate_sqlite_errors

Migration = str | Callable[[sqlite3.Connection], None]
"""A script of SQL statements, or a function that changes the open database."""

_DIGEST_CHARACTERS = 16
"""A judgement: 64 bits distinguish the few backups of a store."""
_BACKUP_NAME = re.compile(rf"\.before-[0-9]+\.[0-9a-f]{{{_DIGEST_CHARACTERS}}}$")
_MAX_BACKUPS = 3
"""A judgement: enough to return to the state before a bad release."""
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_COPY_SETTINGS = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")
"""A copy needs no journal: an interrupted one is discarded, and a complete one is flushed at the end."""


def upgrade(
    connection: sqlite3.Connection, path: str, application_id: int, migrations: Sequence[Migration]
) -> None:
    """Bring the open database at a path to the newest version, and check its foreign keys at the end."""
    newest = len(migrations)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again: another process may have upgraded while this one waited for the lock.
        version = version_of(connection)
        refuse_newer(version, newest, os.path.basename(path))
        if 0 < version < newest:
            _save_backup(path, newest)
        for migration in migrations[version:]:
            _apply_migration(connection, migration)
        broken_reference = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken_reference is not None:
            table = broken_reference[0]
            raise Corrupted(f"Table {table} refers to rows that do not exist.", hint=NOTHING_CHANGED)
        connection.execute(f"PRAGMA application_id = {application_id:d}")
        connection.execute(f"PRAGMA user_version = {newest:d}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    _remove_old_backups(path)


def refuse_newer(version: int, newest: int, label: str) -> None:
    """Raise if a store has a newer format than the newest that this release knows."""
    if version > newest:
        raise Unavailable(
            f"The store '{label}' was written by a newer Holdfast (format {version}, known {newest}).",
            hint="Upgrade holdfast and try again. Nothing was changed.",
            path=label,
            newer=True,
        )


def is_backup(name: str) -> bool:
    """Return whether a file of that name is a backup of a store."""
    return _BACKUP_NAME.search(name) is not None


def _save_backup(path: str, version: int) -> None:
    """Copy the store to a backup that is named after the version it is about to get."""
    directory, name = os.path.split(path)
    label = f"{name}.before-{version}"
    temporary = os.path.join(directory, temporary_name(label))
    with translate_disk_errors(label), translate_sqlite_errors(label):
        descriptor = os.open(temporary, _NEW_FILE, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # so that no sweep removes it
            _copy(path, temporary)
            with open(descriptor, "rb", closefd=False) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:_DIGEST_CHARACTERS]
            os.fsync(descriptor)
            os.replace(temporary, os.path.join(directory, f"{label}.{digest}"))
        except BaseException:
            os.unlink(temporary)
            raise
        finally:
            os.close(descriptor)
        flush_directory(directory)


def _copy(source_path: str, target_path: str) -> None:
    wait = LIMITS.database_busy_seconds
    with (
        closing(connect_to(sqlite_uri(source_path, "ro"), wait)) as source,
        closing(connect_to(sqlite_uri(target_path, "rw"), wait)) as target,
    ):
        for setting in _COPY_SETTINGS:
            target.execute(setting)
        source.backup(target)


def _remove_old_backups(path: str) -> None:
    directory, name = os.path.split(path)
    with suppress(OSError):  # the next upgrade tries again
        backups = [
            entry for entry in os.scandir(directory) if entry.name.startswith(name) and is_backup(entry.name)
        ]
        backups.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
        for entry in backups[:-_MAX_BACKUPS]:
            os.unlink(entry)


def _apply_migration(connection: sqlite3.Connection, migration: Migration) -> None:
    if callable(migration):
        migration(connection)
        return
    for statement in split_statements(migration):
        connection.execute(statement)


def split_statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; `executescript` would commit the open transaction first."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.rstrip(";").strip():
        yield statement
