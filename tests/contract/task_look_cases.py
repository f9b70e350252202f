"""Calls of what shows tasks: charts, attachments, single tasks; and why their plain text is safe."""

from __future__ import annotations

from tests.contract.case import CURSOR, Case

DATA = "S2VscA=="

TASK_LOOK_CASES = [
    Case("taskpilot_workspaces", ("tasks", "workspaces")),
    Case("taskpilot_health", ("tasks", "health")),
    Case("taskpilot_board", ("tasks", "board")),
    Case(
        "taskpilot_board",
        ("tasks", "board", "--task-ids", "TP-1", "--sort", "updated"),
        {"task_ids": ["TP-1"], "sort": "updated"},
    ),
    Case("taskpilot_board", ("tasks", "board", "--limit", "501"), {"limit": 501}, "invalid_arguments"),
    Case("taskpilot_show", ("tasks", "show", "TP-1"), {"task_id": "TP-1"}),
    Case("taskpilot_show", ("tasks", "show", "TP-999"), {"task_id": "TP-999"}, "not_found"),
    Case("taskpilot_events", ("tasks", "events")),
    Case("taskpilot_events", ("tasks", "events", "TP-1"), {"task_id": "TP-1"}),
    Case(
        "taskpilot_events",
        ("tasks", "events", "--actor", "ada", "--limit", "1"),
        {"actor": "ada", "limit": 1},
    ),
    Case(
        "taskpilot_events",
        ("tasks", "events", "--actor", "ada", "--limit", "1", "--cursor", CURSOR),
        {"actor": "ada", "limit": 1, "cursor": CURSOR},
    ),
    Case("taskpilot_events", ("tasks", "events", "TP-999"), {"task_id": "TP-999"}, "not_found"),
    Case("taskpilot_events", ("tasks", "events", "--cursor", "bad"), {"cursor": "bad"}, "invalid_cursor"),
    Case("taskpilot_graph", ("tasks", "graph")),
    Case(
        "taskpilot_chart", ("tasks", "chart", "graph", "--format", "svg"), {"kind": "graph", "format": "svg"}
    ),
    Case("taskpilot_chart", ("tasks", "chart", "pie"), {"kind": "pie"}, "invalid_arguments"),
    Case(
        "taskpilot_attach",
        ("tasks", "attach", "TP-1", "--data", DATA, "--name", "kelp.txt"),
        {"task_id": "TP-1", "data": DATA, "name": "kelp.txt"},
    ),
    Case(
        "taskpilot_attach",
        ("tasks", "attach", "TP-1", "src/main.py"),
        {"task_id": "TP-1", "path": "src/main.py"},
    ),
    Case(
        "taskpilot_attach",
        ("tasks", "attach", "TP-1", "../x"),
        {"task_id": "TP-1", "path": "../x"},
        "invalid_path",
    ),
    Case(
        "taskpilot_attachment",
        ("tasks", "attachment", "TP-1", "kelp.txt"),
        {"task_id": "TP-1", "name": "kelp.txt"},
    ),
    Case(
        "taskpilot_attachment",
        ("tasks", "attachment", "TP-1", "none"),
        {"task_id": "TP-1", "name": "none"},
        "not_found",
    ),
]

_ID = "TP and a number"
_TIME = "a moment, written by us as RFC 3339"
_OURS = "a word that stands in our code"
_SUM = "hexadecimal digits of a checksum"
_ADDRESS = "an address made of our own names and of a checksum"
_ENCODED = "Base64: letters that nobody reads as words"

TASK_LOOK_PLAIN_TEXT = {
    **{
        f"{model}.{name}": _OURS
        for model in ("Attached", "AttachedFile", "Board", "Chart", "EventPage", "Graph", "ShownTask")
        for name in ("operation", "next_steps")
    },
    "AttachedFile.data": _ENCODED,
    "Health.operation": _OURS,
    "AttachedFile.sha256": _SUM,
    "AttachedFile.task_id": _ID,
    "Attached.sha256": _SUM,
    "AttachmentOut.uri": _ADDRESS,
    "Board.next_cursor": "Base64 of our own fields",
    "TaskCard.id": _ID,
    "TaskCard.lacks": "a sentence that stands in our code, with numbers",
    **{f"TaskCard.{name}": _TIME for name in ("lease_until", "updated_at")},
    "Chart.data": _ENCODED,
    "Chart.mime_type": _OURS,
    "Chart.uri": _ADDRESS,
    "Edge.needs": _ID,
    "Edge.task": _ID,
    "EventOut.at": _TIME,
    "EventOut.changed": _OURS,
    "EventOut.task_id": _ID,
    "EventOut.type": _OURS,
    "EventPage.next_cursor": "an opaque cursor, encoded by us",
    "HeldTask.expires_at": _TIME,
    "HeldTask.id": _ID,
    "HeldTask.since": _TIME,
    "Node.id": _ID,
    "WorkspaceSummary.active_task": _ID,
    "WorkspaceSummary.created_at": _TIME,
    "WorkspaceSummary.id": "a name that we made: letters, digits and hyphens",
    "WorkspaceSummary.last_activity": _TIME,
    "WorkspaceSummary.path": _OURS,
    "WorkspaceSummary.status": _OURS,
    "Workspaces.operation": _OURS,
}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""
