"""The rows of a task and of what it has several of (labels, files, links, dependencies): read and written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.sql.sql_store import Connection
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
_NEEDED = (
    f"SELECT dependency.kind, {', '.join(f'other.{name}' for name in Task._fields)} FROM dependency"
    " JOIN task other ON other.uid = dependency.needs WHERE dependency.task = :uid"
    " ORDER BY other.n, dependency.kind"
)
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
        values = {"workspace": workspace, "n": task_number(named)}
        row = transaction.execute(_BY_NUMBER + locking, values).fetchone()
        row = row or _by_former_name(transaction, workspace, task_id(values["n"]), locking)  # type: ignore[arg-type]
    if row is None:
        raise NotFound(
            f'There is no task "{named[:40]}".',
            hint="`taskpilot_list` shows the tasks there are.",
            task_id=named,
        )
    return Task._make(row)


def _by_former_name(connection: Connection, workspace: str, name: str, locking: str) -> Any:
    found = connection.execute(_BY_NAME, {"workspace": workspace, "name": f"id:{name}"}).fetchone()
    return None if found is None else connection.execute(_BY_UID + locking, {"uid": found[0]}).fetchone()


def labels_of(connection: Connection, uid: str) -> list[str]:
    """Return the labels of a task, in order."""
    rows = connection.execute("SELECT label FROM label WHERE task = :uid ORDER BY label", {"uid": uid})
    return [row[0] for row in rows]


def files_of(connection: Connection, uid: str) -> list[File]:
    """Return the files of a task, in order."""
    query = "SELECT path, role, line_start, line_end FROM file WHERE task = :uid ORDER BY path"
    return [File._make(row) for row in connection.execute(query, {"uid": uid})]


def links_of(connection: Connection, uid: str) -> list[Link]:
    """Return the links of a task, in order."""
    query = "SELECT kind, ref, uri, title FROM link WHERE task = :uid ORDER BY kind, ref"
    return [Link._make(row) for row in connection.execute(query, {"uid": uid})]


def attachments_of(connection: Connection, uid: str) -> list[Attachment]:
    """Return what was put on a task, in order."""
    query = "SELECT name, mime, sha256, size FROM attachment WHERE task = :uid ORDER BY name"
    return [Attachment._make(row) for row in connection.execute(query, {"uid": uid})]


def needs_of(connection: Connection, uid: str) -> list[Dependency]:
    """Return the tasks that a task has to do with, and how."""
    query = (
        "SELECT other.uid, other.n, dependency.kind, other.status FROM dependency"
        " JOIN task other ON other.uid = dependency.needs WHERE dependency.task = :uid"
        " ORDER BY other.n, dependency.kind"
    )
    return [Dependency._make(row) for row in connection.execute(query, {"uid": uid})]


def needed_tasks(connection: Connection, uid: str) -> list[NeededTask]:
    """Return the tasks that a task has to do with, whole."""
    found = connection.execute(_NEEDED, {"uid": uid})
    return [NeededTask(row[0], Task._make(row[1:])) for row in found]


def needed_by(connection: Connection, uid: str) -> list[Dependency]:
    """Return the tasks that have to do with a task, and how."""
    query = (
        "SELECT other.uid, other.n, dependency.kind, other.status FROM dependency"
        " JOIN task other ON other.uid = dependency.task WHERE dependency.needs = :uid"
        " ORDER BY other.n, dependency.kind"
    )
    return [Dependency._make(row) for row in connection.execute(query, {"uid": uid})]


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
    for listed, values in in_portions(uids):
        rows = connection.execute(
            "SELECT dependency.task, other.n FROM dependency JOIN task other ON other.uid = dependency.needs"
            f" WHERE dependency.kind = 'blocks' AND dependency.task IN {listed}"
            " AND other.status NOT IN ('done', 'dropped') ORDER BY other.n",
            values,
        )
        for uid, number in rows:
            found[uid].append(task_id(number))
    return dict(found)


def ids_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return what people call these tasks."""
    found: dict[str, str] = {}
    for listed, values in in_portions(uids):
        rows = connection.execute(f"SELECT uid, n FROM task WHERE uid IN {listed}", values)
        found.update((uid, task_id(number)) for uid, number in rows)
    return found


def titles_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return the titles of these tasks."""
    found: dict[str, str] = {}
    for listed, values in in_portions(uids):
        rows = connection.execute(f"SELECT uid, title FROM task WHERE uid IN {listed}", values)
        found.update(rows.fetchall())
    return found


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
    seq, at, actor, session, task, version, kind, before, after, reason = row
    return Event(
        seq,
        at,
        actor,
        session,
        task,
        version,
        kind,
        json.loads(before) if before else {},
        json.loads(after) if after else {},
        reason,
    )


def counts(transaction: Transaction) -> tuple[int, int]:
    """Return how many tasks are open, and how many there are."""
    row = transaction.execute(
        "SELECT count(*) FILTER (WHERE status NOT IN ('done', 'dropped')), count(*) FROM task"
        " WHERE workspace = :workspace",
        {"workspace": transaction.workspace.id},
    ).fetchone()
    return row[0], row[1]


_ADD_LABEL = "INSERT INTO label (task, label) VALUES (:task, :label) ON CONFLICT DO NOTHING"
_ADD_FILE = (
    "INSERT INTO file (task, path, role, line_start, line_end) VALUES (:task, :path, :role, :first, :last)"
    " ON CONFLICT (task, path) DO UPDATE SET role = excluded.role, line_start = excluded.line_start,"
    " line_end = excluded.line_end"
)
_ADD_LINK = (
    "INSERT INTO link (task, kind, ref, uri, title) VALUES (:task, :kind, :ref, :uri, :title)"
    " ON CONFLICT (task, kind, ref) DO UPDATE SET uri = excluded.uri, title = excluded.title"
)
_ADD_DEPENDENCY = (
    "INSERT INTO dependency (task, needs, kind) VALUES (:task, :needs, :kind) ON CONFLICT DO NOTHING"
)


def add_labels(connection: Connection, uid: str, labels: Iterable[str]) -> None:
    """Give a task labels that it may have already."""
    rows = [{"task": uid, "label": label} for label in labels]
    if rows:
        connection.executemany(_ADD_LABEL, rows)


def remove_labels(connection: Connection, uid: str, labels: Iterable[str]) -> None:
    """Take labels from a task that it may not have."""
    for label in labels:
        connection.execute(
            "DELETE FROM label WHERE task = :task AND label = :label", {"task": uid, "label": label}
        )


def add_files(connection: Connection, uid: str, files: Iterable[File]) -> None:
    """Connect files with a task; one that is connected already gets the new role and lines."""
    rows = [
        {"task": uid, "path": item.path, "role": item.role, "first": item.line_start, "last": item.line_end}
        for item in files
    ]
    if rows:
        connection.executemany(_ADD_FILE, rows)


def remove_files(connection: Connection, uid: str, paths: Iterable[str]) -> None:
    """Take files from a task."""
    for path in paths:
        connection.execute(
            "DELETE FROM file WHERE task = :task AND path = :path", {"task": uid, "path": path}
        )


def add_links(connection: Connection, uid: str, links: Iterable[Link]) -> None:
    """Link a task with things elsewhere; a link that is there already gets the new address and title."""
    rows = [
        {"task": uid, "kind": item.kind, "ref": item.ref, "uri": item.uri, "title": item.title}
        for item in links
    ]
    if rows:
        connection.executemany(_ADD_LINK, rows)


def remove_links(connection: Connection, uid: str, refs: Iterable[str]) -> None:
    """Take links from a task."""
    for ref in refs:
        connection.execute("DELETE FROM link WHERE task = :task AND ref = :ref", {"task": uid, "ref": ref})


def add_dependencies(connection: Connection, uid: str, needs: Sequence[tuple[str, str]]) -> None:
    """Say that a task has to do with others."""
    if any(needed == uid for needed, _ in needs):
        raise InvalidArguments("A task cannot depend on itself.", hint="Name another task.")
    rows = [{"task": uid, "needs": needed, "kind": kind} for needed, kind in needs]
    if rows:
        connection.executemany(_ADD_DEPENDENCY, rows)


def remove_dependencies(connection: Connection, uid: str, needs: Iterable[str]) -> None:
    """Say that a task has nothing to do with others any more."""
    for needed in needs:
        values = {"task": uid, "needs": needed}
        connection.execute("DELETE FROM dependency WHERE task = :task AND needs = :needs", values)


def clear(connection: Connection, uid: str, table: str) -> None:
    """Take everything of one sort from a task."""
    statements = {
        "labels": "DELETE FROM label WHERE task = :task",
        "files": "DELETE FROM file WHERE task = :task",
        "links": "DELETE FROM link WHERE task = :task",
        "depends_on": "DELETE FROM dependency WHERE task = :task",
        "blockers": "DELETE FROM dependency WHERE task = :task AND kind = 'blocks'",
    }
    connection.execute(statements[table], {"task": uid})
