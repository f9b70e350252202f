"""Results stay small enough for a model to read, however large the workspace and its texts are.

A token is taken as four bytes of JSON: 2,000 by default, 8,000 at most when somebody asks for all there is.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Draft, File, TaskLink
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.tasks.claims import claim

DEFAULT_BYTES = 2_000 * 4
MAX_BYTES = 8_000 * 4
ME = CallerIdentity("tester")
pytestmark = pytest.mark.requirement("tasks-46")


@pytest.fixture(scope="module")
def dispatcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dispatcher]:
    path = tmp_path_factory.mktemp("large")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(path)], check=True)
    workspace = Workspace(Repository.at(path))
    opened = Dispatcher(full_registry(), workspace.room)
    run(opened, "taskpilot_init", project_name="A project with a long name " * 5)
    fill(workspace)
    for number in range(60):
        run(
            opened,
            "taskpilot_rule_update",
            action="add",
            rule_type="coding",
            rule_content=" ".join(f"word{number}x{part}" for part in range(80)),
        )
    yield opened
    workspace.close()


def fill(workspace: Workspace) -> None:
    drafts = [
        Draft(
            f"Task {number} {'with a title as long as titles get ' * 6}"[:199],
            "Many words about what is to be done. " * 1300,
            priority=("high", "medium", "low")[number % 3],
            labels=[f"label-{number % 7}-{part}" for part in range(10)],
            criteria=[f"Criterion {part} {'that says a lot ' * 11}" for part in range(20)],
            files=[File(f"src/{'long_path/' * 15}part_{number}_{part}.py") for part in range(20)],
            links=[
                TaskLink("url", f"https://example.org/{'path/' * 30}{number}/{part}", None, "A title " * 20)
                for part in range(20)
            ],
            notes="Notes upon notes. " * 2500,
            plan="Plans upon plans. " * 2500,
            milestone="A milestone of some other tracker " * 5,
        )
        for number in range(1000)
    ]
    workspace.room("tasks").create(drafts, ME)
    needs = [(f"TP-{number}", "blocks") for number in range(7, 47)]
    waiting = [Draft(f"Waits {number}", depends_on=needs, parent="TP-6") for number in range(100)]
    workspace.room("tasks").create(waiting, ME)
    for number in range(200, 230):
        claim(
            workspace.room("tasks"),
            f"TP-{number}",
            CallerIdentity(f"agent {number} {'of a long name ' * 12}"),
        )


def run(dispatcher: Dispatcher, name: str, /, **arguments: Any) -> dict[str, Any]:
    operation = dispatcher.registry.operation(name)
    return dispatcher.run(operation, arguments, dispatcher.new_call(operation)).wire()


def size(result: dict[str, Any]) -> int:
    return len(json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode())


DEFAULTS: list[tuple[str, dict[str, Any]]] = [
    ("taskpilot_init", {}),
    ("taskpilot_start", {"workspace_path": "."}),
    ("taskpilot_list", {}),
    ("taskpilot_status", {}),
    ("taskpilot_audit", {}),
    ("taskpilot_rule_update", {}),
    ("taskpilot_focus", {"task_id": "TP-9", "peek": True}),
    ("taskpilot_claim", {}),
    ("taskpilot_update", {"task_id": "TP-10", "set": {"description": "New words. " * 4000}}),
    ("taskpilot_add", {"task_description": "Add one more. " * 1000}),
    ("taskpilot_create_task", {"task_description": "And another. " * 1000}),
    ("taskpilot_attach", {"task_id": "TP-11", "data": "S2VscA==", "name": "kelp.txt"}),
    ("taskpilot_update_resources", {"resource_type": "project.md", "content": "# Words\n" * 4000}),
    ("taskpilot_github", {"action": "status"}),
    ("taskpilot_remote_interface", {"interface_type": "jira", "action": "list"}),
    ("taskpilot_workspaces", {}),
    ("taskpilot_list", {"blocked": True}),
    ("taskpilot_status", {"include": ["recommendations", "rules", "agents", "chart"]}),
    ("taskpilot_focus", {"task_id": "TP-1100", "peek": True}),
    ("taskpilot_focus", {"task_id": "TP-6", "peek": True}),
    ("taskpilot_graph", {}),
    ("taskpilot_steps", {}),
    ("taskpilot_flows", {}),
    ("taskpilot_generate_prompt", {"operation": "plan_work"}),
    ("taskpilot_generate_prompt", {"operation": "start_task", "context": {"task_id": "TP-6"}}),
    ("taskpilot_generate_prompt", {"operation": "session_handoff"}),
]

DETAILED: list[tuple[str, dict[str, Any]]] = [
    ("taskpilot_list", {"limit": 100, "response_format": "detailed"}),
    ("taskpilot_list", {"limit": 100}),
    ("taskpilot_status", {"detailed": True}),
    ("taskpilot_focus", {"task_id": "TP-9", "peek": True, "response_format": "detailed"}),
    ("taskpilot_claim", {"response_format": "detailed"}),
    ("taskpilot_audit", {"scope": "full"}),
    ("taskpilot_list", {"limit": 100, "blocked": True}),
    ("taskpilot_focus", {"task_id": "TP-1100", "peek": True, "response_format": "detailed"}),
    ("taskpilot_show", {"task_id": "TP-6"}),
    ("taskpilot_graph", {"limit": 500}),
    ("taskpilot_steps", {"response_format": "detailed"}),
    ("taskpilot_flows", {"include": ["steps"]}),
    ("taskpilot_add", {"tasks": [{"title": f"{number} {'x' * 190}"} for number in range(50)]}),
]


@pytest.mark.parametrize(
    ("name", "arguments"), DEFAULTS, ids=[f"{name} {list(given)}" for name, given in DEFAULTS]
)
def test_a_default_result_is_small(dispatcher: Dispatcher, name: str, arguments: dict[str, Any]):
    assert size(run(dispatcher, name, **arguments)) <= DEFAULT_BYTES


@pytest.mark.parametrize(
    ("name", "arguments"), DETAILED, ids=[f"{name} {list(given)}" for name, given in DETAILED]
)
def test_a_detailed_result_has_an_end_and_says_that_it_was_cut(
    dispatcher: Dispatcher, name: str, arguments: dict[str, Any]
):
    assert size(run(dispatcher, name, **arguments)) <= MAX_BYTES


def test_a_page_that_is_cut_leads_on(dispatcher: Dispatcher):
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(200):
        page = run(
            dispatcher, "taskpilot_list", limit=100, response_format="detailed", label="label-1-1", **cursor
        )
        seen += [task["id"] for task in page.get("details", [])]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert len(seen) == len(set(seen)) == page["total"]


def test_rules_come_in_pages_that_lead_on(dispatcher: Dispatcher):
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(30):
        page = run(dispatcher, "taskpilot_rule_update", **cursor)
        assert size(page) <= DEFAULT_BYTES
        seen += [rule["id"] for rule in page["rules"]]
        if "next_cursor" not in page:
            break
        assert page["truncated"]
        cursor = {"cursor": page["next_cursor"]}
    assert len(seen) == len(set(seen)) == page["total"] > 60


def test_a_task_that_was_cut_says_so_and_is_there_whole(dispatcher: Dispatcher):
    cut = run(dispatcher, "taskpilot_show", task_id="TP-6")["task"]
    whole = run(dispatcher, "taskpilot_show", task_id="TP-6", whole=True)["task"]
    assert cut["truncated"]
    assert "truncated" not in whole
    assert whole["description"].startswith(cut["description"][:-1].rstrip())
    assert len(whole["subtasks"]) == 100 > len(cut["subtasks"])
    focus = run(dispatcher, "taskpilot_focus", task_id="TP-6", peek=True)
    told = {item["what"]: item for item in focus["more"]}
    assert focus["truncated"]
    assert told["task"]["uri"].endswith("/tasks/TP-6")
    assert told["subtasks"] == {"what": "subtasks", "shown": len(focus["task"]["subtasks"]), "total": 100}


def test_words_are_shorter_than_data(dispatcher: Dispatcher):
    for name, arguments in DEFAULTS:
        operation = dispatcher.registry.operation(name)
        result = dispatcher.run(operation, arguments, dispatcher.new_call(operation))
        assert len(operation.as_text(result)) <= 4000


def test_every_listed_tool_of_the_room_is_held_to_its_budget(dispatcher: Dispatcher):
    listed = {item.name for item in dispatcher.registry.operations if item.toolset == "tasks" and item.listed}
    one_task = {"taskpilot_from"}
    assert listed - one_task <= {name for name, _ in DEFAULTS}
