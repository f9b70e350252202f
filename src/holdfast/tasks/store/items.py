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
class ListTable:
    """The table of one kind of list, such as the labels of tasks."""

    name: str
    key: tuple[str, ...]
    """The columns that, with the task, identify an item."""
    removal_column: str
    """The key column that a caller gives to remove items."""
    other_columns: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return self.key + self.other_columns

    @cached_property
    def insert(self) -> str:
        """The statement that adds an item, or updates the one with the same key."""
        key = ", ".join(("task", *self.key))
        conflict = on_conflict_update(key, self.other_columns) if self.other_columns else "DO NOTHING"
        return insert(self.name, ("task", *self.columns), conflict)


LIST_TABLES = {
    "labels": ListTable("label", ("label",), "label"),
    "depends_on": ListTable("dependency", ("needs", "kind"), "needs"),
    "files": ListTable("file", ("path",), "path", ("role", "line_start", "line_end")),
    "links": ListTable("link", ("kind", "ref"), "ref", ("uri", "title")),
    "attachments": ListTable("attachment", ("name",), "name", ("mime", "sha256", "size")),
}


@lru_cache(maxsize=1024)
def items_query(list_name: str, tasks: str, first: str = "") -> str:
    """Return the query for the items of a list, in key order.

    `tasks` is the SQL condition for the column `task`; `first` is an SQL column to select before the others.
    """
    table = LIST_TABLES[list_name]
    columns, order = ", ".join(table.columns), ", ".join(table.key)
    return f"SELECT {first}{columns} FROM {table.name} WHERE task {tasks} ORDER BY {order}"


def labels_of(connection: Connection, uid: str) -> list[str]:
    """Return the labels of a task, sorted."""
    return [label for (label,) in _select_items(connection, uid, "labels")]


def files_of(connection: Connection, uid: str) -> list[File]:
    """Return the files of a task, by path."""
    return [File._make(row) for row in _select_items(connection, uid, "files")]


def links_of(connection: Connection, uid: str) -> list[TaskLink]:
    """Return the links of a task, by kind and ref."""
    return [TaskLink._make(row) for row in _select_items(connection, uid, "links")]


def attachments_of(connection: Connection, uid: str) -> list[Attachment]:
    """Return the attachments of a task, by name."""
    return [Attachment._make(row) for row in _select_items(connection, uid, "attachments")]


def _select_items(connection: Connection, uid: str, list_name: str) -> Rows:
    return connection.execute(items_query(list_name, "= :uid"), {"uid": uid})


def add(connection: Connection, uid: str, list_name: str, items: Iterable[Sequence[Any]]) -> None:
    """Add items to one of a task's lists; an item with an existing key is updated."""
    table = LIST_TABLES[list_name]
    rows = [{"task": uid, **dict(zip(table.columns, item, strict=True))} for item in items]
    if rows:
        connection.executemany(table.insert, rows)


def add_dependencies(connection: Connection, uid: str, dependencies: Sequence[tuple[str, str]]) -> None:
    """Add dependencies, as pairs of a needed uid and a kind; raise if a task would depend on itself."""
    if any(needed == uid for needed, _ in dependencies):
        raise InvalidArguments("A task cannot depend on itself.", hint="Name another task.")
    add(connection, uid, "depends_on", dependencies)


def remove(connection: Connection, uid: str, list_name: str, values: Iterable[str]) -> None:
    """Remove the items of a task's list with these values of `removal_column`; missing ones are ignored."""
    table = LIST_TABLES[list_name]
    statement = f"DELETE FROM {table.name} WHERE task = :task AND {table.removal_column} = :value"
    for value in values:
        connection.execute(statement, {"task": uid, "value": value})


def clear(connection: Connection, uid: str, list_name: str) -> None:
    """Empty one of a task's lists; `blockers` are the dependencies of kind `blocks`."""
    if list_name == "blockers":
        table, condition = "dependency", " AND kind = 'blocks'"
    else:
        table, condition = LIST_TABLES[list_name].name, ""
    connection.execute(f"DELETE FROM {table} WHERE task = :task{condition}", {"task": uid})
