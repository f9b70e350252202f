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
    UID_CHARACTERS,
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
from holdfast.tasks.store.states import FINISHED, Kind
from holdfast.tasks.store.transaction import TaskTransaction

_SELECT_BY_NUMBER = f"SELECT {COLUMNS} FROM task WHERE workspace = :workspace AND n = :n"
_SELECT_BY_UID = f"SELECT {COLUMNS} FROM task WHERE uid = :uid"
_DEPENDENCY_TEMPLATE = (
    "SELECT {} FROM dependency JOIN task other ON other.uid = dependency.{} WHERE dependency.{} = :uid"
    " ORDER BY other.n, dependency.kind"
)
_DEPENDENCY_COLUMNS = "other.uid, other.n, dependency.kind, other.status"
_SELECT_NEEDS = _DEPENDENCY_TEMPLATE.format(_DEPENDENCY_COLUMNS, "needs", "task")
_SELECT_DEPENDENTS = _DEPENDENCY_TEMPLATE.format(_DEPENDENCY_COLUMNS, "task", "needs")
_OTHER_TASK_COLUMNS = ", ".join(f"other.{name}" for name in Task._fields)
_SELECT_NEEDED_TASKS = _DEPENDENCY_TEMPLATE.format(f"dependency.kind, {_OTHER_TASK_COLUMNS}", "needs", "task")
_SELECT_BY_NAME = "SELECT task FROM name WHERE workspace = :workspace AND name = :name"


def task_by_uid(connection: Connection, uid: str) -> Task:
    """Return the task with this uid."""
    return Task._make(connection.execute(_SELECT_BY_UID, {"uid": uid}).fetchone())


def find_task(transaction: TaskTransaction, text: str, *, lock: bool = False) -> Task:
    """Return the task that a text names: by `TP-12`, by its uid, or by an id it had in another database.

    With `lock`, its row is locked until the transaction ends.
    """
    named = text.strip()
    workspace = transaction.workspace.id
    locking = transaction.for_update if lock else ""
    if len(named) == UID_CHARACTERS and is_uid(named.upper()):
        row = transaction.execute(_SELECT_BY_UID + locking, {"uid": named.upper()}).fetchone()
        if row is not None and row[1] != workspace:
            row = None
    else:
        number = task_number(named)
        row = transaction.run_in_workspace(_SELECT_BY_NUMBER + locking, n=number).fetchone()
        if row is None and (
            former := transaction.run_in_workspace(_SELECT_BY_NAME, name=f"id:{task_id(number)}").fetchone()
        ):
            row = transaction.execute(_SELECT_BY_UID + locking, {"uid": former[0]}).fetchone()
    if row is None:
        raise NotFound(
            f'There is no task "{named[:40]}".',
            hint=f"The newest is {task_id(transaction.workspace.next_number - 1)}; see `taskpilot_status`.",
            task_id=named,
        )
    return Task._make(row)


def needs_of(connection: Connection, uid: str) -> list[Dependency]:
    """Return the dependencies of a task on others."""
    return [Dependency._make(row) for row in connection.execute(_SELECT_NEEDS, {"uid": uid})]


def needed_tasks(connection: Connection, uid: str) -> list[NeededTask]:
    """Return the tasks that a task depends on."""
    found = connection.execute(_SELECT_NEEDED_TASKS, {"uid": uid})
    return [NeededTask(row[0], Task._make(row[1:])) for row in found]


def dependents_of(connection: Connection, uid: str) -> list[Dependency]:
    """Return the dependencies of other tasks on a task."""
    return [Dependency._make(row) for row in connection.execute(_SELECT_DEPENDENTS, {"uid": uid})]


def subtasks_of(connection: Connection, uid: str) -> list[Task]:
    """Return the direct subtasks of a task, by number."""
    query = f"SELECT {COLUMNS} FROM task WHERE parent = :uid ORDER BY n"
    return [Task._make(row) for row in connection.execute(query, {"uid": uid})]


class NeededTask(NamedTuple):
    """A task that another task depends on, and the kind of dependency."""

    kind: Kind
    task: Task


class TaskRelations(NamedTuple):
    """Everything that belongs to a task, each list in order."""

    subtasks: list[Task]
    needs: list[NeededTask]
    needed_by: list[Dependency]
    labels: list[str]
    files: list[File]
    links: list[TaskLink]
    attachments: list[Attachment]

    @property
    def blockers(self) -> list[Task]:
        """Return the unfinished tasks that the task waits for, without those that its ancestors wait for."""
        return [
            item.task for item in self.needs if item.kind == "blocks" and item.task.status not in FINISHED
        ]


def relations_of(connection: Connection, uid: str) -> TaskRelations:
    """Return everything that belongs to a task, with one query per list."""
    return TaskRelations(
        subtasks_of(connection, uid),
        needed_tasks(connection, uid),
        dependents_of(connection, uid),
        labels_of(connection, uid),
        files_of(connection, uid),
        links_of(connection, uid),
        attachments_of(connection, uid),
    )


def blockers_of(connection: Connection, uids: Iterable[str]) -> dict[str, list[str]]:
    """Return for each task the ids of the unfinished tasks it waits for, without those of its ancestors."""
    found: dict[str, list[str]] = defaultdict(list)
    query = (
        "SELECT dependency.task, other.n FROM dependency JOIN task other ON other.uid = dependency.needs"
        " WHERE dependency.kind = 'blocks' AND dependency.task IN {}"
        " AND other.status NOT IN ('done', 'dropped') ORDER BY other.n"
    )
    for uid, number in select_by_uids(connection, query, uids):
        found[uid].append(task_id(number))
    return dict(found)


def ids_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return the short ids of these tasks by uid."""
    found = select_by_uids(connection, "SELECT uid, n FROM task WHERE uid IN {}", uids)
    return {uid: task_id(number) for uid, number in found}


def titles_of(connection: Connection, uids: Iterable[str]) -> dict[str, str]:
    """Return the titles of these tasks by uid."""
    return dict(select_by_uids(connection, "SELECT uid, title FROM task WHERE uid IN {}", uids))


def count_tasks(transaction: TaskTransaction) -> tuple[int, int]:
    """Return the number of open tasks, and the number of all tasks."""
    row = transaction.run_in_workspace(
        "SELECT count(*) FILTER (WHERE status NOT IN ('done', 'dropped')), count(*) FROM task"
        " WHERE workspace = :workspace"
    ).fetchone()
    return row[0], row[1]
