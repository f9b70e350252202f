"""Connections to a SQLite store, each used by one thread at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from holdfast.storage.sql.snapshot import Snapshot

_MAX_IDLE_CONNECTIONS = 8
"""For reading, and again for writing. A judgement: more than eight threads seldom use one store at once."""


class Loan(NamedTuple):
    """A connection that is in use, and what the pool must know when it is returned."""

    connection: sqlite3.Connection
    generation: int
    """How often the pool had been retired when it lent the connection."""
    writing: bool


class ConnectionPool:
    """Lends each connection to one thread at a time, the most recently used one first.

    Read-only and writable connections are separate: switching a connection between the two would make SQLite
    prepare every statement again, which costs more than a query. A snapshot is lent once, and never for
    writing.

    `retire` closes idle connections at once, and those in use when they are returned. The pool may be used
    again afterwards, with new connections.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], for_writing: Sequence[str] = ()) -> None:
        """`for_writing`: more PRAGMAs for the connections that may write."""
        self._connect = connect
        # Both by whether a connection may write.
        self._settings = {False: ("PRAGMA query_only = ON",), True: ("PRAGMA query_only = OFF", *for_writing)}
        self._idle: dict[bool, list[sqlite3.Connection]] = {False: [], True: []}
        self._lock = threading.Lock()
        self._generation = 0

    @contextmanager
    def lend(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        """Lend a connection; a transaction still open at the end is rolled back."""
        loan = self.take(writing=writing)
        try:
            yield loan.connection
        finally:
            self.take_back(loan)

    def take(self, *, writing: bool = False) -> Loan:
        """Lend a connection; the caller returns it with `take_back`."""
        with self._lock:
            generation, idle = self._generation, self._idle[writing]
            connection = idle.pop() if idle else None
        if connection is None:
            connection = self._new_connection(writing=writing)
        return Loan(connection, generation, writing)

    def _new_connection(self, *, writing: bool) -> sqlite3.Connection:
        connection = self._connect()
        try:
            if writing and isinstance(connection, Snapshot) and connection.reason is not None:
                raise connection.reason
            for setting in self._settings[writing]:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    def take_back(self, loan: Loan) -> None:
        """Take a connection back; a transaction still open is rolled back."""
        connection = loan.connection
        is_reusable = _roll_back(connection) and not isinstance(connection, Snapshot)
        with self._lock:
            idle = self._idle[loan.writing]
            if is_reusable and loan.generation == self._generation and len(idle) < _MAX_IDLE_CONNECTIONS:
                idle.append(connection)
                return
        connection.close()

    def retire(self) -> None:
        """Close every connection, now or when it is returned."""
        with self._lock:
            self._generation += 1
            idle, self._idle = self._idle, {False: [], True: []}
        for connection in [*idle[False], *idle[True]]:
            connection.close()


def _roll_back(connection: sqlite3.Connection) -> bool:
    """Roll back a transaction that is still open; return whether none is open now."""
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except sqlite3.Error:
        return False
    return not connection.in_transaction
