"""The lists of a task (labels, dependencies, files, links, attachments), each in its own table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.sql.sql_store import Connection, Rows
from holdfast.tasks.store.records import Attachment, File, TaskLink
from holdfast.tasks.store.statements import insert, on_conflict_update


@dataclass(frozen=True)
class Part:
    """One kind of list that belongs to a task, stored in its own table."""

    table: str
    key: tuple[str, ...]
    name: str
    """The key column by which an item is named when it is removed."""
    others: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of an item, key columns first."""
        return self.key + self.others

    @cached_property
    def insert(self) -> str:
        """Return the statement that adds an item, or updates the one with the same key."""
        key = ", ".join(("task", *self.key))
        conflict = on_conflict_update(key, self.others) if self.others else "DO NOTHING"
        return insert(self.table, ("task", *self.columns), conflict)


PARTS = {
    "labels": Part("label", ("label",), "label"),
    "depends_on": Part("dependency", ("needs", "kind"), "needs"),
    "files": Part("file", ("path",), "path", ("role", "line_start", "line_end")),
    "links": Part("link", ("kind", "ref"), "ref", ("uri", "title")),
    "attachments": Part("attachment", ("name",), "name", ("mime", "sha256", "size")),
}


@lru_cache(maxsize=1024)
def items_query(sort: str, tasks: str, first: str = "") -> str:
    """Return the query for the items of one kind, in key order; `first` is a column to put before them."""
    part = PARTS[sort]
    columns, order = ", ".join(part.columns), ", ".join(part.key)
    return f"SELECT {first}{columns} FROM {part.table} WHERE task {tasks} ORDER BY {order}"


def labels_of(connection: Connection, uid: str) -> list[str]:
    """Return the labels of a task, in order."""
    return [label for (label,) in _items(connection, uid, "labels")]


def files_of(connection: Connection, uid: str) -> list[File]:
    """Return the files of a task, in order."""
    return [File._make(row) for row in _items(connection, uid, "files")]


def links_of(connection: Connection, uid: str) -> list[TaskLink]:
    """Return the links of a task, in order."""
    return [TaskLink._make(row) for row in _items(connection, uid, "links")]


def attachments_of(connection: Connection, uid: str) -> list[Attachment]:
    """Return the attachments of a task, in order."""
    return [Attachment._make(row) for row in _items(connection, uid, "attachments")]


def _items(connection: Connection, uid: str, sort: str) -> Rows:
    return connection.execute(items_query(sort, "= :uid"), {"uid": uid})


def add(connection: Connection, uid: str, sort: str, items: Iterable[Sequence[Any]]) -> None:
    """Add items to one of a task's lists; an item with an existing key is updated."""
    part = PARTS[sort]
    rows = [{"task": uid, **dict(zip(part.columns, item, strict=True))} for item in items]
    if rows:
        connection.executemany(part.insert, rows)


def add_dependencies(connection: Connection, uid: str, needs: Sequence[tuple[str, str]]) -> None:
    """Add dependencies to a task."""
    if any(needed == uid for needed, _ in needs):
        raise InvalidArguments("A task cannot depend on itself.", hint="Name another task.")
    add(connection, uid, "depends_on", needs)


def remove(connection: Connection, uid: str, sort: str, names: Iterable[str]) -> None:
    """Remove items from one of a task's lists, if they are there."""
    part = PARTS[sort]
    for name in names:
        values = {"task": uid, "name": name}
        connection.execute(f"DELETE FROM {part.table} WHERE task = :task AND {part.name} = :name", values)


def clear(connection: Connection, uid: str, sort: str) -> None:
    """Empty one of a task's lists; `blockers` are the dependencies of kind `blocks`."""
    table, only = ("dependency", " AND kind = 'blocks'") if sort == "blockers" else (PARTS[sort].table, "")
    connection.execute(f"DELETE FROM {table} WHERE task = :task{only}", {"task": uid})
