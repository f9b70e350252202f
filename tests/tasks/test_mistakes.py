"""What somebody gets told who asks for the wrong thing: enough to do the right one next."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace, set_gate, write_marker
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

ME = CallerIdentity("ada")


@pytest.fixture
def workspace(repository: Path) -> Iterator[Workspace]:
    opened = Workspace.discover(repository)
    ensure_workspace(opened.room("tasks"), "kelp", [], "criteria")
    opened.room("tasks").create([Draft("One"), Draft("Two"), Draft("Three")], ME)
    yield opened
    opened.close()


@pytest.fixture
def room(workspace: Workspace) -> Tasks:
    found: Tasks = workspace.room("tasks")
    return found


def ask(workspace: Workspace, name: str, /, **arguments: Any) -> dict[str, Any]:
    dispatcher = Dispatcher(full_registry(), workspace.room)
    operation = dispatcher.registry.operation(name)
    return dispatcher.run(operation, arguments, dispatcher.new_call(operation)).wire()


def refused(workspace: Workspace, name: str, /, **arguments: Any) -> str:
    """Return what is said, with the next step."""
    with pytest.raises(HoldfastError) as failure:
        ask(workspace, name, **arguments)
    return f"{failure.value.message} {failure.value.hint or ''}"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("taskpilot_start", {"workspace_path": "/"}, 'Pass "."'),
        ("taskpilot_add", {"title": "x" * 201}, "200 characters"),
        ("taskpilot_add", {"task_description": "x", "depends_on": ["needs:TP-1"]}, "related:TP-3"),
        ("taskpilot_claim", {"action": "next", "task_id": "TP-2"}, "`take`"),
        ("taskpilot_claim", {"action": "take", "task_id": "TP-2", "label": "x"}, "only `next`"),
        ("taskpilot_claim", {"action": "take", "task_id": "TP-2", "note": "x"}, "`take` takes no `note`"),
        ("taskpilot_claim", {"action": "renew", "task_id": "TP-2", "resume": True}, "only `take`"),
        ("taskpilot_claim", {"action": "release"}, "needs `task_id`"),
        ("taskpilot_update", {"task_id": "TP-1", "field": "status"}, "`field` needs `value`"),
        ("taskpilot_update", {"task_id": "TP-1", "field": "status", "value": "don"}, 'Did you mean "done"'),
        ("taskpilot_update", {"task_id": "TP-1", "field": "progress", "value": "half"}, "integer"),
        (
            "taskpilot_update",
            {"task_id": "TP-1", "field": "progress", "value": "101"},
            "less than or equal to 100",
        ),
        ("taskpilot_update", {"task_id": "TP-1", "set": {"statsu": "done"}}, 'Did you mean "status"'),
        ("taskpilot_update", {"task_id": "TP-1", "set": {"parent_id": "TP-1"}}, "another parent"),
        ("taskpilot_update", {"task_id": "TP-1", "remove": {"links": ["x"]}}, "an object"),
        ("taskpilot_list", {"status": "backlog"}, "a list"),
        ("taskpilot_events", {"after": 2**63}, "at most 9223372036854775807"),
        ("taskpilot_events", {"after": 1e300}, "at most 9223372036854775807"),
        ("taskpilot_update_steps", {"step_name": "validate", "content": "x", "if_version": 2**63}, "at most"),
        ("taskpilot_update", {"task_id": "TP-1", "set": {"progress": 1}, "if_version": 2**63}, "at most"),
        ("taskpilot_list", {"connected_file": "/etc/hosts"}, "relative"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(
    workspace: Workspace, name: str, arguments: dict[str, Any], told: str
):
    assert told in refused(workspace, name, **arguments)


def test_a_circle_in_a_batch_is_told_by_the_names_of_the_batch(workspace: Workspace, room: Tasks):
    tasks = [
        {"title": "Left", "ref": "l", "depends_on": ["#r"]},
        {"title": "R", "ref": "r", "depends_on": ["#l"]},
    ]
    assert "#l → #r → #l" in refused(workspace, "taskpilot_add", tasks=tasks)
    assert ask(workspace, "taskpilot_list")["total"] == 3


def test_a_part_cannot_become_the_whole_of_its_whole(workspace: Workspace):
    ask(workspace, "taskpilot_update", task_id="TP-2", set={"parent_id": "TP-1"})
    told = refused(workspace, "taskpilot_update", task_id="TP-1", set={"parent_id": "TP-2"})
    assert "TP-1 would be a subtask of itself: TP-1 → TP-2 → TP-1" in told


def test_evidence_that_proves_nothing_is_told_from_none(workspace: Workspace, room: Tasks):
    set_gate(room, "evidence")
    ask(workspace, "taskpilot_update", task_id="TP-1", set={"status": "in-progress"})
    failed = {"kind": "test", "ref": "pytest", "exit_status": 1}
    done = {"task_id": "TP-1", "set": {"status": "done"}}
    assert "there is no evidence" in refused(workspace, "taskpilot_update", **done)
    told = refused(workspace, "taskpilot_update", **done, evidence=[failed])
    assert "proves it" in told
    assert "failed commands do not count" in told


def test_blocked_by_says_all_that_a_task_waits_for_and_leaves_other_relations(workspace: Workspace):
    ask(workspace, "taskpilot_update", task_id="TP-1", add={"depends_on": ["TP-2", "related:TP-3"]})
    for value, needs in (("TP-3", ["TP-3"]), ("", None)):
        ask(workspace, "taskpilot_update", task_id="TP-1", field="blocked_by", value=value)
        shown = ask(workspace, "taskpilot_show", task_id="TP-1")["task"]
        assert shown.get("blocked_by") == needs
        assert {"id": "TP-3", "kind": "related", "status": "backlog"} in shown["depends_on"]


def test_lists_know_states_and_priorities_in_any_case_and_whose_tasks_they_are(workspace: Workspace):
    ask(workspace, "taskpilot_claim", action="take", task_id="TP-2", agent="bob")
    assert ask(workspace, "taskpilot_list", status=["Backlog"], priority="Medium")["total"] == 2
    assert [task["id"] for task in ask(workspace, "taskpilot_list", agent="bob")["tasks"]] == ["TP-2"]
    ask(workspace, "taskpilot_update", task_id="TP-3", add={"connected_files": ["a.py"]})
    assert ask(workspace, "taskpilot_list", connected_file="./a.py")["total"] == 1


def test_a_clone_is_told_where_its_tasks_are_and_gets_no_second_beginning(
    workspace: Workspace, repository: Path, tmp_path: Path
):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repository), str(clone)], check=True, capture_output=True)
    write_marker(Repository.at(clone), workspace.room("tasks").workspace().id)
    elsewhere = Workspace.discover(clone)
    assert "holdfast tasks restore" in refused(elsewhere, "taskpilot_list")
    begun = ask(elsewhere, "taskpilot_init")
    assert (begun["tasks_created"], begun["workspace"]["id"]) == ([], workspace.room("tasks").workspace().id)
    assert "holdfast tasks restore" in begun["next_steps"][0]
    elsewhere.close()


def test_attachments_have_plain_names_and_registered_types(workspace: Workspace):
    data = base64.b64encode(b"RIFF").decode()
    for name in ("../x", "a/b", "a\\b", ".hidden"):
        assert "without folders" in refused(
            workspace, "taskpilot_attach", task_id="TP-1", data=data, name=name
        )
    kept = ask(workspace, "taskpilot_attach", task_id="TP-1", data=data, name="note.wav")
    assert kept["attachment"]["mime"] == "audio/wav"
