"""Tasks in PostgreSQL beside bare psycopg, with 10,000 tasks in one workspace. A claim has a bar.

python -m bench.tasks_postgres [--rounds 15] [--check] [--tasks 10000]

A server of its own is started in a temporary folder, as the tests do it, with every commit flushed to disk.
The other side runs the statements that an operation ran, recorded where they are sent, on a bare connection.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from bench._comparison import Comparison, compare
from bench._results import Results, absent, arguments
from bench.tasks import LOOKS, ME, filled, timed
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.storage.sql.postgres import with_driver_placeholders
from holdfast.storage.sql.sql_store import Connection, Rows, SqlStore, Values
from holdfast.tasks.store.tasks import Tasks
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.tasks.claims import claim_next
from tests.tasks.postgres import is_missing, running_server

CLAIM_BAR = 2.5
"""A claim may take so many times what finding, locking and marking a row takes."""
_AT_ONCE = 50
_BARE_CLAIM = (
    "UPDATE task SET status = 'in-progress', claim_agent = 'bare', claim_token = 'token',"
    " claim_since = %(now)s, claim_expires = %(now)s + 1800, started_at = %(now)s, updated_at = %(now)s,"
    " version = version + 1 WHERE uid = (SELECT uid FROM task WHERE workspace = %(workspace)s"
    " AND status = 'backlog' AND waits = 0 ORDER BY priority, unblocks DESC, rank, n LIMIT 1"
    " FOR UPDATE SKIP LOCKED)"
)

Statement = tuple[str, Values]


class Recording:
    """A connection that takes note of what is asked of it."""

    def __init__(self, connection: Connection, seen: list[Statement]) -> None:
        self._connection = connection
        self._seen = seen

    def execute(self, statement: str, values: Values | None = None, /) -> Rows:
        self._seen.append((statement, values or {}))
        return self._connection.execute(statement, values or {})

    def executemany(self, statement: str, values: Sequence[Values], /) -> object:
        return self._connection.executemany(statement, values)


def main() -> None:
    options = arguments(__doc__, rounds=15, tasks=10_000)
    if (reason := is_missing()) is not None:
        sys.exit(absent(f"a PostgreSQL server ({reason})"))
    with running_server(durable=True) as server, tempfile.TemporaryDirectory() as folder:
        address = server.new_database()
        path = filled(Path(folder, "repository"), options.tasks, address)
        workspace = Workspace.discover(path, address)
        comparisons = [looks(workspace, address, *look, options.rounds * 4) for look in LOOKS]
        comparisons.append(claims(workspace, address, options.rounds))
        version = subprocess.run(["postgres", "--version"], capture_output=True, text=True).stdout.strip()
        workspace.close()
    versions = {"PostgreSQL": version.split()[2], "psycopg": psycopg.__version__}
    results = Results("bench.tasks_postgres", f"{options.tasks:,} tasks", versions)
    compare(results, "tasks", ("psycopg", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def looks(
    workspace: Workspace, address: str, label: str, name: str, arguments: dict[str, Any], rounds: int
) -> Comparison:
    """One operation as a server runs it, beside the statements that it needs."""
    dispatcher = Dispatcher(full_registry(), workspace.room)
    operation = dispatcher.registry.operation(name)

    def run() -> dict[str, Any]:
        return dispatcher.run(operation, arguments, dispatcher.new_call(operation)).wire()

    statements = [
        (with_driver_placeholders(text), values) for text, values in recorded(workspace.room("tasks"), run)
    ]
    comparison = Comparison(f"{label} / its {len(statements)} statements")
    with bare(address) as connection:

        def bare_reading() -> None:
            for statement, values in statements:
                connection.execute(statement.encode(), values or None).fetchall()

        for _ in range(10):  # the driver prepares what it has seen five times
            bare_reading()
            run()
        for _ in range(rounds):
            comparison.baseline.append(timed(bare_reading))
            comparison.ours.append(timed(run))
    return comparison


def recorded(room: Tasks, run: Callable[[], object]) -> list[Statement]:
    """Return the statements that an operation asks the store, with their values."""
    store, seen = room.store, list[Statement]()
    lent = store.read

    @contextmanager
    def noting() -> Iterator[Any]:
        with lent() as connection:
            yield Recording(connection, seen)

    run()
    _read_by(store, noting)
    try:
        run()
    finally:
        _read_by(store, lent)
    return seen


def _read_by(store: SqlStore, read: Callable[[], Any]) -> None:
    store.read = read


@contextmanager
def bare(address: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET search_path = holdfast")
        yield connection


def claims(workspace: Workspace, address: str, rounds: int) -> Comparison:
    """Taking a task, beside finding, locking and marking a row in a bare transaction, as durable."""
    room: Tasks = workspace.room("tasks")
    identity = room.workspace().id
    comparison = Comparison("claim / BEGIN, update, COMMIT", bar=CLAIM_BAR)
    with bare(address) as connection:

        def update() -> None:
            connection.execute("BEGIN")
            connection.execute(_BARE_CLAIM, {"workspace": identity, "now": time.time()})
            connection.execute("COMMIT")

        for _ in range(rounds):
            comparison.baseline.append(timed(lambda: [update() for _ in range(_AT_ONCE)]) / _AT_ONCE)
            comparison.ours.append(timed(lambda: [claim_next(room, ME) for _ in range(_AT_ONCE)]) / _AT_ONCE)
    return comparison


if __name__ == "__main__":
    main()
