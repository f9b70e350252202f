"""The rows of a task and of what it has several of (labels, files, links, dependencies): read and written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.sql.sql_store import Connection, Rows
from holdfast.tasks.store.records import (
    COLUMNS,
    UID_CHARACTERS,
    Attachment,
    Dependency,
    Event,
    File,
    Link,
    Task,
    is_uid,
    task_id,
    task_number,
)
from holdfast.tasks.store.states import FINISHED, Kind
from holdfast.tasks.store.transaction import Transaction

_MOST_AT_ONCE = 500

_BY_NUMBER = f"SELECT {COLUMNS} FROM task WHERE workspace = :workspace AND n = :n"
_BY_UID = f"SELECT {COLUMNS} FROM task WHERE uid = :uid"
_OTHERS = (
    "SELECT {} FROM dependency JOIN task other ON other.uid = dependency.{} WHERE dependency.{} = :uid"
    " ORDER BY other.n, dependency.kind"
)
_DEPENDENCY = "other.uid, other.n, dependency.kind, other.status"
_NEEDS = _OTHERS.format(_DEPENDENCY, "needs", "task")
_NEEDED_BY = _OTHERS.format(_DEPENDENCY, "task", "needs")
_WHOLE = ", ".join(f"other.{name}" for name in Task._fields)
_NEEDED = _OTHERS.format(f"dependency.kind, {_WHOLE}", "needs", "task")
_BY_NAME = "SELECT task FROM name WHERE workspace = :workspace AND name = :name"


def among(values: Sequence[str], prefix: str = "v") -> tuple[str, dict[str, str]]:
    """Return a list for `IN` and its values."""
    names, text = _names(len(values), prefix)
    return text, dict(zip(names, values, strict=True))


@lru_cache(maxsize=1024)
def _names(count: int, prefix: str) -> tuple[tuple[str, ...], str]:
    names = tuple(f"{prefix}{number}" for number in range(count))
    return names, f"({', '.join(f':{name}' for name in names)})"


def in_portions(values: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield lists for `IN` that no database finds too long."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), _MOST_AT_ONCE):
        yield among(distinct[start : start + _MOST_AT_ONCE])


def rows_of(connection: Connection, query: str, uids: Iterable[str]) -> Iterator[Any]:
    """Yield what a query finds for some tasks, whose names for ever stand in place of its braces."""
    for listed, values in in_portions(uids):
        yield from connection.execute(query.format(listed), values)


def insert(table: str, columns: Iterable[str], conflict: str | None = None) -> str:
    """Return what adds a row of named values; `conflict` says what becomes of one that is there already."""
    names = list(columns)
    values = ", ".join(f":{name}" for name in names)
    clause = "" if conflict is None else f" ON CONFLICT {conflict}"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values}){clause}"


def renewing(key: str, columns: Iterable[str]) -> str:
    """Return the conflict clause that gives the row with the same key new values in some columns."""
    return f"({key}) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in columns)}"


@dataclass(frozen=True)
class Part:
    """One sort of what a task has several of, in a table of its own."""

    table: str
    key: tuple[str, ...]
    name: str
    """The column of the key by which people mean an item."""
    others: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of an item, those of its key first."""
        return self.key + self.others

    @cached_property
    def insert(self) -> str:
        """Return what adds an item."""
        key = ", ".join(("task", *self.key))
        conflict = renewing(key, self.others) if self.others else "DO NOTHING"
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
    """Return what reads the items that tasks have of one sort, in order, after another column."""
    part = PARTS[sort]
    columns, order = ", ".join(part.columns), ", ".join(part.key)
    return f"SELECT {first}{columns} FROM {part.table} WHERE task {tasks} ORDER BY {order}"


def task_by_uid(connection: Connection, uid: str) -> Task:
    """Return the task with this name for ever."""
    return Task._make(connection.execute(_BY_UID, {"uid": uid}).fetchone())


def find_task(transaction: Transaction, text: str, *, lock: bool = False) -> Task:
    """Return the task that a text names: `TP-12`, the name for ever, or a name it had elsewhere."""
    named = text.strip()
    workspace = transaction.workspace.id
    locking = transaction.for_update if lock else ""
    if len(named) == UID_CHARACTERS and is_uid(named.upper()):
        row = transaction.execute(_BY_UID + locking, {"uid": named.upper()}).fetchone()
        if row is not None and row[1] != workspace:
            row = None
    else:
        number = task_number(named)
        row = transaction.ask(_BY_NUMBER + locking, n=number).fetchone()
        if row is None and (former := transaction.ask(_BY_NAME, name=f"id:{task_id(number)}").fetchone()):
            row = transaction.execute(_BY_UID + locking, {"uid": former[0]}).fetchone()
    if row is None:
        raise NotFound(
            f'There is no task "{named[:40]}".',
            hint=f"The last is {task_id(transaction.workspace.next_number - 1)}; see `taskpilot_status`.",
            task_id=named,
        )
    return Task._make(row)


def labels_of(connection: Connection, uid: str) -> list[str]:
    """Return the labels of a task, in order."""
    return [label for (label,) in _items(connection, uid, "labels")]


def files_of(connection: Connection, uid: str) -> list[File]:
    """Return the files of a task, in order."""
    return [File._make(row) for row in _items(connection, uid, "files")]


def links_of(connection: Connection, uid: str) -> list[Link]:
    """Return the links of a task, in order."""
    return [Link._make(row) for row in _items(connection, uid, "links")]


def attachments_of(connection: Connection, uid: str) -> list[Attachment]:
    """Return what was put on a task, in order."""
    return [Attachment._make(row) for row in _items(connection, uid, "attachments")]


def _items(connection: Connection, uid: str, sort: str) -> Rows:
    return connection.execute(items_query(sort, "= :uid"), {"uid": uid})


def needs_of(connection: Connection, uid: str) -> list[Dependency]:
    """Return the tasks that a task has to do with, and how."""
    return [Dependency._make(row) for row in connection.execute(_NEEDS, {"uid": uid})]


def needed_tasks(connection: Connection, uid: str) -> list[NeededTask]:
    """Return the tasks that a task has to do with, whole."""
    found = connection.execute(_NEEDED, {"uid": uid})
    return [NeededTask(row[0], Task._make(row[1:])) for row in found]


def needed_by(connection: Connection, uid: str) -> list[Dependency]:
    """Return the tasks that have to do with a task, and how."""
    return [Dependency._make(row) for row in connection.execute(_NEEDED_BY, {"uid": uid})]


def subtasks_of(connection: Connection, uid: str) -> list[Task]:
    """Return the tasks directly below a task, in order."""
    query = f"SELECT {COLUMNS} FROM task WHERE parent = :uid ORDER BY n"
    return [Task._make(row) for row in connection.execute(query, {"uid": uid})]


class NeededTask(NamedTuple):
    """Another task that a task has to do with, and how."""

    kind: Kind
    task: Task


class Parts(NamedTuple):
    """What belongs to a task, each sort in order."""

    subtasks: list[Task]
    needs: list[NeededTask]
    needed_by: list[Dependency]
    labels: list[str]
    files: list[File]
    links: list[Link]
    attachments: list[Attachment]

    @property
    def blockers(self) -> list[Task]:
        """Return the unfinished tasks that the task needs itself."""
        return [
            item.task for item in self.needs if item.kind == "blocks" and item.task.status not in FINISHED
        ]


def parts_of(connection: Connection, uid: str) -> Parts:
    """Return what belongs to a task, each sort looked up once."""
    return Parts(
        subtasks_of(connection, uid),
        needed_tasks(connection, uid),
        needed_by(connection, uid),
        labels_of(connection, uid),
        files_of(connection, uid),
        links_of(connection, uid),
        attachments_of(connection, uid),
    )


def blockers_of(connection: Connection, uids: Iterable[str]) -> dict[str, list[str]]:
    """Return for each task the ids of the unfinished tasks that it needs itself."""
    found: dict[str, list[str]] = defaultdict(list)
    query = (
        "SELECT dependency.task, other.n FROM dependency JOIN task other ON other.uid = dependency.needs"
        " WHERE dependency.kind = 'blocks' AND dependency.task IN {}"
        " AND other.status NOT IN ('done', 'dropped') ORDER BY other.n"
    )
    for uid, number in rows_of(connection, query, uids):
        found[uid].append(task_id(number))
    return dict(found)


def ids_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return what people call these tasks."""
    found = rows_of(connection, "SELECT uid, n FROM task WHERE uid IN {}", uids)
    return {uid: task_id(number) for uid, number in found}


def titles_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return the titles of these tasks."""
    return dict(rows_of(connection, "SELECT uid, title FROM task WHERE uid IN {}", uids))


_EVENTS = (
    "SELECT seq, at, actor, session, task, version, type, before, after, reason FROM event"
    " WHERE workspace = :workspace AND seq > :after"
)
_EVENTS_OF = {
    "task": " AND task = :task",
    "actor": " AND actor = :actor",
    "file": " AND task IN (SELECT task FROM file WHERE path = :file)",
    "before": " AND seq < :before",
}


def events_after(
    connection: Connection, workspace: str, after: int, limit: int, task: str | None = None
) -> list[Event]:
    """Return what happened after a number, in the order in which it happened."""
    only = "" if task is None else " AND task = :task"
    rows = connection.execute(
        f"{_EVENTS}{only} ORDER BY seq LIMIT :limit",
        {"workspace": workspace, "after": after, "limit": limit, "task": task},
    )
    return [_event(row) for row in rows]


def events_before(
    connection: Connection, workspace: str, after: int, limit: int, wanted: Mapping[str, Any]
) -> list[Event]:
    """Return the newest of what happened, newest first: of a task, by an actor, about a file, before one."""
    given = {name: value for name, value in wanted.items() if value is not None}
    only = "".join(_EVENTS_OF[name] for name in given)
    values = {"workspace": workspace, "after": after, "limit": limit, **given}
    found = connection.execute(f"{_EVENTS}{only} ORDER BY seq DESC LIMIT :limit", values)
    return [_event(row) for row in found]


def _event(row: Sequence[Any]) -> Event:
    *head, before, after, reason = row
    return Event._make((*head, json.loads(before or "{}"), json.loads(after or "{}"), reason))


def counts(transaction: Transaction) -> tuple[int, int]:
    """Return how many tasks are open, and how many there are."""
    row = transaction.ask(
        "SELECT count(*) FILTER (WHERE status NOT IN ('done', 'dropped')), count(*) FROM task"
        " WHERE workspace = :workspace"
    ).fetchone()
    return row[0], row[1]


def add(connection: Connection, uid: str, sort: str, items: Iterable[Sequence[Any]]) -> None:
    """Give a task items of one sort; one that it has already gets the new values."""
    part = PARTS[sort]
    rows = [{"task": uid, **dict(zip(part.columns, item, strict=True))} for item in items]
    if rows:
        connection.executemany(part.insert, rows)


def add_dependencies(connection: Connection, uid: str, needs: Sequence[tuple[str, str]]) -> None:
    """Say that a task has to do with others."""
    if any(needed == uid for needed, _ in needs):
        raise InvalidArguments("A task cannot depend on itself.", hint="Name another task.")
    add(connection, uid, "depends_on", needs)


def remove(connection: Connection, uid: str, sort: str, names: Iterable[str]) -> None:
    """Take items of one sort from a task that it may not have."""
    part = PARTS[sort]
    for name in names:
        values = {"task": uid, "name": name}
        connection.execute(f"DELETE FROM {part.table} WHERE task = :task AND {part.name} = :name", values)


def clear(connection: Connection, uid: str, sort: str) -> None:
    """Take everything of one sort from a task; `blockers` are the dependencies that it waits for."""
    table, only = ("dependency", " AND kind = 'blocks'") if sort == "blockers" else (PARTS[sort].table, "")
    connection.execute(f"DELETE FROM {table} WHERE task = :task{only}", {"task": uid})
