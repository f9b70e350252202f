"""Open connections kept for the next one who needs them."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

_KEPT_CONNECTIONS = 8


class Loan(NamedTuple):
    """A connection that was handed out, and what to know when it comes back."""

    connection: sqlite3.Connection
    generation: int
    writing: bool


class ConnectionPool:
    """Lends each connection to one thread at a time; the one used last is lent first.

    Connections for reading refuse to write, and are kept apart from those that may. Telling a connection now
    the one and now the other would make SQLite prepare every statement anew, at more than a query's cost.

    `retire` closes what is idle; what is lent out at that moment is closed on its return. The pool may be
    used again afterwards, with fresh connections.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], for_writing: Sequence[str] = ()) -> None:
        """`for_writing` are settings of the connections that may write, beyond those of all."""
        self._connect = connect
        self._settings = {
            False: ("PRAGMA query_only = ON",),
            True: ("PRAGMA query_only = OFF", *for_writing),
        }
        self._idle: dict[bool, list[sqlite3.Connection]] = {False: [], True: []}
        self._lock = threading.Lock()
        self._generation = 0

    @contextmanager
    def lend(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        """Lend a connection; a transaction left open inside is rolled back."""
        loan = self.take(writing=writing)
        try:
            yield loan.connection
        finally:
            self.take_back(loan)

    def take(self, *, writing: bool = False) -> Loan:
        """Hand out a connection, for whoever promises to bring it back with `take_back`."""
        with self._lock:
            generation, idle = self._generation, self._idle[writing]
            connection = idle.pop() if idle else None
        if connection is None:
            connection = self._connected(writing=writing)
        return Loan(connection, generation, writing)

    def _connected(self, *, writing: bool) -> sqlite3.Connection:
        connection = self._connect()
        try:
            for setting in self._settings[writing]:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    def take_back(self, loan: Loan) -> None:
        """Take a connection back; a transaction left open is rolled back."""
        connection, generation, writing = loan
        usable = _end_transaction(connection)
        with self._lock:
            idle = self._idle[writing]
            if usable and generation == self._generation and len(idle) < _KEPT_CONNECTIONS:
                idle.append(connection)
                return
        connection.close()

    def retire(self) -> None:
        """Close every connection, now or when it comes back."""
        with self._lock:
            self._generation += 1
            idle, self._idle = self._idle, {False: [], True: []}
        for connection in [*idle[False], *idle[True]]:
            connection.close()


def _end_transaction(connection: sqlite3.Connection) -> bool:
    """Roll back what is still open, and tell whether the connection can be used again."""
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except sqlite3.Error:
        return False
    return not connection.in_transaction
