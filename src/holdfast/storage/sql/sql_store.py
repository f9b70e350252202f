"""One way to speak to a relational store, whichever engine keeps it.

Contract:
- Statements are written once, with `:name` for every value, in the SQL that SQLite and PostgreSQL share. What
  differs is a property of the store: how rows are locked, and what has to happen before events are numbered.
- `write` ends when its changes are durable; when it raises, nothing inside it happened. Writers come one
  after the other, except those that say they get along `together`: they lock the rows they take themselves.
- Whoever writes events does so with `append_in_order`, or calls `number_in_order` first, and locks no further
  row afterwards. Then a reader that has seen event *n* has seen every event before it.
- `data_version` changes whenever any process commits a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

Values = Mapping[str, Any]


class Rows(Protocol):
    """The answer to a statement."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """One transaction, for as long as it lasts."""

    def execute(self, statement: str, values: Values = ..., /) -> Rows: ...

    def executemany(self, statement: str, values: Sequence[Values], /) -> object: ...


class SqlStore(Protocol):
    """A relational store, usable from many threads and many processes."""

    engine: Literal["sqlite", "postgresql"]
    skip_locked: str
    """What a SELECT ends with that takes rows which nobody else is taking."""

    @property
    def name(self) -> str:
        """What messages call the store."""

    def read(self) -> AbstractContextManager[Connection]:
        """Yield a connection that sees one moment of the store and cannot change it."""

    def write(self, *, together: bool = False) -> AbstractContextManager[Connection]:
        """Yield a connection whose changes are committed together at the end, or not at all."""

    def send_later(self, connection: Connection, statement: str, values: Values) -> None:
        """Run a statement whose answer nobody needs; it may be sent with the next one or with the commit."""

    def number_in_order(self, connection: Connection) -> None:
        """Make sure that what is numbered from now on is committed in the order of its numbers."""

    def append_in_order(self, connection: Connection, statement: str, rows: Sequence[Values]) -> None:
        """Insert rows that are numbered in the order of commits; they may be sent with the commit."""

    def data_version(self) -> object:
        """Return a value that changes whenever any process commits a change."""

    def verify(self) -> list[str]:
        """Return what is wrong with the store; an empty list means that it is sound."""

    def close(self) -> None:
        """Close every connection."""
