"""Restores a parsed export into a database, with ids and history. `archive` has the contract."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.kernel.errors import Conflict, Invalid
from holdfast.storage.sql.sql_store import Connection, SqlStore
from holdfast.tasks.imports.archive import EVENT_FIELDS, OMITTED_COLUMNS, TABLES, ParsedExport, event_fields
from holdfast.tasks.store import dependencies, history, items, rows, statements
from holdfast.tasks.store.history import INSERT_EVENT
from holdfast.tasks.store.records import File, Task, TaskLink, TaskWorkspace, encoded, is_uid, task_id
from holdfast.tasks.store.rows import FORMER_ID_PREFIX

_REPLACED_COLUMNS = [name for name in Task._fields if name not in {"uid", "n", "workspace", "parent"}]
_ASSIGNMENTS = ", ".join(f"{name} = :{name}" for name in _REPLACED_COLUMNS)
_REPLACE_TASK = f"UPDATE task SET {_ASSIGNMENTS} WHERE uid = :uid"
_EARLY_TEMPLATE_DEFAULTS = {"version": 1, "active": 1, "updated_by": ""}
"""Values for the columns of templates that early exports did not have."""


@dataclass
class RestoreResult:
    """The result of a restore: the first three are numbers of tasks."""

    added: int = 0
    advanced: int = 0
    """Tasks whose history in the export continued their history here."""
    unchanged: int = 0
    renumbered: dict[str, str] = field(default_factory=dict)
    """The new id of each task whose number was taken."""
    conflicts: list[str] = field(default_factory=list)
    """Tasks whose two histories have diverged."""
    held: list[str] = field(default_factory=list)
    """Tasks with newer history in the export that somebody holds here."""


def restore_export(
    store: SqlStore, connection: Connection, ours: TaskWorkspace | None, given: ParsedExport, now: float
) -> RestoreResult:
    """Restore an export, all or nothing; raise if it belongs to another workspace or is incomplete.

    A task that somebody holds now is left alone, because only its holder may change it.
    """
    try:
        workspace = str(given.workspace["id"])
        if ours is not None and ours.id != workspace:
            raise Conflict(
                "The export belongs to another workspace.",
                hint="Restore it where that workspace is, or in a repository that has none yet.",
                workspace=workspace,
            )
        return _Restore(connection, workspace, given, now).run(store, is_new=ours is None)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Invalid("The export is incomplete.", hint="Export again. Nothing was restored.") from None


class _Restore:
    """One restore of an export into a workspace, with its result."""

    def __init__(self, connection: Connection, workspace: str, given: ParsedExport, now: float) -> None:
        self._now = now
        self._connection = connection
        self._workspace = workspace
        self._by_workspace = {"id": workspace}
        self._given = given
        self._report = RestoreResult()

    def run(self, store: SqlStore, *, is_new: bool) -> RestoreResult:
        connection, entries = self._connection, self._given.entries
        if is_new:
            names = ("id", "name", "gate", "stack", "created_at", "next_number")
            workspace = {**self._given.workspace, "next_number": 1}
            connection.execute(
                statements.insert("workspace", names), {name: workspace[name] for name in names}
            )
        for content in entries["content"]:
            values = {"sha256": content["content"], "data": base64.b64decode(content["data"])}
            connection.execute(statements.insert("content", values, "DO NOTHING"), values)
        changed = [task for task in entries["task"] if self._restore_row(task)]
        for task in changed:
            self._restore_lists(task)
        uids = [task["uid"] for task in changed]
        dependencies.refuse_cycles(connection, uids)
        query = "SELECT uid FROM task WHERE workspace = :id"
        all_tasks = [uid for (uid,) in connection.execute(query, self._by_workspace)]
        dependencies.refresh_counts(connection, waiting=all_tasks, needed=all_tasks)
        connection.execute(
            "UPDATE workspace SET next_number = (SELECT coalesce(max(n), 0) + 1 FROM task"
            " WHERE workspace = :id) WHERE id = :id",
            self._by_workspace,
        )
        for table in TABLES:
            self._restore_table(table)
        store.number_in_order(connection)
        self._append_missing_events(uids, is_new=is_new)
        return self._report

    def _restore_row(self, task: Mapping[str, Any]) -> bool:
        """Store a task's row if the export has newer events of it; return whether it was stored."""
        uid = task["uid"]
        if not is_uid(uid):
            raise ValueError("uid")
        theirs = [_comparable(event) for event in self._given.histories.get(uid, ())]
        found = history.events_after(self._connection, self._workspace, after=0, limit=None, task=uid)
        ours = [_comparable(event_fields(event)) for event in found]
        if len(theirs) != task["version"]:
            raise ValueError("history")
        if not ours:
            self._report.added += 1
            self._connection.execute(
                statements.insert("task", Task._fields), self._task_row(task, is_new=True)
            )
            return True
        if theirs == ours[: len(theirs)]:
            self._report.unchanged += 1
            return False
        task_here = rows.task_by_uid(self._connection, uid)
        if ours == theirs[: len(ours)] and task_here.claimed_by(self._now) is not None:
            self._report.held.append(task_here.id)
            return False
        if ours == theirs[: len(ours)]:
            self._report.advanced += 1
            row = self._task_row(task, is_new=False)
            self._connection.execute(_REPLACE_TASK, {name: row[name] for name in (*_REPLACED_COLUMNS, "uid")})
            return True
        self._report.conflicts.append(task_here.id)
        return False

    def _task_row(self, task: Mapping[str, Any], *, is_new: bool) -> dict[str, Any]:
        number = int(task["n"])
        query = "SELECT max(n), max(CASE WHEN n = :n THEN 1 ELSE 0 END) FROM task WHERE workspace = :id"
        highest, is_taken = self._connection.execute(query, {**self._by_workspace, "n": number}).fetchone()
        if is_new and is_taken:
            self._report.renumbered[task_id(number)] = task_id(highest + 1)
            number = highest + 1
        derived = {"waits": 0, "unblocks": 0, "claim_session": None, "claim_token": None}
        row = {name: task[name] for name in Task._fields if name not in OMITTED_COLUMNS}
        return row | derived | {"workspace": self._workspace, "n": number, "parent": None}

    def _restore_lists(self, task: Mapping[str, Any]) -> None:
        """Store the parent and the lists of a task; all tasks that they name must exist."""
        connection, uid = self._connection, task["uid"]
        connection.execute(
            "UPDATE task SET parent = :parent WHERE uid = :uid", {"parent": task["parent"], "uid": uid}
        )
        for list_name in items.LIST_TABLES:
            items.clear(connection, uid, list_name)
        items.add(connection, uid, "labels", [(label,) for label in task["labels"]])
        items.add(connection, uid, "files", [File(*item) for item in task["files"]])
        items.add(connection, uid, "links", [TaskLink(*item) for item in task["links"]])
        items.add(connection, uid, "attachments", task["attachments"])
        items.add_dependencies(connection, uid, [(needed, kind) for needed, kind in task["depends_on"]])
        exported_id = task_id(int(task["n"]))
        names = list(task["names"])
        if rows.task_by_uid(connection, uid).id != exported_id:
            names.append(f"{FORMER_ID_PREFIX}{exported_id}")
        for name in names:
            values = {"workspace": self._workspace, "name": name, "task": uid}
            connection.execute(statements.insert("name", values, "DO NOTHING"), values)

    def _restore_table(self, table: str) -> None:
        columns, conflict = TABLES[table]
        fixed = {"workspace": self._workspace, **({"connected": 0} if table == "tracker" else {})}
        statement = statements.insert(table, (*columns, *fixed), conflict)
        for entry in self._given.entries[table]:
            row = {**_EARLY_TEMPLATE_DEFAULTS, **entry}
            self._connection.execute(statement, {name: row[name] for name in columns} | fixed)

    def _append_missing_events(self, uids: Iterable[str], *, is_new: bool) -> None:
        """Append the events that are missing here, in the order of the export."""
        query = "SELECT coalesce(max(version), 0) FROM event WHERE task = :uid"
        known: dict[str | None, int] = {
            uid: self._connection.execute(query, {"uid": uid}).fetchone()[0] for uid in uids
        }
        if is_new:
            known[None] = -1
        fresh = [
            self._event_row(event)
            for event in self._given.entries["event"]
            if event["task"] in known and event["version"] > known[event["task"]]
        ]
        if fresh:
            self._connection.executemany(INSERT_EVENT, fresh)

    def _event_row(self, event: Mapping[str, Any]) -> dict[str, Any]:
        states = {name: encoded(event[name]) if event[name] else None for name in ("before", "after")}
        row = {name: event[name] for name in EVENT_FIELDS}
        return {**row, **states, "workspace": self._workspace, "session": None}


def _comparable(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the parts of an event by which two histories are compared."""
    return event["version"], event["type"], event["at"], event["actor"], encoded(event["after"])
