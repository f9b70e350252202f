"""The task specification's server, over pipes and HTTP, in every kind of revision."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.faces.mcp.talking import WAYS, Talk, talking

ELEVEN = {
    "taskpilot_init",
    "taskpilot_start",
    "taskpilot_add",
    "taskpilot_create_task",
    "taskpilot_status",
    "taskpilot_update",
    "taskpilot_audit",
    "taskpilot_focus",
    "taskpilot_github",
    "taskpilot_rule_update",
    "taskpilot_remote_interface",
}


@pytest.fixture(scope="module", params=WAYS)
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """Talk to a server of the profile in a repository with a workspace and four tasks."""
    repository = _new_repository(tmp_path_factory.mktemp("taskpilot"))
    with talking(request.param, repository, "--profile", "taskpilot") as opened:
        opened.data("taskpilot_init", workspace_path=str(repository), project_name="kelp")
        yield opened


@pytest.fixture(scope="module", params=WAYS)
def everything(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """Talk to a server that offers everything, in a repository with a workspace."""
    repository = _new_repository(tmp_path_factory.mktemp("everything"))
    with talking(request.param, repository) as opened:
        opened.data("taskpilot_init", project_name="kelp")
        yield opened


def _new_repository(path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(path)], check=True)
    (path / "pyproject.toml").write_text("[project]\nname = 'kelp'\n")
    return path


def tools(talk: Talk) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool for tool in talk.result("tools/list")["tools"]}


@pytest.mark.requirement("tasks-1")
def test_capabilities_are_those_the_specification_asks_for(talk: Talk):
    capabilities = talk.greeting["capabilities"]
    assert capabilities["tools"]["listChanged"] is True
    assert capabilities["resources"] == {"subscribe": True, "listChanged": True}
    assert "prompts" in capabilities


@pytest.mark.requirement("tasks-2")
def test_lists_are_paged_by_cursors_of_ours_only(talk: Talk):
    assert "nextCursor" not in talk.result("tools/list")
    for method in ("tools/list", "resources/list"):
        assert talk.ask(method, cursor="bad")["error"]["code"] == -32602


@pytest.mark.requirement("tasks-3", "tasks-4")
def test_exactly_the_eleven_tools_are_listed_with_all_that_describes_them(talk: Talk):
    listed = tools(talk)
    assert set(listed) == ELEVEN
    for tool in listed.values():
        assert tool["title"]
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert tool["outputSchema"]["type"] == "object"
        assert tool["annotations"]
    init = listed["taskpilot_init"]
    assert init["title"] == "🚀 Initialize TaskPilot Workspace"
    assert init["description"] == (
        "Initialize a TaskPilot workspace with .task folder structure and configuration"
    )


@pytest.mark.requirement("tasks-5")
def test_start_asks_for_the_path_of_the_workspace(talk: Talk):
    schema = tools(talk)["taskpilot_start"]["inputSchema"]
    assert "workspace_path" in schema["required"]
    assert schema["properties"]["workspace_path"]["description"] == (
        "Absolute path to the workspace directory"
    )


@pytest.mark.requirement("tasks-6")
def test_annotations_are_the_specifications_beside_the_protocols(talk: Talk):
    for tool in tools(talk).values():
        annotations = tool["annotations"]
        assert isinstance(annotations["category"], str)
        assert isinstance(annotations["destructive"], bool)
        assert isinstance(annotations["requiresConfirmation"], bool)
        assert isinstance(annotations["readOnlyHint"], bool)
        assert isinstance(annotations["destructiveHint"], bool)
    assert tools(talk)["taskpilot_init"]["annotations"]["category"] == "workspace-management"


@pytest.mark.requirement("tasks-7", "tasks-16")
def test_arguments_are_checked_before_any_work_and_failures_are_results(talk: Talk):
    before = talk.data("taskpilot_status")["total"]
    for arguments in (
        {"priority": "urgent", "task_description": "x"},
        {"surprise": 1},
        {"task_description": 7},
    ):
        refused = talk.call("taskpilot_add", **arguments)
        assert refused["isError"] is True
        assert refused["content"][0]["type"] == "text"
        assert refused["structuredContent"]["error"]["kind"] == "invalid_arguments"
    missing = talk.call("taskpilot_update", task_id="TP-999", field="notes", value="x")
    assert missing["isError"] is True
    assert "TP-999" in missing["content"][0]["text"]
    assert talk.data("taskpilot_status")["total"] == before


@pytest.mark.requirement("tasks-8", "tasks-9", "tasks-10", "tasks-17")
def test_results_are_short_words_and_data_that_fits_the_schema(talk: Talk):
    schemas = {name: tool["outputSchema"] for name, tool in tools(talk).items()}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("taskpilot_init", {}),
        ("taskpilot_start", {"workspace_path": "."}),
        ("taskpilot_add", {"task_description": "Write the parser", "criteria": ["It parses"]}),
        ("taskpilot_create_task", {"task_description": "Name the project"}),
        ("taskpilot_status", {"detailed": True}),
        ("taskpilot_update", {"task_id": "TP-1", "field": "notes", "value": "Begun"}),
        ("taskpilot_audit", {}),
        ("taskpilot_focus", {"task_id": "TP-2"}),
        ("taskpilot_rule_update", {"action": "list"}),
        ("taskpilot_github", {"action": "status"}),
        ("taskpilot_remote_interface", {"interface_type": "github", "action": "test"}),
    ]
    assert {name for name, _ in calls} == ELEVEN
    for name, arguments in calls:
        result = talk.call(name, **arguments)
        (text, *_) = result["content"]
        assert text["type"] == "text"
        assert 0 < len(text["text"]) < 4000
        assert len(text["text"].splitlines()) <= 25
        jsonschema.validate(result["structuredContent"], schemas[name])
        if not result.get("isError"):
            assert result["structuredContent"]["operation"]


@pytest.mark.requirement("tasks-11", "tasks-12", "tasks-13")
def test_init_answers_as_the_specification_shows(tmp_path: Path):
    repository = _new_repository(tmp_path / "kelp")
    with talking("stdio 2025-06-18", repository, "--profile", "taskpilot") as fresh:
        result = fresh.call("taskpilot_init", workspace_path=str(repository), project_name="kelp")
        data = result["structuredContent"]
        assert data["operation"] in ("init", "workspace_init")
        assert {"id", "path", "name", "created_at"} <= set(data["workspace"])
        assert data["workspace"]["name"] == "kelp"
        assert data["setup_complete"] is True
        assert 3 <= len(data["tasks_created"]) <= 5
        for task in data["tasks_created"]:
            assert {"id", "title", "priority", "status"} <= set(task)
        assert data["rules_initialized"] == len(data["rules_applied"])
        assert len(data["next_steps"]) == 3
        for name, step in zip(("start", "add", "status"), data["next_steps"], strict=True):
            assert f"taskpilot_{name}" in step
        count = len(data["tasks_created"])
        assert f'Workspace "kelp" initialized with {count} tasks.' in result["content"][0]["text"]
        schema = tools(fresh)["taskpilot_init"]["outputSchema"]
        assert {"workspace", "tasks_created", "setup_complete"} <= set(schema["properties"])
        assert {"workspace", "tasks_created", "setup_complete"} <= set(schema["required"])
        refused = fresh.call("taskpilot_init", workspace_path="/nowhere/at/all")
        assert refused["isError"] is True
        assert "structuredContent" not in refused, "a failure would not fit a schema that requires fields"
        again = fresh.call("taskpilot_init", workspace_path=str(repository))["structuredContent"]
        assert again["already_initialized"] is True
        assert again["workspace"]["id"] == data["workspace"]["id"]


@pytest.mark.requirement("tasks-14")
def test_a_created_task_is_the_object_that_other_results_name(talk: Talk):
    created = talk.data("taskpilot_create_task", task_description="Paint the boat. Twice.", priority="High")
    assert created["task"]["title"] == "Paint the boat"
    assert created["task"]["status"] == "backlog"
    assert created["task"]["priority"] == "high"
    read = json.loads(talk.result("resources/read", uri=_task_uri(created))["contents"][0]["text"])["task"]
    assert {name: read[name] for name in ("id", "title", "status", "version")} == {
        name: created["task"][name] for name in ("id", "title", "status", "version")
    }


def _task_uri(data: dict[str, Any]) -> str:
    return f"taskpilot://workspace/{data['workspace']['id']}/tasks/{data['task']['id']}"


@pytest.mark.requirement("tasks-15")
def test_an_unknown_tool_is_an_error_of_the_protocol(talk: Talk):
    error = talk.ask("tools/call", name="taskpilot_nothing", arguments={})["error"]
    assert error["code"] == -32602
    assert error["message"].startswith("Unknown tool: taskpilot_nothing")


@pytest.mark.requirement("tasks-18", "tasks-20")
def test_a_chart_is_a_picture_with_a_link_and_no_structured_data(everything: Talk):
    result = everything.call("taskpilot_chart", kind="status")
    text, picture, link = result["content"]
    assert "structuredContent" not in result
    assert text["type"] == "text"
    assert (picture["type"], picture["mimeType"]) == ("image", "image/png")
    assert picture["annotations"] == {"audience": ["user"], "priority": 0.9}
    assert base64.b64decode(picture["data"]).startswith(b"\x89PNG")
    assert link["type"] == "resource_link"
    contents = everything.result("resources/read", uri=link["uri"])["contents"][0]
    assert contents["blob"] == picture["data"]


@pytest.mark.requirement("tasks-22", "tasks-23", "tasks-24", "tasks-25", "tasks-26")
def test_resources_are_listed_as_the_specification_shows(talk: Talk):
    listed = {item["uri"]: item for item in talk.result("resources/list")["resources"]}
    workspaces = listed["taskpilot://workspaces"]
    assert (workspaces["name"], workspaces["title"]) == ("All Workspaces", "🏢 TaskPilot Workspaces")
    assert workspaces["mimeType"] == "application/json"
    current = listed["taskpilot://workspace/current/tasks"]
    assert (current["name"], current["title"]) == ("Current Tasks", "📋 Active Workspace Tasks")
    assert current["annotations"] == {"audience": ["assistant"], "priority": 0.9}
    rules = listed["taskpilot://workspace/current/rules"]
    assert (rules["name"], rules["title"]) == ("Workspace Rules", "📝 Project Rules & Guidelines")
    assert (rules["mimeType"], rules["annotations"]["priority"]) == ("text/markdown", 0.8)
    identity = json.loads(_read(talk, "taskpilot://workspaces")["text"])["workspaces"][0]["id"]
    for name in ("tasks", "rules", "status", "files"):
        assert f"taskpilot://workspace/{identity}/{name}" in listed
        assert _read(talk, f"taskpilot://workspace/{identity}/{name}")["text"]


def _read(talk: Talk, uri: str) -> dict[str, Any]:
    (contents,) = talk.result("resources/read", uri=uri)["contents"]
    assert contents["uri"] == uri
    found: dict[str, Any] = contents
    return found


@pytest.mark.requirement("tasks-27")
def test_prompts_can_be_read_as_resources(talk: Talk):
    listed = {item["uri"] for item in talk.result("resources/list")["resources"]}
    assert "taskpilot://prompts/init-success" in listed
    assert _read(talk, "taskpilot://prompts/init-success")["text"]


@pytest.mark.requirement("tasks-28")
def test_families_of_addresses_are_listed(talk: Talk):
    templates = {
        item["uriTemplate"]: item for item in talk.result("resources/templates/list")["resourceTemplates"]
    }
    task = templates["taskpilot://workspace/{workspace_id}/tasks/{task_id}"]
    assert all(task[key] for key in ("name", "title", "description", "mimeType"))
    for name in ("tasks", "rules", "status", "files"):
        assert f"taskpilot://workspace/{{workspace_id}}/{name}" in templates


@pytest.mark.requirement("tasks-29")
def test_contents_carry_what_the_specification_puts_beside_them(talk: Talk):
    contents = _read(talk, "taskpilot://workspace/current/tasks")
    assert contents["name"] == "Current Tasks"
    assert contents["title"] == "📋 Active Workspace Tasks"
    assert contents["mimeType"] == "application/json"
    assert contents["annotations"]["lastModified"]
    assert json.loads(contents["text"])["tasks"]


@pytest.mark.requirement("tasks-30")
@pytest.mark.parametrize(
    "uri",
    [
        "taskpilot://nothing",
        "taskpilot://workspace/other/tasks",
        "taskpilot://workspace/current/tasks/TP-999",
        "taskpilot://prompts/nothing",
        "taskpilot://workspace/current/attachments/00",
    ],
)
def test_an_unknown_address_is_an_error_that_names_it(talk: Talk, uri: str):
    error = talk.ask("resources/read", uri=uri)["error"]
    assert error["code"] == (-32602 if talk.is_stateless else -32002)
    assert "not found" in error["message"].lower()
    assert error["data"]["uri"] == uri


@pytest.mark.requirement("tasks-33")
def test_a_prompt_about_a_task_that_is_not_there_is_a_wrong_argument(everything: Talk):
    error = everything.ask("prompts/get", name="start_task", arguments={"task_id": "TP-999"})["error"]
    assert error["code"] == -32602


@pytest.mark.requirement("tasks-33")
def test_prompts_come_from_prompts(everything: Talk):
    names = {item["name"] for item in everything.result("prompts/list")["prompts"]}
    assert {"plan_work", "start_task", "review_task", "validate_task", "finish_task"} <= names
    assert {"session_handoff", "init_success"} <= names
    rendered = everything.data("taskpilot_generate_prompt", operation="init_success", context={})
    asked = everything.result("prompts/get", name="init_success", arguments={})
    told = asked["messages"][0]["content"]["text"]
    assert _without_boundary(rendered["messages"][0]["content"]) == _without_boundary(told)


def _without_boundary(text: str) -> str:
    """Return a prompt without the random words that mark where stored text begins and ends."""
    found = re.search(r"^(\S+) begin$", text, re.MULTILINE)
    return text if found is None else text.replace(found.group(1), "BOUNDARY")


def test_next_steps_and_hints_name_only_tools_that_are_offered(talk: Talk):
    started = talk.data("taskpilot_start", workspace_path=".", agent="newcomer")
    added = talk.data("taskpilot_add", title="Light the lamp")
    missing = talk.call("taskpilot_focus", task_id="TP-999")["content"][0]["text"]
    said = " ".join([*started["next_steps"], *added["next_steps"], missing])
    named = set(re.findall(r"taskpilot_[a-z_]+", said))
    assert named
    assert named <= ELEVEN


def test_a_session_that_ended_is_gone_on_with_by_tools_that_are_offered(talk: Talk):
    created = talk.data("taskpilot_create_task", task_description="Trim the wick")["task"]["id"]
    ended, now = (talk.data("taskpilot_start", workspace_path=".", agent="keeper") for _ in range(2))
    talk.data("taskpilot_focus", task_id=created, session=ended["session"]["id"])
    again = talk.data("taskpilot_start", workspace_path=".", agent="keeper")
    refused = talk.call("taskpilot_focus", task_id=created, session=now["session"]["id"])
    said = " ".join([*again["next_steps"], refused["content"][0]["text"]])
    assert set(re.findall(r"taskpilot_[a-z_]+", said)) <= ELEVEN
    looked = talk.call("taskpilot_focus", task_id=created, peek=True, resume=True)
    assert "`peek` and `resume` exclude each other" in looked["content"][0]["text"]
    resumed = talk.data("taskpilot_focus", task_id=created, session=now["session"]["id"], resume=True)
    assert resumed["claim"]["token"]
    late = talk.call(
        "taskpilot_update", task_id=created, field="notes", value="x", session=ended["session"]["id"]
    )
    assert late["isError"] is True


def test_prompts_name_only_tools_that_are_offered(talk: Talk):
    given = {"task_id": "TP-1", "task_description": "Light the lamp"}
    for prompt in talk.result("prompts/list")["prompts"]:
        names = [item["name"] for item in prompt.get("arguments", ())]
        needed = {name: given[name] for name in names if name in given}
        asked = talk.result("prompts/get", name=prompt["name"], arguments=needed)
        told = asked["messages"][0]["content"]["text"]
        assert set(re.findall(r"taskpilot_[a-z_]+", told)) <= ELEVEN, prompt["name"]
