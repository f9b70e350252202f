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
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.kernel.errors import Conflict, Invalid
from holdfast.storage.sql.sql_store import Connection, SqlStore
from holdfast.tasks.store import dependencies, lists, rows
from holdfast.tasks.store.history import INSERT_EVENT, encoded, sorted_needs
from holdfast.tasks.store.identity import is_uid, is_workspace_id, task_id
from holdfast.tasks.store.records import COLUMNS, Event, File, Link, Task, Workspace

TRACKER_COLUMNS = ("name", "kind", "settings", "mark", "created_at", "synced_at")
COUNTERPART_COLUMNS = ("tracker", "origin", "task", "url", "base", "seen")

_INSERT_TRACKER = (
    "INSERT INTO tracker (workspace, name, kind, settings, mark, connected, created_at, synced_at)"
    " VALUES (:workspace, :name, :kind, :settings, :mark, 0, :created_at, :synced_at)"
    " ON CONFLICT (workspace, name) DO NOTHING"
)
_INSERT_COUNTERPART = (
    "INSERT INTO counterpart (workspace, tracker, origin, task, url, base, seen)"
    " VALUES (:workspace, :tracker, :origin, :task, :url, :base, :seen) ON CONFLICT DO NOTHING"
)


def take_in_trackers(
    connection: Connection,
    workspace: str,
    trackers: Iterable[Mapping[str, Any]],
    counterparts: Iterable[Mapping[str, Any]],
) -> None:
    """Take in what is not known here yet."""
    for row in trackers:
        values = {name: row[name] for name in TRACKER_COLUMNS}
        connection.execute(_INSERT_TRACKER, {**values, "workspace": workspace})
    for row in counterparts:
        values = {name: row[name] for name in COUNTERPART_COLUMNS}
        connection.execute(_INSERT_COUNTERPART, {**values, "workspace": workspace})


FORMAT = 1
_KIND = "holdfast-tasks"
_NOT_CARRIED = frozenset({"workspace", "waits", "unblocks", "claim_session", "claim_token"})
_ALL = 2_000_000_000
_VALUES = ", ".join(f":{name}" for name in Task._fields)
_INSERT_TASK = f"INSERT INTO task ({COLUMNS}) VALUES ({_VALUES})"  # noqa: S608
_REPLACED = [name for name in Task._fields if name not in {"uid", "n", "workspace", "parent"}]
_REPLACE_TASK = f"UPDATE task SET {', '.join(f'{name} = :{name}' for name in _REPLACED)} WHERE uid = :uid"  # noqa: S608
_INSERT_CONTENT = "INSERT INTO content (sha256, data) VALUES (:sha256, :data) ON CONFLICT DO NOTHING"
_INSERT_ATTACHMENT = (
    "INSERT INTO attachment (task, name, mime, sha256, size) VALUES (:task, :name, :mime, :sha256, :size)"
    " ON CONFLICT (task, name) DO UPDATE SET mime = excluded.mime, sha256 = excluded.sha256,"
    " size = excluded.size"
)
_INSERT_RULE = (
    "INSERT INTO rule (id, workspace, scope, type, text, confidence, source, active, created_at)"
    " VALUES (:id, :workspace, :scope, :type, :text, :confidence, :source, :active, :created_at)"
    " ON CONFLICT (id) DO NOTHING"
)
_INSERT_TEMPLATE = (
    "INSERT INTO template (workspace, name, body, version, active, updated_at, updated_by)"
    " VALUES (:workspace, :name, :body, :version, :active, :updated_at, :updated_by)"
    " ON CONFLICT (workspace, name) DO UPDATE SET body = excluded.body, version = excluded.version,"
    " active = excluded.active, updated_at = excluded.updated_at, updated_by = excluded.updated_by"
    " WHERE excluded.version > template.version"
)
_INSERT_NAME = (
    "INSERT INTO name (workspace, name, task) VALUES (:workspace, :name, :task) ON CONFLICT DO NOTHING"
)
_INSERT_WORKSPACE = (
    "INSERT INTO workspace (id, name, gate, stack, next_number, created_at)"
    " VALUES (:id, :name, :gate, :stack, 1, :created_at)"
)


@dataclass
class TakenIn:
    """What taking a file in did."""

    added: int = 0
    advanced: int = 0
    unchanged: int = 0
    renumbered: dict[str, str] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)


# Out.


def written(connection: Connection, workspace: Workspace) -> Iterator[str]:
    """Yield a workspace line by line."""
    head = {"id": workspace.id, "name": workspace.name, "gate": workspace.gate, "stack": workspace.stack}
    yield encoded(
        {"kind": _KIND, "format": FORMAT, "workspace": {**head, "created_at": workspace.created_at}}
    )
    for sha256, data in connection.execute(
        "SELECT sha256, data FROM content WHERE sha256 IN (SELECT attachment.sha256 FROM attachment"
        " JOIN task ON task.uid = attachment.task WHERE task.workspace = :id) ORDER BY sha256",
        {"id": workspace.id},
    ).fetchall():
        yield encoded({"content": sha256, "data": base64.b64encode(bytes(data)).decode()})
    for row in connection.execute(
        f"SELECT {COLUMNS} FROM task WHERE workspace = :id ORDER BY n",  # noqa: S608
        {"id": workspace.id},
    ).fetchall():
        yield encoded({"task": _carried(connection, Task._make(row))})
    for event in rows.events_after(connection, workspace.id, 0, _ALL):
        yield encoded({"event": _event(event)})
    yield from _table(connection, workspace.id, "rule", _RULE_COLUMNS)
    yield from _table(connection, workspace.id, "template", _TEMPLATE_COLUMNS)
    yield from _table(connection, workspace.id, "tracker", TRACKER_COLUMNS)
    yield from _table(connection, workspace.id, "counterpart", COUNTERPART_COLUMNS)


_RULE_COLUMNS = ("id", "scope", "type", "text", "confidence", "source", "active", "created_at")
_TEMPLATE_COLUMNS = ("name", "body", "version", "active", "updated_at", "updated_by")
_FIRST_TEMPLATES = {"version": 1, "active": 1, "updated_by": ""}
"""What exports did not say in the beginning."""


def _table(connection: Connection, workspace: str, table: str, columns: tuple[str, ...]) -> Iterator[str]:
    listed = ", ".join(columns)
    query = f"SELECT {listed} FROM {table} WHERE workspace = :id ORDER BY {listed}"  # noqa: S608
    for row in connection.execute(query, {"id": workspace}).fetchall():
        yield encoded({table: dict(zip(columns, row, strict=True))})


def _carried(connection: Connection, task: Task) -> dict[str, Any]:
    carried = {name: value for name, value in task._asdict().items() if name not in _NOT_CARRIED}
    names = connection.execute("SELECT name FROM name WHERE task = :uid ORDER BY name", {"uid": task.uid})
    return carried | {
        "labels": rows.labels_of(connection, task.uid),
        "depends_on": [[item.uid, item.kind] for item in sorted_needs(connection, task.uid)],
        "files": [
            [one.path, one.role, one.line_start, one.line_end] for one in rows.files_of(connection, task.uid)
        ],
        "links": [[one.kind, one.ref, one.uri, one.title] for one in rows.links_of(connection, task.uid)],
        "attachments": [
            [one.name, one.mime, one.sha256, one.size] for one in rows.attachments_of(connection, task.uid)
        ],
        "names": [row[0] for row in names],
    }


def _event(event: Event) -> dict[str, Any]:
    kept = ("at", "actor", "task", "version", "type", "before", "after", "reason")
    return {name: getattr(event, name) for name in kept}


# In.


@dataclass(frozen=True)
class Parsed:
    """A file that was read and found to be an export."""

    workspace: Mapping[str, Any]
    contents: list[Mapping[str, Any]]
    tasks: list[Mapping[str, Any]]
    events: Mapping[str | None, list[Mapping[str, Any]]]
    in_order: list[Mapping[str, Any]]
    rules: list[Mapping[str, Any]]
    templates: list[Mapping[str, Any]]
    trackers: list[Mapping[str, Any]]
    counterparts: list[Mapping[str, Any]]


def parsed(lines: Iterable[str]) -> Parsed:
    """Read an export, or say in which line it is none."""
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise Invalid("The file is empty.", hint="Name a file that `holdfast tasks export` wrote.")
    head = _line(*numbered[0])
    workspace = head.get("workspace")
    if (
        head.get("kind") != _KIND
        or not isinstance(workspace, dict)
        or not is_workspace_id(str(workspace.get("id")))
    ):
        raise Invalid(
            "The file is no export of tasks.", hint="Name a file that `holdfast tasks export` wrote."
        )
    if head.get("format") != FORMAT:
        raise Invalid(
            "The export is of another format.", hint="Use the Holdfast that wrote it, or a newer one."
        )
    kinds = ("content", "task", "event", "rule", "template", "tracker", "counterpart")
    found: dict[str, list[Any]] = {kind: [] for kind in kinds}
    for number, line in numbered[1:]:
        entry = _line(number, line)
        kind = next((name for name in found if name in entry), None)
        if kind is None:
            raise _unreadable(number)
        found[kind].append(entry if kind == "content" else entry[kind])
    events: dict[str | None, list[Mapping[str, Any]]] = {}
    for event in found["event"]:
        events.setdefault(event.get("task"), []).append(event)
    rest = (found[kind] for kind in ("event", *kinds[3:]))
    return Parsed(workspace, found["content"], found["task"], events, *rest)


def _line(number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _unreadable(number) from None
    if not isinstance(value, dict):
        raise _unreadable(number)
    return value


def _unreadable(number: int) -> Invalid:
    return Invalid(f"Line {number} of the file cannot be read.", hint="Export again. Nothing was taken in.")


def take_in(store: SqlStore, connection: Connection, ours: Workspace | None, given: Parsed) -> TakenIn:
    """Take an export in, all of it or nothing, and return what became of its tasks."""
    try:
        return _taken_in(store, connection, ours, given)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Invalid("The export lacks something.", hint="Export again. Nothing was taken in.") from None


def _taken_in(store: SqlStore, connection: Connection, ours: Workspace | None, given: Parsed) -> TakenIn:
    workspace = str(given.workspace["id"])
    if ours is None:
        connection.execute(_INSERT_WORKSPACE, {**given.workspace})
    elif ours.id != workspace:
        raise Conflict(
            "The export is of another workspace.",
            hint="Take it in where that workspace is, or where there is none yet.",
            workspace=workspace,
        )
    for content in given.contents:
        connection.execute(
            _INSERT_CONTENT, {"sha256": content["content"], "data": base64.b64decode(content["data"])}
        )
    report = TakenIn()
    changed = [task for task in given.tasks if _settle(connection, workspace, task, given, report)]
    for task in changed:
        _attach(connection, workspace, task)
    uids = [task["uid"] for task in changed]
    dependencies.refuse_cycles(connection, uids)
    everything = connection.execute(
        "SELECT uid FROM task WHERE workspace = :id", {"id": workspace}
    ).fetchall()
    dependencies.refresh(
        connection, waiting=[row[0] for row in everything], needed=[row[0] for row in everything]
    )
    _keep_counting(connection, workspace)
    _index(connection, workspace, given)
    store.number_in_order(connection)
    _continue_histories(connection, workspace, uids, given, is_new=ours is None)
    return report


def _settle(
    connection: Connection, workspace: str, task: Mapping[str, Any], given: Parsed, report: TakenIn
) -> bool:
    """Store a task's row where the file is ahead, and tell whether it was."""
    uid = task["uid"]
    if not is_uid(uid):
        raise ValueError("uid")
    theirs = [_told(event) for event in given.events.get(uid, ())]
    ours = [_told(_event(event)) for event in rows.events_after(connection, workspace, 0, _ALL, uid)]
    if len(theirs) != task["version"]:
        raise ValueError("history")
    if not ours:
        report.added += 1
        connection.execute(_INSERT_TASK, _row(connection, workspace, task, report))
        return True
    if theirs == ours[: len(theirs)]:
        report.unchanged += 1
        return False
    if ours == theirs[: len(ours)]:
        report.advanced += 1
        row = _row(connection, workspace, task, report, is_new=False)
        connection.execute(_REPLACE_TASK, {name: row[name] for name in (*_REPLACED, "uid")})
        return True
    report.conflicts.append(rows.task_by_uid(connection, uid).id)
    return False


def _told(event: Mapping[str, Any]) -> tuple[Any, ...]:
    return event["version"], event["type"], event["at"], event["actor"], encoded(event["after"])


def _row(
    connection: Connection, workspace: str, task: Mapping[str, Any], report: TakenIn, *, is_new: bool = True
) -> dict[str, Any]:
    number = int(task["n"])
    if is_new and _is_taken(connection, workspace, number):
        highest = connection.execute(
            "SELECT max(n) FROM task WHERE workspace = :id", {"id": workspace}
        ).fetchone()[0]
        report.renumbered[task_id(number)] = task_id(highest + 1)
        number = highest + 1
    derived = {"waits": 0, "unblocks": 0, "claim_session": None, "claim_token": None}
    row = {name: task[name] for name in Task._fields if name not in _NOT_CARRIED}
    return row | derived | {"workspace": workspace, "n": number, "parent": None}


def _is_taken(connection: Connection, workspace: str, number: int) -> bool:
    values = {"id": workspace, "n": number}
    return (
        connection.execute("SELECT 1 FROM task WHERE workspace = :id AND n = :n", values).fetchone()
        is not None
    )


def _attach(connection: Connection, workspace: str, task: Mapping[str, Any]) -> None:
    """Store what belongs to a task, now that every task it may name is there."""
    uid = task["uid"]
    for table in ("labels", "files", "links", "depends_on"):
        lists.clear(connection, uid, table)
    connection.execute(
        "UPDATE task SET parent = :parent WHERE uid = :uid", {"parent": task["parent"], "uid": uid}
    )
    lists.add_labels(connection, uid, task["labels"])
    lists.add_files(connection, uid, [File(*item) for item in task["files"]])
    lists.add_links(connection, uid, [Link(*item) for item in task["links"]])
    lists.add_dependencies(connection, uid, [(needed, kind) for needed, kind in task["depends_on"]])
    connection.execute("DELETE FROM attachment WHERE task = :uid", {"uid": uid})
    for name, mime, sha256, size in task["attachments"]:
        values = {"task": uid, "name": name, "mime": mime, "sha256": sha256, "size": size}
        connection.execute(_INSERT_ATTACHMENT, values)
    known_as = task_id(int(task["n"]))
    former = [] if rows.task_by_uid(connection, uid).id == known_as else [f"id:{known_as}"]
    for name in (*task["names"], *former):
        connection.execute(_INSERT_NAME, {"workspace": workspace, "name": name, "task": uid})


def _keep_counting(connection: Connection, workspace: str) -> None:
    connection.execute(
        "UPDATE workspace SET next_number = (SELECT coalesce(max(n), 0) + 1 FROM task WHERE workspace = :id)"
        " WHERE id = :id",
        {"id": workspace},
    )


def _index(connection: Connection, workspace: str, given: Parsed) -> None:
    for rule in given.rules:
        connection.execute(_INSERT_RULE, {**rule, "workspace": workspace})
    for template in given.templates:
        connection.execute(_INSERT_TEMPLATE, {**_FIRST_TEMPLATES, **template, "workspace": workspace})
    take_in_trackers(connection, workspace, given.trackers, given.counterparts)


def _continue_histories(
    connection: Connection, workspace: str, uids: Iterable[str], given: Parsed, *, is_new: bool
) -> None:
    """Append the events that are not here yet, in the order in which they happened there."""
    query = "SELECT coalesce(max(version), 0) FROM event WHERE task = :uid"
    known: dict[str | None, int] = {
        uid: connection.execute(query, {"uid": uid}).fetchone()[0] for uid in uids
    }
    if is_new:
        known[None] = -1
    fresh = [
        _event_row(workspace, event)
        for event in given.in_order
        if event["task"] in known and event["version"] > known[event["task"]]
    ]
    if fresh:
        connection.executemany(INSERT_EVENT, fresh)


def _event_row(workspace: str, event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "workspace": workspace,
        "at": event["at"],
        "actor": event["actor"],
        "session": None,
        "task": event["task"],
        "version": event["version"],
        "type": event["type"],
        "before": encoded(event["before"]) if event["before"] else None,
        "after": encoded(event["after"]) if event["after"] else None,
        "reason": event["reason"],
    }
