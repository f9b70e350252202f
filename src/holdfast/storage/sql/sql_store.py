"""The interface of a relational store, the same for SQLite and PostgreSQL.

Contract:
- Statements are written once, with `:name` for every value, in the SQL that both engines share. The store
  itself provides what differs: how rows are locked, and how events are numbered in order.
- When `write` returns, its changes are durable; when it raises, none of them happened. Writers run one at a
  time. Writers that pass `concurrent` may run at the same time; they lock the rows they need themselves.
- A writer of events uses `append_in_order`, or calls `number_in_order` first, and locks no further row
  afterwards. Then a reader that has seen event *n* has seen every event before it.
- `data_version` changes whenever any process commits a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

Values = Mapping[str, Any]


class Rows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """One open transaction."""

    def execute(self, statement: str, values: Values = ..., /) -> Rows: ...

    def executemany(self, statement: str, values: Sequence[Values], /) -> object: ...


class SqlStore(Protocol):
    """A relational store, usable from many threads and many processes."""

    engine: Literal["sqlite", "postgresql"]
    skip_locked: str
    """The end of a SELECT that skips rows locked by other transactions."""

    @property
    def name(self) -> str:
        """The name of the store in messages."""

    def read(self) -> AbstractContextManager[Connection]:
        """Yield a read-only connection to one snapshot of the store."""

    def write(self, *, concurrent: bool = False) -> AbstractContextManager[Connection]:
        """Yield a connection whose changes are all committed at the end, or not at all."""

    def send_later(self, connection: Connection, statement: str, values: Values) -> None:
        """Run a statement without a result; it may be sent with the next one or with the commit."""

    def number_in_order(self, connection: Connection) -> None:
        """Make sure that events numbered from now on are committed in the order of their numbers."""

    def append_in_order(self, connection: Connection, statement: str, rows: Sequence[Values]) -> None:
        """Insert rows whose numbers follow the order of commits; they may be sent with the commit."""

    def data_version(self) -> object:
        """Return a value that changes whenever any process commits a change."""

    def verify(self) -> list[str]:
        """Return the defects of the store; an empty list means that it is sound."""

    def close(self) -> None:
        """Close every connection."""
