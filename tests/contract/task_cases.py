"""Calls of the operations on tasks, the store they run on, and why their plain text is safe."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Draft, File
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace, write_marker
from tests.contract.case import CURSOR, Case

MOMENT = datetime(2025, 7, 1, 10, 30, tzinfo=UTC)
WORDS = "Größe \x1b[31mof\u202e it. More words"

TASK_CASES = [
    Case("taskpilot_init", ("tasks", "init"), {}),
    Case(
        "taskpilot_init", ("tasks", "init", "--done-gate", "all"), {"done_gate": "all"}, "invalid_arguments"
    ),
    Case(
        "taskpilot_start", ("tasks", "start", ".", "--agent", "Ada"), {"workspace_path": ".", "agent": "Ada"}
    ),
    Case("taskpilot_start", ("tasks", "start", "/"), {"workspace_path": "/"}, "not_found"),
    Case("taskpilot_list", ("tasks", "list"), {}),
    Case("taskpilot_list", ("tasks", "list", "--limit", "1"), {"limit": 1}),
    Case(
        "taskpilot_list", ("tasks", "list", "--limit=1", "--cursor", CURSOR), {"limit": 1, "cursor": CURSOR}
    ),
    Case("taskpilot_list", ("tasks", "list", "--ready", "--label", "x"), {"ready": True, "label": "x"}),
    Case(
        "taskpilot_list",
        ("tasks", "list", "--status", "backlog", "--status", "done", "--response-format", "detailed"),
        {"status": ["backlog", "done"], "response_format": "detailed"},
    ),
    Case("taskpilot_list", ("tasks", "list", "--cursor", "bad"), {"cursor": "bad"}, "invalid_cursor"),
    Case("taskpilot_list", ("tasks", "list", "--session", "s_1"), {"session": "s_1"}, "not_found"),
    Case(
        "taskpilot_add",
        ("tasks", "add", "Add this. Really", "--criteria", "It is there", "--depends-on", "TP-1"),
        {"task_description": "Add this. Really", "criteria": ["It is there"], "depends_on": ["TP-1"]},
    ),
    Case(
        "taskpilot_add",
        (
            "tasks",
            "add",
            "--tasks",
            '{"title": "Left", "ref": "l"}',
            "--tasks",
            '{"title": "Right", "depends_on": ["#l"]}',
        ),
        {"tasks": [{"title": "Left", "ref": "l"}, {"title": "Right", "depends_on": ["#l"]}]},
    ),
    Case("taskpilot_add", ("tasks", "add", "Try", "--dry-run"), {"task_description": "Try", "dry_run": True}),
    Case("taskpilot_add", ("tasks", "add"), {}, "invalid_arguments"),
    Case(
        "taskpilot_add",
        ("tasks", "add", "x", "--connected-files", "../x"),
        {"task_description": "x", "connected_files": ["../x"]},
        "invalid_path",
    ),
    Case(
        "taskpilot_create_task",
        ("tasks", "create-task", "Create this", "--priority", "High", "--connected-files", "src/main.py:1-2"),
        {"task_description": "Create this", "priority": "High", "connected_files": ["src/main.py:1-2"]},
    ),
    Case(
        "taskpilot_create_task",
        ("tasks", "create-task", "x", "--parent-task-id", "TP-999"),
        {"task_description": "x", "parent_task_id": "TP-999"},
        "not_found",
    ),
    Case(
        "taskpilot_update",
        (
            "tasks",
            "update",
            "TP-2",
            "--set",
            '{"title": "Two", "status": "In-Progress"}',
            "--if-version",
            "1",
        ),
        {"task_id": "TP-2", "set": {"title": "Two", "status": "In-Progress"}, "if_version": 1},
    ),
    Case(
        "taskpilot_update",
        ("tasks", "update", "TP-2", "--field", "notes", "--value", "Seen", "--if-version", "1"),
        {"task_id": "TP-2", "field": "notes", "value": "Seen", "if_version": 1},
        "out_of_date",
    ),
    Case(
        "taskpilot_update",
        ("tasks", "update", "TP-1", "--add", '{"depends_on": ["TP-3"]}'),
        {"task_id": "TP-1", "add": {"depends_on": ["TP-3"]}},
        "dependency_cycle",
    ),
    Case(
        "taskpilot_update",
        ("tasks", "update", "TP-2", "--field", "status", "--value", "done"),
        {"task_id": "TP-2", "field": "status", "value": "done"},
        "done_gate",
    ),
    Case(
        "taskpilot_update",
        ("tasks", "update", "TP-2", "--field", "progress", "--value", "many"),
        {"task_id": "TP-2", "field": "progress", "value": "many"},
        "invalid_arguments",
    ),
    Case("taskpilot_claim", ("tasks", "claim", "next", "--agent", "Ada"), {"action": "next", "agent": "Ada"}),
    Case(
        "taskpilot_claim",
        ("tasks", "claim", "take", "TP-1", "--agent", "Bob"),
        {"action": "take", "task_id": "TP-1", "agent": "Bob"},
        "already_claimed",
    ),
    Case(
        "taskpilot_claim",
        ("tasks", "claim", "renew", "TP-1", "--agent", "Ada", "--response-format", "detailed"),
        {"action": "renew", "task_id": "TP-1", "agent": "Ada", "response_format": "detailed"},
    ),
    Case(
        "taskpilot_claim",
        ("tasks", "claim", "release", "TP-1", "--token", "0000"),
        {"action": "release", "task_id": "TP-1", "token": "0000"},
        "lease_expired",
    ),
    Case(
        "taskpilot_claim",
        ("tasks", "claim", "handoff", "TP-1", "--agent", "Ada", "--note", "Half done"),
        {"action": "handoff", "task_id": "TP-1", "agent": "Ada", "note": "Half done"},
    ),
    Case(
        "taskpilot_claim", ("tasks", "claim", "next", "--label", "none"), {"action": "next", "label": "none"}
    ),
    Case("taskpilot_claim", ("tasks", "claim", "take"), {"action": "take"}, "invalid_arguments"),
    Case("taskpilot_status", ("tasks", "status"), {}),
    Case("taskpilot_status", ("tasks", "status", "--include", "chart"), {"include": ["chart"]}),
    Case("taskpilot_status", ("tasks", "status", "--detailed"), {"detailed": True}),
    Case("taskpilot_audit", ("tasks", "audit"), {}),
    Case("taskpilot_audit", ("tasks", "audit", "--scope", "files"), {"scope": "files"}),
    Case("taskpilot_audit", ("tasks", "audit", "--fix-issues"), {"fix_issues": True}),
    Case("taskpilot_rule_update", ("tasks", "rules"), {}),
    Case("taskpilot_rules", ("tasks", "list-rules", "--rule-type", "git"), {"rule_type": "git"}),
    Case("taskpilot_rules", ("tasks", "list-rules", "--cursor", "x"), {"cursor": "x"}, "invalid_cursor"),
    Case(
        "taskpilot_rule_update",
        ("tasks", "rules", "add", "--rule-type", "git", "--rule-content", "Sign commits."),
        {"action": "add", "rule_type": "git", "rule_content": "Sign commits."},
    ),
    Case(
        "taskpilot_rule_update",
        ("tasks", "rules", "detect", "--rule-content", "Never push on Friday. Thanks"),
        {"action": "detect", "rule_content": "Never push on Friday. Thanks"},
    ),
    Case(
        "taskpilot_rule_update",
        ("tasks", "rules", "remove", "--rule-id", "r_0"),
        {"action": "remove", "rule_id": "r_0"},
        "not_found",
    ),
    Case(
        "taskpilot_update_resources",
        ("tasks", "document", "project.md", "--content", "# Kelp\n"),
        {"resource_type": "project.md", "content": "# Kelp\n"},
    ),
    Case(
        "taskpilot_update_resources",
        ("tasks", "document", "project.md", "--content", "x", "--if-sha256", "0" * 64),
        {"resource_type": "project.md", "content": "x", "if_sha256": "0" * 64},
        "out_of_date",
    ),
]

_ID = "TP- and a number"
_OURS = "a sentence or name that stands in our code"
_TIME = "a moment, written by us as RFC 3339"
_WORKSPACE = "an id, made by us or checked against a pattern of letters, digits and hyphens"
_REPORTED = ("operation", "next_steps")

TASK_PLAIN_TEXT = {
    "AgentOut.last_seen": _TIME,
    "AttachmentOut.uri": "an address made of our ids and a checksum",
    "AuditFinding.fix": _OURS,
    "AuditFinding.task_id": _ID,
    "AuditResult.fixed": "words of ours and ids",
    "BlockedTask.id": _ID,
    "Bottleneck.id": _ID,
    "ClaimOut.expires_at": _TIME,
    "ClaimOut.since": _TIME,
    "ClaimOut.token": "hexadecimal digits that we made",
    "Completion.blockers": _ID,
    "DocumentWritten.sha256": "hexadecimal digits of a checksum",
    "DocumentWritten.uri": "an address made of our id and one of two names",
    "Likeness.like": _ID,
    "Likeness.title": "words of ours and a number",
    "Needed.id": _ID,
    "RuleOut.id": "hexadecimal digits of a checksum",
    "SessionOut.expires_at": _TIME,
    "SessionOut.id": "hexadecimal digits that we made",
    "SessionStarted.rules_uri": "an address made of our id",
    "StatusResult.chart_uri": "an address made of our id",
    "StatusResult.recommendations": "words of ours, ids and numbers",
    "TaskDetail.blocks": _ID,
    "TaskDetail.completed_at": _TIME,
    "TaskDetail.created_at": _TIME,
    "TaskDetail.id": _ID,
    "TaskDetail.parent_id": _ID,
    "TaskDetail.started_at": _TIME,
    "TaskDetail.updated_at": _TIME,
    "RulesResult.next_cursor": "an opaque cursor, encoded by us",
    "TaskPage.next_cursor": "an opaque cursor, encoded by us",
    "TaskReceipt.id": _ID,
    "TaskRef.id": _ID,
    "TaskUpdated.unblocked": _ID,
    "TasksAdded.existing": _ID,
    "WorkspaceInitialized.tech_stack": _OURS,
    "WorkspaceRef.created_at": _TIME,
    "WorkspaceRef.id": _WORKSPACE,
    "WorkspaceRef.path": "always a full stop: paths of this machine are not shown",
    **{
        f"{model}.{name}": _OURS
        for name in _REPORTED
        for model in (
            "AuditResult",
            "ClaimResult",
            "DocumentWritten",
            "RulesResult",
            "SessionStarted",
            "StatusResult",
            "TaskCreated",
            "TaskPage",
            "TaskUpdated",
            "TasksAdded",
            "WorkspaceInitialized",
        )
    },
}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""


def fill_tasks(path: Path) -> None:
    """Give a repository the same tasks every time."""
    repository = Repository.discover(path)
    write_marker(repository, "contract")
    room = Tasks(repository, clock=lambda: MOMENT)
    ensure_workspace(room, "Contract", [], "criteria")
    drafts = [
        Draft(
            "Begin", WORDS, priority="high", criteria=["It begins"], labels=["x"], files=[File("src/main.py")]
        ),
        Draft("Go on", parent="TP-1", notes="Hidden \x1b[31mred\u202e text", criteria=["It goes on"]),
    ]
    for draft in drafts:
        room.create([draft], CallerIdentity("ada"))
    room.close()
