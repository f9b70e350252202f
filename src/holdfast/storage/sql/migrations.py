"""Numbered changes of a schema, applied all or none.

Contract: the schema, the application id and the version number change in one transaction. A process killed at
any moment leaves the old version or the new one, never a table without its number.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence

from holdfast.kernel.errors import Corrupted, Unavailable
from holdfast.storage.sql.failures import DOCTOR

Migration = str | Callable[[sqlite3.Connection], None]


def migrate(connection: sqlite3.Connection, application_id: int, migrations: Sequence[Migration]) -> None:
    """Bring an open database to the newest version; references between tables are checked at the end."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again: another process may have finished the same work while this one waited for the lock.
        for migration in migrations[version_of(connection) :]:
            _apply(connection, migration)
        if (broken := connection.execute("PRAGMA foreign_key_check").fetchone()) is not None:
            raise Corrupted(f"Table {broken[0]} refers to rows that do not exist.", hint=DOCTOR)
        connection.execute(f"PRAGMA application_id = {application_id:d}")
        connection.execute(f"PRAGMA user_version = {len(migrations):d}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


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


def refuse_newer(version: int, known: int, label: str) -> None:
    """Raise when a database was written by a later release than this one."""
    if version > known:
        raise Unavailable(
            f"The store '{label}' was written by a newer Holdfast (format {version}, known {known}).",
            hint="Upgrade holdfast and try again. Nothing was changed.",
            path=label,
        )


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    if callable(migration):
        migration(connection)
        return
    for statement in _statements(migration):
        connection.execute(statement)


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements; `executescript` would commit the transaction it runs in."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.rstrip(";").strip():
        yield statement
