"""A SQLite file that another program wrote, read without trusting or touching it.

Contract: the caller reads the file into memory, within a size limit, and queries run on that copy: nothing is
written beside the file, and its owner's locks are not affected. Views, triggers and functions of its schema
are never run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from holdfast.kernel.call import current_call
from holdfast.storage.files.foreign_document import UnreadableDocument
from holdfast.storage.sql.snapshot import VERSIONS

_INSTRUCTIONS_PER_CHECK = 100_000
"""SQLite's virtual machine checks for a cancellation this often. A judgement: every few milliseconds."""


@contextmanager
def foreign_database(content: bytes, tables: Mapping[str, Sequence[str]]) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a database with these tables and columns, or raise `UnreadableDocument`."""
    without_log = bytearray(content)
    without_log[VERSIONS] = b"\1\1"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.set_progress_handler(_is_cancelled, _INSTRUCTIONS_PER_CHECK)
        try:
            connection.deserialize(bytes(without_log))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            for table, columns in tables.items():
                _check_table(connection, table, columns)
            yield connection
        except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
            current_call().check()
            raise UnreadableDocument(f"it is not a readable database: {error}") from None


def _is_cancelled() -> int:
    call = current_call()
    remaining = call.remaining()
    is_overdue = remaining is not None and remaining <= 0
    return int(call.cancelled or is_overdue)


def _check_table(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> None:
    kind = connection.execute("SELECT type FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    present = {name for (name,) in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))}
    if kind != ("table",) or not present.issuperset(columns):
        raise UnreadableDocument(f"it has no table '{table}' with {', '.join(columns)}")
