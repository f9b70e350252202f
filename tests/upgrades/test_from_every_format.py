"""Whatever an earlier Holdfast stored, today's opens it with everything in it, and a way back beside it."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.comments.sidecar.archive import Archive
from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.postgres import PostgresStore
from holdfast.storage.sql.upgrade import split_statements
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import join, write_marker
from tests.tasks.happenings import events_of
from tests.tasks.postgres import running_server
from tests.upgrades.stores import FORMATS, STORES, WORKSPACE, backups, content, make, opened, rows_of

PUBLISHED = {
    "inbox": ["6c237699512e9ce4", "9221ea074b63f604"],
    "comments": ["9ffaa0c482536a68"],
    "tasks": ["f003fd890d146f01", "9060056f3f5d8587", "915de825f1f2af4c", "6625e7d29ffc3f2c"],
}
"""What each migration was when it was published. One that a store has seen is never edited: add another."""


def fingerprint(migration: str) -> str:
    return hashlib.sha256(" ".join(migration.split()).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", STORES)
def test_no_published_migration_was_edited(name: str):
    now = [fingerprint(migration) for migration in STORES[name].migrations]
    assert now == PUBLISHED[name], "a new migration is published by adding its fingerprint here"
    assert fingerprint(STORES[name].migrations[0].replace("TEXT", "BLOB", 1)) != now[0]


def use_inbox(repository: Repository) -> None:
    room = Inbox.open(repository)
    assert [message.comment for message in room.newest(9)] == ["Größe; prüfen?", "Delivered"]
    room.send("a.py", "Another")
    assert room.check() == []
    room.close()


def use_comments(repository: Repository) -> None:
    room = Archive(repository)
    assert room.version("814f4a422927b82f5f8a43f8fab6d3839e3983f2") == b"one\ntwo\n"
    assert room.version(room.store_version(b"three\n")) == b"three\n"
    assert room.verify() == []
    room.close()


def use_tasks(repository: Repository, database: str | None = None) -> None:
    room = Tasks(repository, database=database)
    found = {task.title: task for task in room.find(Query()).tasks}
    assert set(found) == {"Größe; prüfen", "Second"}
    assert events_of(room)[1].reason == "mine"
    assert room.check() == []
    room.create([Draft("Third", "Added after the upgrade.")], CallerIdentity("ada"))
    room.close()


USE: dict[str, Callable[[Repository], None]] = {
    "inbox": use_inbox,
    "comments": use_comments,
    "tasks": use_tasks,
}


@pytest.mark.parametrize(("name", "number"), FORMATS)
def test_a_store_of_every_format_opens_whole_with_a_backup_of_what_it_was(
    repository: Path, name: str, number: int
):
    path = make(repository, name, number)
    before = content(path)
    opened(path, STORES[name]).close()
    after = content(path)
    for table, rows in before.items():
        assert [row[: len(old)] for row, old in zip(after[table], rows, strict=True)] == rows
    kept = backups(path)
    assert len(kept) == (number < len(STORES[name].migrations))
    for backup in kept:
        assert content(backup) == before
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        with opened(backup, STORES[name], STORES[name].migrations[:number]) as earlier:
            assert earlier.verify() == []
    USE[name](Repository.at(repository))


@pytest.mark.postgres
def test_a_shared_database_of_every_format_opens_whole(repository: Path):
    with running_server() as server:
        for _, number in [one for one in FORMATS if one[0] == "tasks"]:
            address = server.new_database()
            earlier = PostgresStore(address, migrations=STORES["tasks"].migrations[:number])
            with earlier.write() as connection:
                for statement in rows_of("tasks", number):
                    connection.execute(statement.replace("x'6869'", r"'\x6869'"))
                connection.execute("SELECT setval(pg_get_serial_sequence('event', 'seq'), 3)")
            write_marker(Repository.at(repository), WORKSPACE)
            join(Repository.at(repository), WORKSPACE)
            use_tasks(Repository.at(repository), address)
            # Who has it open still, from before the upgrade, neither reads nor writes it any more.
            if number < len(STORES["tasks"].migrations):
                for transaction in (earlier.read, earlier.write):
                    with pytest.raises(Exception, match=f"newer Holdfast.*known {number}"), transaction():
                        pass
            earlier.close()


def test_the_rows_of_each_format_fill_every_table(repository: Path):
    """Control: a table that the rows leave empty would prove nothing."""
    for name, store in STORES.items():
        path = make(repository, name, len(store.migrations))
        assert [table for table, rows in content(path).items() if not rows] == []
        assert len(list(split_statements("".join(store.migrations)))) > len(content(path))
