"""The export format of a workspace: writes it as lines of JSON, and parses such lines.

`restoration` loads a parsed export into SQLite or PostgreSQL, with ids and history.

Contract:
- The same workspace always gives the same text: a header line, then attachment contents, tasks by number,
  events in order, rules, templates, trackers, and the counterparts of tasks in trackers.
- Restoring the same export again changes nothing. A task that only the export has is added with all its
  events. A task is updated if its history in the export continues its history here. If the two histories have
  diverged, the task stays as it is here and is reported as a conflict.
- If a task's number is taken here, the restored task gets the next free number.
- Claim tokens and sessions are not exported, so the holder of a restored claim cannot use it; the claim can
  only expire or be taken again.
- A restored tracker is disconnected: a person must decide again which project receives the tasks.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from holdfast.kernel.errors import Invalid
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.sql.sql_store import Connection
from holdfast.tasks.store import history, items
from holdfast.tasks.store.history import states_of
from holdfast.tasks.store.records import COLUMNS, Event, Task, TaskWorkspace, encoded, is_workspace_id
from holdfast.tasks.store.statements import PARAMETERS_PER_STATEMENT

FORMAT = 1
"""The version of the format; exports with another version are refused."""
_EXPORT_KIND = "holdfast-tasks"
_EXPORT_HINT = "Give a file written by `holdfast tasks export`."
OMITTED_COLUMNS = frozenset({"workspace", "waits", "unblocks", "claim_session", "claim_token"})
"""Columns of tasks that are derived, secret or valid only here."""
EVENT_FIELDS = ("at", "actor", "task", "version", "type", "before", "after", "reason")


class ExportedTable(NamedTuple):
    """The exported columns of a table, and the conflict clause for a row that already exists."""

    columns: tuple[str, ...]
    conflict: str


TABLES = {
    "rule": ExportedTable(
        ("id", "scope", "type", "text", "confidence", "source", "active", "created_at"), "(id) DO NOTHING"
    ),
    "template": ExportedTable(
        ("name", "body", "version", "active", "updated_at", "updated_by"),
        """(workspace, name) DO UPDATE SET body = excluded.body, version = excluded.version,
        active = excluded.active, updated_at = excluded.updated_at, updated_by = excluded.updated_by
        WHERE excluded.version > template.version""",
    ),
    "tracker": ExportedTable(
        ("name", "kind", "settings", "mark", "created_at", "synced_at"), "(workspace, name) DO NOTHING"
    ),
    "counterpart": ExportedTable(("tracker", "origin", "task", "url", "base", "seen"), "DO NOTHING"),
}
"""The exported tables besides those of tasks and events, in the order of the export."""


def export_lines(connection: Connection, workspace: TaskWorkspace) -> Iterator[str]:
    """Yield the lines of a workspace's export."""
    header = {name: getattr(workspace, name) for name in ("id", "name", "gate", "stack", "created_at")}
    by_workspace = {"id": workspace.id}
    yield encoded({"kind": _EXPORT_KIND, "format": FORMAT, "workspace": header})
    for sha256, data in connection.execute(
        "SELECT sha256, data FROM content WHERE sha256 IN (SELECT attachment.sha256 FROM attachment"
        " JOIN task ON task.uid = attachment.task WHERE task.workspace = :id) ORDER BY sha256",
        by_workspace,
    ).fetchall():
        yield encoded({"content": sha256, "data": base64.b64encode(bytes(data)).decode()})
    query = f"SELECT {COLUMNS} FROM task WHERE workspace = :id ORDER BY n"
    tasks = [Task._make(row) for row in connection.execute(query, by_workspace).fetchall()]
    for start in range(0, len(tasks), PARAMETERS_PER_STATEMENT):
        batch = tasks[start : start + PARAMETERS_PER_STATEMENT]
        for task, state in zip(batch, states_of(connection, batch), strict=True):
            yield encoded({"task": _task_fields(connection, task, state)})
    for event in history.events_after(connection, workspace.id, after=0, limit=None):
        yield encoded({"event": event_fields(event)})
    for table, (columns, _) in TABLES.items():
        listed = ", ".join(columns)
        query = f"SELECT {listed} FROM {table} WHERE workspace = :id ORDER BY {listed}"
        for row in connection.execute(query, by_workspace).fetchall():
            yield encoded({table: dict(zip(columns, row, strict=True))})


def _task_fields(connection: Connection, task: Task, state: Mapping[str, Any]) -> dict[str, Any]:
    names = connection.execute("SELECT name FROM name WHERE task = :uid ORDER BY name", {"uid": task.uid})
    fields = {name: value for name, value in task._asdict().items() if name not in OMITTED_COLUMNS}
    return fields | {name: state[name] for name in items.LIST_TABLES} | {"names": [row[0] for row in names]}


def event_fields(event: Event) -> dict[str, Any]:
    """Return the exported fields of an event."""
    return {name: getattr(event, name) for name in EVENT_FIELDS}


@dataclass(frozen=True)
class ParsedExport:
    """The contents of an export."""

    workspace: Mapping[str, Any]
    entries: Mapping[str, list[Mapping[str, Any]]]
    """The lines after the header, by kind: `content`, `task`, `event` and the names of `TABLES`."""
    histories: Mapping[str | None, list[Mapping[str, Any]]]
    """The events by task uid; under None, those of the workspace."""


def parse_export(lines: Iterable[str]) -> ParsedExport:
    """Parse an export; raise with the line number if it is not one."""
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise Invalid("The file is empty.", hint=_EXPORT_HINT)
    header = _parse_line(*numbered[0])
    workspace = header.get("workspace")
    is_export = header.get("kind") == _EXPORT_KIND and isinstance(workspace, dict)
    if workspace is None or not is_export or not is_workspace_id(str(workspace.get("id"))):
        raise Invalid("The file is not an export of tasks.", hint=_EXPORT_HINT)
    if header.get("format") != FORMAT:
        raise Invalid(
            "The export has another format version.", hint="Use the Holdfast that wrote it, or a newer one."
        )
    entries: dict[str, list[Any]] = {kind: [] for kind in ("content", "task", "event", *TABLES)}
    for number, line in numbered[1:]:
        entry = _parse_line(number, line)
        kind = next((name for name in entries if name in entry), None)
        value = entry if kind == "content" else entry.get(kind or "")
        if kind is None or not isinstance(value, dict) or not isinstance(value.get("task"), str | None):
            raise _unreadable_line(number)
        entries[kind].append(value)
    histories: dict[str | None, list[Mapping[str, Any]]] = {}
    for event in entries["event"]:
        histories.setdefault(event.get("task"), []).append(event)
    return ParsedExport(workspace, entries, histories)


def _parse_line(number: int, line: str) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except UnreadableDocument:
        raise _unreadable_line(number) from None
    if not isinstance(value, dict):
        raise _unreadable_line(number)
    return value


def _unreadable_line(number: int) -> Invalid:
    return Invalid(f"Line {number} of the file cannot be read.", hint="Export again. Nothing was restored.")
