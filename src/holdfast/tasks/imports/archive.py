"""A workspace as lines of JSON, and back into a database of either kind, with ids and history.

Contract:
- The same workspace always gives the same text: a header line, then attachment contents, tasks by number,
  events in order, rules, templates, trackers, and the counterparts of tasks in trackers.
- Restoring it again changes nothing. A task that only the file has is added with all its events. A task whose
  history in the file continues the one here is updated. A task whose histories have diverged is left alone
  and reported as a conflict.
- If a task's number is taken here, the restored task gets the next free one.
- Tokens and sessions are not exported: a restored claim can expire or be taken again, but not be used.
- A restored tracker is disconnected: someone here must decide which project tasks are sent to.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.kernel.errors import Invalid
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store import history, items
from holdfast.tasks.store.history import states_of
from holdfast.tasks.store.records import COLUMNS, Event, Task, TaskWorkspace, encoded, is_workspace_id

FORMAT = 1
_KIND = "holdfast-tasks"
_EXPORTED = "Give a file written by `holdfast tasks export`."
ALL_EVENTS = 2_000_000_000
"""No limit: close to the largest 32-bit integer, which any database accepts."""
_BATCH = 500
"""Tasks read at a time: a chosen bound on memory."""
NOT_EXPORTED = frozenset({"workspace", "waits", "unblocks", "claim_session", "claim_token"})
EVENT_FIELDS = ("at", "actor", "task", "version", "type", "before", "after", "reason")
TABLES = {
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
"""Tables besides those of tasks: their columns, and what to do with a row that exists already."""


def export_lines(connection: Connection, workspace: TaskWorkspace) -> Iterator[str]:
    """Yield the lines of a workspace's export."""
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
    for start in range(0, len(tasks), _BATCH):
        some = tasks[start : start + _BATCH]
        for task, state in zip(some, states_of(connection, some), strict=True):
            yield encoded({"task": _task_fields(connection, task, state)})
    for event in history.events_after(connection, workspace.id, 0, ALL_EVENTS):
        yield encoded({"event": event_fields(event)})
    for table, (names, _) in TABLES.items():
        listed = ", ".join(names.split())
        query = f"SELECT {listed} FROM {table} WHERE workspace = :id ORDER BY {listed}"
        for row in connection.execute(query, own).fetchall():
            yield encoded({table: dict(zip(names.split(), row, strict=True))})


def _task_fields(connection: Connection, task: Task, state: Mapping[str, Any]) -> dict[str, Any]:
    names = connection.execute("SELECT name FROM name WHERE task = :uid ORDER BY name", {"uid": task.uid})
    fields = {name: value for name, value in task._asdict().items() if name not in NOT_EXPORTED}
    return fields | {name: state[name] for name in items.PARTS} | {"names": [row[0] for row in names]}


def event_fields(event: Event) -> dict[str, Any]:
    """Return the exported fields of an event."""
    return {name: getattr(event, name) for name in EVENT_FIELDS}


@dataclass(frozen=True)
class ParsedExport:
    """A parsed export."""

    workspace: Mapping[str, Any]
    entries: Mapping[str, list[Mapping[str, Any]]]
    """The lines after the header, by kind."""
    histories: Mapping[str | None, list[Mapping[str, Any]]]
    """The events by task uid."""


def parse_export(lines: Iterable[str]) -> ParsedExport:
    """Parse an export; raise with the line number if it is not one."""
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise Invalid("The file is empty.", hint=_EXPORTED)
    head = _line(*numbered[0])
    workspace = head.get("workspace")
    is_export = head.get("kind") == _KIND and isinstance(workspace, dict)
    if workspace is None or not is_export or not is_workspace_id(str(workspace.get("id"))):
        raise Invalid("The file is not an export of tasks.", hint=_EXPORTED)
    if head.get("format") != FORMAT:
        raise Invalid(
            "The export has another format version.", hint="Use the Holdfast that wrote it, or a newer one."
        )
    entries: dict[str, list[Any]] = {kind: [] for kind in ("content", "task", "event", *TABLES)}
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
    return ParsedExport(workspace, entries, histories)


def _line(number: int, line: str) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except UnreadableDocument:
        raise _unreadable(number) from None
    if not isinstance(value, dict):
        raise _unreadable(number)
    return value


def _unreadable(number: int) -> Invalid:
    return Invalid(f"Line {number} of the file cannot be read.", hint="Export again. Nothing was restored.")
