"""A SQLite file that another program wrote, read without trusting or touching it.

Contract: the caller has read the file into memory, within a bound, and it is queried there: nothing is
written beside it, and no lock of its owner is affected. Views, triggers and functions of its schema are never
run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from holdfast.kernel.call import current_call
from holdfast.storage.files.foreign_document import UnreadableDocument
from holdfast.storage.sql.snapshot import VERSIONS

_STEPS = 100_000
"""A judgement: instructions of SQLite's virtual machine between two checks for a cancellation."""


@contextmanager
def foreign_database(content: bytes, tables: Mapping[str, Sequence[str]]) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a database with these tables and columns, or raise `UnreadableDocument`."""
    copied = bytearray(content)
    copied[VERSIONS] = b"\1\1"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.set_progress_handler(_is_cancelled, _STEPS)
        try:
            connection.deserialize(bytes(copied))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            for table, columns in tables.items():
                _check_table(connection, table, columns)
            yield connection
        except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
            current_call().check()
            raise UnreadableDocument(f"it is no database that can be read: {error}") from None


def _is_cancelled() -> int:
    call = current_call()
    left = call.remaining()
    return int(call.cancelled or (left is not None and left <= 0))


def _check_table(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> None:
    kind = connection.execute("SELECT type FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    present = {row[1] for row in connection.execute("SELECT * FROM pragma_table_xinfo(?)", (table,))}
    if kind != ("table",) or not present.issuperset(columns):
        raise UnreadableDocument(f"it has no table '{table}' with {', '.join(columns)}")
