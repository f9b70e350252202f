"""Reads tasks from the database, and everything that belongs to a task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.kernel.errors import NotFound
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store.items import attachments_of, files_of, labels_of, links_of
from holdfast.tasks.store.records import (
    COLUMNS,
    Attachment,
    Dependency,
    File,
    Task,
    TaskLink,
    is_uid,
    task_id,
    task_number,
)
from holdfast.tasks.store.statements import select_by_uids
from holdfast.tasks.store.states import FINISHED, IS_UNFINISHED, Kind
from holdfast.tasks.store.transaction import TaskTransaction

_SELECT_BY_NUMBER = f"SELECT {COLUMNS} FROM task WHERE workspace = :workspace AND n = :n"
_SELECT_BY_UID = f"SELECT {COLUMNS} FROM task WHERE uid = :uid"
_DEPENDENCY_COLUMNS = "other.uid, other.n, dependency.kind, other.status"
_FROM_NEEDED = (
    " FROM dependency JOIN task other ON other.uid = dependency.needs WHERE dependency.task = :uid"
    " ORDER BY other.n, dependency.kind"
)
_FROM_DEPENDENTS = (
    " FROM dependency JOIN task other ON other.uid = dependency.task WHERE dependency.needs = :uid"
    " ORDER BY other.n, dependency.kind"
)
_OTHER_TASK_COLUMNS = ", ".join(f"other.{name}" for name in Task._fields)

CLIENT_KEY_PREFIX = "key:"
"""In the table `name`, the prefix of the idempotency key with which a task was created."""
FORMER_ID_PREFIX = "id:"
"""In the table `name`, the prefix of a short id that a task had in another database."""


class NeededTask(NamedTuple):
    """A task that another task depends on, and the kind of dependency."""

    kind: Kind
    task: Task


def task_by_uid(connection: Connection, uid: str) -> Task:
    """Return the task with this uid, which must exist."""
    return Task._make(connection.execute(_SELECT_BY_UID, {"uid": uid}).fetchone())


def uid_by_name(transaction: TaskTransaction, name: str) -> str | None:
    """Return the uid of the task that has a name, with its prefix, in the table `name`; else None."""
    row = transaction.run_in_workspace(
        "SELECT task FROM name WHERE workspace = :workspace AND name = :name", name=name
    ).fetchone()
    return None if row is None else row[0]


def find_task(transaction: TaskTransaction, text: str, *, for_update: bool = False) -> Task:
    """Return the task that a text names: by `TP-12`, by its uid, or by an id it had in another database.

    With `for_update`, its row is locked until the transaction ends.
    """
    named = text.strip()
    locking = transaction.for_update if for_update else ""
    uid: str | None = named.upper()
    row = None
    if not is_uid(named.upper()):
        number = task_number(named)
        row = transaction.run_in_workspace(_SELECT_BY_NUMBER + locking, n=number).fetchone()
        uid = None if row else uid_by_name(transaction, f"{FORMER_ID_PREFIX}{task_id(number)}")
    if uid is not None:
        select = f"{_SELECT_BY_UID} AND workspace = :workspace{locking}"
        row = transaction.run_in_workspace(select, uid=uid).fetchone()
    if row is None:
        raise NotFound(
            f'There is no task "{named[:40]}".',
            hint=f"The newest is {task_id(transaction.workspace.next_number - 1)}; see `taskpilot_status`.",
            task_id=named,
        )
    return Task._make(row)


def dependencies_of(connection: Connection, uid: str) -> list[Dependency]:
    """Return the dependencies of a task on others, by the number of the other task."""
    rows = connection.execute(f"SELECT {_DEPENDENCY_COLUMNS}{_FROM_NEEDED}", {"uid": uid})
    return [Dependency._make(row) for row in rows]


def dependents_of(connection: Connection, uid: str) -> list[Dependency]:
    """Return the dependencies of other tasks on a task, by the number of the other task."""
    rows = connection.execute(f"SELECT {_DEPENDENCY_COLUMNS}{_FROM_DEPENDENTS}", {"uid": uid})
    return [Dependency._make(row) for row in rows]


def subtasks_of(connection: Connection, uid: str) -> list[Task]:
    """Return the direct subtasks of a task, by number."""
    query = f"SELECT {COLUMNS} FROM task WHERE parent = :uid ORDER BY n"
    return [Task._make(row) for row in connection.execute(query, {"uid": uid})]


class TaskRelations(NamedTuple):
    """Everything that belongs to a task; tasks are sorted by number, other items by their key columns."""

    subtasks: list[Task]
    needed_tasks: list[NeededTask]
    dependents: list[Dependency]
    labels: list[str]
    files: list[File]
    links: list[TaskLink]
    attachments: list[Attachment]

    @property
    def blockers(self) -> list[Task]:
        """Return the unfinished tasks that the task waits for, without those that its ancestors wait for."""
        blocking = (item.task for item in self.needed_tasks if item.kind == "blocks")
        return [task for task in blocking if task.status not in FINISHED]


def relations_of(connection: Connection, uid: str) -> TaskRelations:
    """Return everything that belongs to a task, with one query per list."""
    rows = connection.execute(f"SELECT dependency.kind, {_OTHER_TASK_COLUMNS}{_FROM_NEEDED}", {"uid": uid})
    needed_tasks = [NeededTask(kind, Task._make(columns)) for kind, *columns in rows]
    return TaskRelations(
        subtasks=subtasks_of(connection, uid),
        needed_tasks=needed_tasks,
        dependents=dependents_of(connection, uid),
        labels=labels_of(connection, uid),
        files=files_of(connection, uid),
        links=links_of(connection, uid),
        attachments=attachments_of(connection, uid),
    )


def blockers_of(connection: Connection, uids: Iterable[str]) -> dict[str, list[str]]:
    """Return the ids of the unfinished tasks that each of these tasks itself depends on, by uid.

    Tasks without any are left out, and so are the tasks that only an ancestor depends on.
    """
    found: dict[str, list[str]] = defaultdict(list)
    query = (
        "SELECT dependency.task, other.n FROM dependency JOIN task other ON other.uid = dependency.needs"
        " WHERE dependency.kind = 'blocks' AND dependency.task IN {}"
        f" AND other.{IS_UNFINISHED} ORDER BY other.n"
    )
    for uid, number in select_by_uids(connection, query, uids):
        found[uid].append(task_id(number))
    return dict(found)


def ids_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return the short ids of tasks by uid; unknown uids are left out."""
    found = select_by_uids(connection, "SELECT uid, n FROM task WHERE uid IN {}", uids)
    return {uid: task_id(number) for uid, number in found}


def titles_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return the titles of tasks by uid; unknown uids are left out."""
    return dict(select_by_uids(connection, "SELECT uid, title FROM task WHERE uid IN {}", uids))


def count_tasks(transaction: TaskTransaction) -> tuple[int, int]:
    """Return the number of unfinished tasks, and the number of all tasks."""
    unfinished, total = transaction.run_in_workspace(
        f"SELECT count(*) FILTER (WHERE {IS_UNFINISHED}), count(*) FROM task WHERE workspace = :workspace"
    ).fetchone()
    return unfinished, total
