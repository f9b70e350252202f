"""A workspace as lines of JSON, and back into a database of either kind, with ids and history.

Contract:
- The same workspace is always the same text: a line that says what it is, then contents, tasks by number,
  events in their order, rules, templates, and which item of another tracker is which task.
- Taking it in again changes nothing. A task that only the file has is added whole, with every event; one
  whose history goes on in the file is brought up to date; one that went another way here is left and named.
- A number that is taken here stays with its task; the newcomer gets the next one.
- Tokens and sessions are not part of it: a claim that travels can be waited out or taken again, not forged.
- A tracker that travels arrives disconnected: which project tasks are sent to is for somebody here to say.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.kernel.errors import Conflict, Invalid
from holdfast.storage.files.foreign_document import UnreadableDocument, json_of
from holdfast.storage.sql.sql_store import Connection, SqlStore
from holdfast.tasks.store import dependencies, rows
from holdfast.tasks.store.history import INSERT_EVENT, states_of
from holdfast.tasks.store.records import (
    COLUMNS,
    Event,
    File,
    Link,
    Task,
    Workspace,
    encoded,
    is_uid,
    is_workspace_id,
    task_id,
)

FORMAT = 1
_KIND = "holdfast-tasks"
_EXPORTED = "Name a file that `holdfast tasks export` wrote."
_ALL = 2_000_000_000
_AT_ONCE = 500
_NOT_CARRIED = frozenset({"workspace", "waits", "unblocks", "claim_session", "claim_token"})
_REPLACED = [name for name in Task._fields if name not in {"uid", "n", "workspace", "parent"}]
_REPLACE_TASK = f"UPDATE task SET {', '.join(f'{name} = :{name}' for name in _REPLACED)} WHERE uid = :uid"
_EVENT = ("at", "actor", "task", "version", "type", "before", "after", "reason")
_TABLES = {
    "rule": ("id scope type text confidence source active created_at", "(id) DO NOTHING"),
    "template": (
        "name body version active updated_at updated_by",
        """(workspace, name) DO UPDATE SET body = excluded.body, version = excluded.version,
        active = excluded.active, updated_at = excluded.updated_at, updated_by = excluded.updated_by
        WHERE excluded.version > template.version""",
    ),
    "tracker": ("name kind settings mark created_at synced_at", "(workspace, name) DO NOTHING"),
    "counterpart": ("tracker origin task url base seen", "DO NOTHING"),
}
"""What there is besides tasks, by table: its columns, and what becomes of a row that is there already."""
_FIRST_TEMPLATES = {"version": 1, "active": 1, "updated_by": ""}
"""What exports did not say in the beginning."""


@dataclass
class RestoreResult:
    """What taking a file in did."""

    added: int = 0
    advanced: int = 0
    unchanged: int = 0
    renumbered: dict[str, str] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)


# Out.


def written(connection: Connection, workspace: Workspace) -> Iterator[str]:
    """Yield a workspace line by line."""
    head = {name: getattr(workspace, name) for name in ("id", "name", "gate", "stack", "created_at")}
    own = {"id": workspace.id}
    yield encoded({"kind": _KIND, "format": FORMAT, "workspace": head})
    for sha256, data in connection.execute(
        "SELECT sha256, data FROM content WHERE sha256 IN (SELECT attachment.sha256 FROM attachment"
        " JOIN task ON task.uid = attachment.task WHERE task.workspace = :id) ORDER BY sha256",
        own,
    ).fetchall():
        yield encoded({"content": sha256, "data": base64.b64encode(bytes(data)).decode()})
    query = f"SELECT {COLUMNS} FROM task WHERE workspace = :id ORDER BY n"
    tasks = [Task._make(row) for row in connection.execute(query, own).fetchall()]
    for start in range(0, len(tasks), _AT_ONCE):
        some = tasks[start : start + _AT_ONCE]
        for task, state in zip(some, states_of(connection, some), strict=True):
            yield encoded({"task": _carried(connection, task, state)})
    for event in rows.events_after(connection, workspace.id, 0, _ALL):
        yield encoded({"event": _event(event)})
    for table, (names, _) in _TABLES.items():
        listed = ", ".join(names.split())
        query = f"SELECT {listed} FROM {table} WHERE workspace = :id ORDER BY {listed}"
        for row in connection.execute(query, own).fetchall():
            yield encoded({table: dict(zip(names.split(), row, strict=True))})


def _carried(connection: Connection, task: Task, state: Mapping[str, Any]) -> dict[str, Any]:
    names = connection.execute("SELECT name FROM name WHERE task = :uid ORDER BY name", {"uid": task.uid})
    carried = {name: value for name, value in task._asdict().items() if name not in _NOT_CARRIED}
    return carried | {name: state[name] for name in rows.PARTS} | {"names": [row[0] for row in names]}


def _event(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in _EVENT}


# In.


@dataclass(frozen=True)
class Parsed:
    """A file that was read and found to be an export."""

    workspace: Mapping[str, Any]
    entries: Mapping[str, list[Mapping[str, Any]]]
    """The lines after the first, by what they hold."""
    histories: Mapping[str | None, list[Mapping[str, Any]]]
    """The events by their task."""


def parsed(lines: Iterable[str]) -> Parsed:
    """Read an export, or say in which line it is none."""
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise Invalid("The file is empty.", hint=_EXPORTED)
    head = _line(*numbered[0])
    workspace = head.get("workspace")
    is_export = head.get("kind") == _KIND and isinstance(workspace, dict)
    if workspace is None or not is_export or not is_workspace_id(str(workspace.get("id"))):
        raise Invalid("The file is no export of tasks.", hint=_EXPORTED)
    if head.get("format") != FORMAT:
        raise Invalid(
            "The export is of another format.", hint="Use the Holdfast that wrote it, or a newer one."
        )
    entries: dict[str, list[Any]] = {kind: [] for kind in ("content", "task", "event", *_TABLES)}
    for number, line in numbered[1:]:
        entry = _line(number, line)
        kind = next((name for name in entries if name in entry), None)
        value = entry if kind == "content" else entry.get(kind or "")
        if kind is None or not isinstance(value, dict) or not isinstance(value.get("task"), str | None):
            raise _unreadable(number)
        entries[kind].append(value)
    histories: dict[str | None, list[Mapping[str, Any]]] = {}
    for event in entries["event"]:
        histories.setdefault(event.get("task"), []).append(event)
    return Parsed(workspace, entries, histories)


def _line(number: int, line: str) -> dict[str, Any]:
    try:
        value = json_of(line)
    except UnreadableDocument:
        raise _unreadable(number) from None
    if not isinstance(value, dict):
        raise _unreadable(number)
    return value


def _unreadable(number: int) -> Invalid:
    return Invalid(f"Line {number} of the file cannot be read.", hint="Export again. Nothing was taken in.")


def take_in(store: SqlStore, connection: Connection, ours: Workspace | None, given: Parsed) -> RestoreResult:
    """Take an export in, all of it or nothing, and return what became of its tasks."""
    try:
        workspace = str(given.workspace["id"])
        if ours is not None and ours.id != workspace:
            raise Conflict(
                "The export is of another workspace.",
                hint="Take it in where that workspace is, or where there is none yet.",
                workspace=workspace,
            )
        return _Restore(connection, workspace, given).run(store, is_new=ours is None)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Invalid("The export lacks something.", hint="Export again. Nothing was taken in.") from None


class _Restore:
    """An export on its way into a workspace."""

    def __init__(self, connection: Connection, workspace: str, given: Parsed) -> None:
        self._connection = connection
        self._workspace = workspace
        self._own = {"id": workspace}
        self._given = given
        self._report = RestoreResult()

    def run(self, store: SqlStore, *, is_new: bool) -> RestoreResult:
        """Take everything in; events come last."""
        connection, entries = self._connection, self._given.entries
        if is_new:
            names = ("id", "name", "gate", "stack", "created_at", "next_number")
            workspace = {**self._given.workspace, "next_number": 1}
            connection.execute(rows.insert("workspace", names), {name: workspace[name] for name in names})
        for content in entries["content"]:
            values = {"sha256": content["content"], "data": base64.b64decode(content["data"])}
            connection.execute(rows.insert("content", values, "DO NOTHING"), values)
        changed = [task for task in entries["task"] if self._settle(task)]
        for task in changed:
            self._attach(task)
        uids = [task["uid"] for task in changed]
        dependencies.refuse_cycles(connection, uids)
        found = connection.execute("SELECT uid FROM task WHERE workspace = :id", self._own).fetchall()
        everything = [row[0] for row in found]
        dependencies.refresh(connection, waiting=everything, needed=everything)
        connection.execute(
            "UPDATE workspace SET next_number = (SELECT coalesce(max(n), 0) + 1 FROM task"
            " WHERE workspace = :id) WHERE id = :id",
            self._own,
        )
        for table in _TABLES:
            self._fill(table)
        store.number_in_order(connection)
        self._continue_histories(uids, is_new=is_new)
        return self._report

    def _settle(self, task: Mapping[str, Any]) -> bool:
        """Store a task's row where the file is ahead, and tell whether it was."""
        uid = task["uid"]
        if not is_uid(uid):
            raise ValueError("uid")
        theirs = [_told(event) for event in self._given.histories.get(uid, ())]
        found = rows.events_after(self._connection, self._workspace, 0, _ALL, uid)
        ours = [_told(_event(event)) for event in found]
        if len(theirs) != task["version"]:
            raise ValueError("history")
        if not ours:
            self._report.added += 1
            self._connection.execute(rows.insert("task", Task._fields), self._row(task, is_new=True))
            return True
        if theirs == ours[: len(theirs)]:
            self._report.unchanged += 1
            return False
        if ours == theirs[: len(ours)]:
            self._report.advanced += 1
            row = self._row(task, is_new=False)
            self._connection.execute(_REPLACE_TASK, {name: row[name] for name in (*_REPLACED, "uid")})
            return True
        self._report.conflicts.append(rows.task_by_uid(self._connection, uid).id)
        return False

    def _row(self, task: Mapping[str, Any], *, is_new: bool) -> dict[str, Any]:
        number = int(task["n"])
        query = "SELECT max(n), max(CASE WHEN n = :n THEN 1 ELSE 0 END) FROM task WHERE workspace = :id"
        highest, is_taken = self._connection.execute(query, {**self._own, "n": number}).fetchone()
        if is_new and is_taken:
            self._report.renumbered[task_id(number)] = task_id(highest + 1)
            number = highest + 1
        derived = {"waits": 0, "unblocks": 0, "claim_session": None, "claim_token": None}
        row = {name: task[name] for name in Task._fields if name not in _NOT_CARRIED}
        return row | derived | {"workspace": self._workspace, "n": number, "parent": None}

    def _attach(self, task: Mapping[str, Any]) -> None:
        """Store what belongs to a task, now that every task it may name is there."""
        connection, uid = self._connection, task["uid"]
        connection.execute(
            "UPDATE task SET parent = :parent WHERE uid = :uid", {"parent": task["parent"], "uid": uid}
        )
        for sort in rows.PARTS:
            rows.clear(connection, uid, sort)
        rows.add(connection, uid, "labels", [(label,) for label in task["labels"]])
        rows.add(connection, uid, "files", [File(*item) for item in task["files"]])
        rows.add(connection, uid, "links", [Link(*item) for item in task["links"]])
        rows.add(connection, uid, "attachments", task["attachments"])
        rows.add_dependencies(connection, uid, [(needed, kind) for needed, kind in task["depends_on"]])
        known_as = task_id(int(task["n"]))
        former = [] if rows.task_by_uid(connection, uid).id == known_as else [f"id:{known_as}"]
        for name in (*task["names"], *former):
            values = {"workspace": self._workspace, "name": name, "task": uid}
            connection.execute(rows.insert("name", values, "DO NOTHING"), values)

    def _fill(self, table: str) -> None:
        columns, conflict = _TABLES[table]
        fixed = {"workspace": self._workspace, **({"connected": 0} if table == "tracker" else {})}
        statement = rows.insert(table, (*columns.split(), *fixed), conflict)
        for entry in self._given.entries[table]:
            row = {**_FIRST_TEMPLATES, **entry}
            self._connection.execute(statement, {name: row[name] for name in columns.split()} | fixed)

    def _continue_histories(self, uids: Iterable[str], *, is_new: bool) -> None:
        """Append the events that are not here yet, in the order in which they happened there."""
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
        row = {name: event[name] for name in _EVENT}
        return {**row, **states, "workspace": self._workspace, "session": None}


def _told(event: Mapping[str, Any]) -> tuple[Any, ...]:
    return event["version"], event["type"], event["at"], event["actor"], encoded(event["after"])
