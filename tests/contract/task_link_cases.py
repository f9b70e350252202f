"""Calls of what ties tasks to the world around them, and why their plain text is safe."""

from __future__ import annotations

from pathlib import Path

from holdfast.inbox.envelope import digest_of, message_id
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace, write_marker
from tests.contract.case import Case

WORDS = "Größe \x1b[31mof\u202e it. More words"
# One of those that every prepared repository has.
MESSAGE = message_id(digest_of("README.md", "Hidden \x1b[31mred\u202e text", "2025-07-01T10:32:00Z"))
CHECK_LIST = "- [ ] First #tag\n  - [x] Part\n"
ODD_LIST = "- [%] Odd\n"
"""A mark that nobody knows: the task comes over, and the report says so."""

TASK_LINK_CASES = [
    Case("taskpilot_focus", ("tasks", "focus", "TP-1", "--peek"), {"task_id": "TP-1", "peek": True}),
    Case(
        "taskpilot_focus",
        ("tasks", "focus", "1", "--peek", "--response-format", "detailed"),
        {"task_id": "1", "peek": True, "response_format": "detailed"},
    ),
    Case("taskpilot_focus", ("tasks", "focus", "TP-999"), {"task_id": "TP-999"}, "not_found"),
    Case(
        "taskpilot_from",
        ("tasks", "from", MESSAGE, "--priority", "high"),
        {"source": MESSAGE, "priority": "high"},
    ),
    Case("taskpilot_from", ("tasks", "from", MESSAGE), {"source": MESSAGE}),
    Case("taskpilot_from", ("tasks", "from", "nothing"), {"source": "nothing"}, "invalid_arguments"),
    Case("taskpilot_from", ("tasks", "from", "../x#c_1"), {"source": "../x#c_1"}, "invalid_path"),
    Case(
        "taskpilot_import",
        ("tasks", "import", "todo", "todo.md", "--dry-run"),
        {"format": "todo", "path": "todo.md", "dry_run": True},
    ),
    Case("taskpilot_import", ("tasks", "import", "auto", "todo.md"), {"format": "auto", "path": "todo.md"}),
    Case(
        "taskpilot_import",
        ("tasks", "import", "auto", "odd.md"),
        {"format": "auto", "path": "odd.md"},
        attention=True,
    ),
    Case("taskpilot_import", ("tasks", "import", "todo", "todo.md"), {"format": "todo", "path": "todo.md"}),
    Case(
        "taskpilot_import",
        ("tasks", "import", "todo", "../x"),
        {"format": "todo", "path": "../x"},
        "invalid_path",
    ),
    Case("taskpilot_github", ("tasks", "github", "status"), {"action": "status"}),
    Case("taskpilot_github", ("tasks", "github", "sync"), {"action": "sync"}, "not_found"),
    Case(
        "taskpilot_remote_interface",
        ("tasks", "remote", "jira", "list"),
        {"interface_type": "jira", "action": "list"},
    ),
    Case(
        "taskpilot_remote_interface",
        ("tasks", "remote", "trello", "connect", "--config", '{"board": "b1"}'),
        {"interface_type": "trello", "action": "connect", "config": '{"board": "b1"}'},
        "denied",
    ),
    Case(
        "taskpilot_generate_prompt",
        ("tasks", "prompt", "start_task", "--context", '{"task_id": "TP-1"}'),
        {"operation": "start_task", "context": {"task_id": "TP-1"}},
    ),
    Case("taskpilot_generate_prompt", ("tasks", "prompt", "odd"), {"operation": "odd"}, "invalid_arguments"),
]

_OURS = "a sentence or name that stands in our code"
_TIME = "a moment, written by us as RFC 3339"
_ID = "TP- and a number"

_REPORTS = ("Focus", "GeneratedPrompt", "ImportReport", "TaskFromResult", "TrackerReport")

TASK_LINK_PLAIN_TEXT = {
    **{f"{report}.{name}": _OURS for report in _REPORTS for name in ("operation", "next_steps")},
    "Focus.absent": _OURS,
    "Focus.done_gate": "one of four words, checked when it is stored",
    "GeneratedPrompt.description": _OURS,
    "GeneratedPrompt.prompt": _OURS,
    "GeneratedPrompt.title": _OURS,
    "More.what": _OURS,
    "FocusRule.type": "one of six words of ours",
    "SyncStep.fields": "names of fields of ours",
    "SyncStep.task_id": _ID,
    "TrackerOut.kind": "one of six words of ours",
    "TrackerOut.last_sync": _TIME,
    "TrackerReport.action": _OURS,
    "Unreadable.room": _OURS,
}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""


def fill_task_links(path: Path) -> None:
    """Give a repository a list to import, and a task if it has none."""
    repository = Repository.discover(path)
    (path / "todo.md").write_text(CHECK_LIST, encoding="utf-8")
    (path / "odd.md").write_text(ODD_LIST, encoding="utf-8")
    room = Tasks.open(repository)
    if not room.exists:
        write_marker(repository, "contract")
        ensure_workspace(room, "Contract", [], "criteria")
    if not room.find(Query(limit=1)).total:
        room.create([Draft("Begin", WORDS, criteria=["It begins"], labels=["x"])], CallerIdentity("ada"))
    room.close()
