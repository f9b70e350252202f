"""Stores as every format so far left them: the migrations up to a number, and rows in SQL of that time."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from holdfast.comments.sidecar import archive
from holdfast.inbox import schema as inbox
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.upgrade import split_statements
from holdfast.tasks.store import schema as tasks

FOLDER = Path(__file__).parent
WORKSPACE = "shop-0a1b2c"


class Store(NamedTuple):
    """A store of the package that is no copy of anything else."""

    file: str
    application_id: int
    migrations: Sequence[str]
    used_by: str
    """Where the program keeps the migrations that it opens the store with."""
    later: str
    """What a release to come may add."""

    @property
    def room(self) -> str:
        return self.file.removesuffix(".sqlite")

    @property
    def next_migrations(self) -> tuple[str, ...]:
        return (*self.migrations, f"ALTER TABLE {self.later} ADD COLUMN later TEXT;")


STORES = {
    "inbox": Store(
        inbox.DATABASE_NAME, inbox.APPLICATION_ID, inbox.MIGRATIONS, "holdfast.inbox.store", "message"
    ),
    "comments": Store(
        archive.DATABASE_NAME,
        archive.APPLICATION_ID,
        archive.MIGRATIONS,
        "holdfast.comments.sidecar.archive",
        "written",
    ),
    "tasks": Store(
        tasks.DATABASE_NAME, tasks.APPLICATION_ID, tasks.MIGRATIONS, "holdfast.tasks.store.tasks", "task"
    ),
}
FORMATS = [(name, number) for name, store in STORES.items() for number in range(1, len(store.migrations) + 1)]


def rows_of(name: str, number: int) -> Iterator[str]:
    """Yield the statements that fill a store of this format."""
    for step in range(1, number + 1):
        if (script := FOLDER / f"{name}-{step}.sql").exists():
            yield from split_statements(script.read_text(encoding="utf-8"))


def make(repository: Path, name: str, number: int) -> Path:
    """Leave a store as a program of this format left it, and return its file."""
    store = STORES[name]
    directory = repository / ".git" / "holdfast"
    directory.mkdir(mode=0o700, exist_ok=True)
    path = directory / store.file
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript("".join(store.migrations[:number]))
        for statement in rows_of(name, number):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {store.application_id}")
        connection.execute(f"PRAGMA user_version = {number}")
    os.chmod(path, 0o600)
    path.with_name(f"{path.name}.created").write_text("A Holdfast store was created beside this file.\n")
    if name == "tasks":
        marker = repository / ".task" / "workspace.json"
        marker.parent.mkdir(exist_ok=True)
        marker.write_text(f'{{"workspace": "{WORKSPACE}"}}\n')
    return path


def opened(path: Path, store: Store, migrations: Sequence[str] | None = None) -> Database:
    return Database(path, application_id=store.application_id, migrations=migrations or store.migrations)


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table, with the columns that there are; the file is read as it is."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        ).fetchall()
        return {
            name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for (name,) in tables
        }


def backups(path: Path) -> list[Path]:
    return sorted(one for one in path.parent.iterdir() if re.search(r"\.before-\d+\.[0-9a-f]{16}$", one.name))
