"""Claims bind every caller: only the holder changes a task's state, criteria and holder, on any interface."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import forked
from tests.faces.http.running import HOLDFAST, RunningServer, running_server
from tests.wire.client import WireClient, wire_client

PERSON = "Ada"
CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "finish": ("taskpilot_update", {"set": {"status": "done"}, "check": ["1"]}),
    "drop": ("taskpilot_update", {"set": {"status": "dropped"}}),
    "return": ("taskpilot_update", {"set": {"status": "backlog"}}),
    "progress": ("taskpilot_update", {"set": {"progress": 50}}),
    "check": ("taskpilot_update", {"check": ["1"]}),
    "add a criterion": ("taskpilot_update", {"add": {"criteria": ["It shines"]}}),
    "remove a criterion": ("taskpilot_update", {"remove": {"criteria": ["It burns"]}}),
    "take": ("taskpilot_claim", {"action": "take"}),
    "renew": ("taskpilot_claim", {"action": "renew"}),
    "release": ("taskpilot_claim", {"action": "release"}),
    "hand over": ("taskpilot_claim", {"action": "handoff"}),
    "focus": ("taskpilot_focus", {}),
}


class Caller(NamedTuple):
    """Somebody on one interface: the name under which they write, and how they run a tool."""

    name: str
    run: Callable[[str, dict[str, Any]], dict[str, Any]]
    """Returns the result, or the error as `{"error": …}`."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("binding")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(path)], check=True)
    subprocess.run(["git", "-C", str(path), "config", "user.name", PERSON], check=True)
    typed(path, "init")
    return path


def typed(place: Path, *words: str) -> dict[str, Any]:
    done = forked.run([HOLDFAST, "tasks", *words, "--json"], cwd=place, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def options(arguments: dict[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            yield option
        else:
            values = value if isinstance(value, list) else [value]
            for item in values:
                yield from (option, item if isinstance(item, str) else json.dumps(item))


def on_the_command_line(place: Path, **who: str) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    def run(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        rest = {**arguments, **who}
        words = [rest.pop(name) for name in ("action", "task_id") if name in rest]
        return typed(place, tool.removeprefix("taskpilot_"), *words, *options(rest))

    return run


def over_rest(server: RunningServer, token: str | None) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    def run(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = server.ask("POST", f"/api/tasks/{tool}", arguments, token=token).json
        return answer

    return run


def over_http(server: RunningServer, token: str | None) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    def run(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = server.call("tools/call", token=token, name=tool, arguments=arguments)["result"]
        content: dict[str, Any] = result["structuredContent"]
        return content

    return run


def over_a_pipe(client: WireClient, **who: str) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    def run(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = client.call(f"{tool} {arguments}", tool, **arguments, **who)
        return answer["error"] if "error" in answer else dict(answer["result"]["structuredContent"])

    return run


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[RunningServer]:
    with running_server(place) as running:
        yield running


@pytest.fixture(scope="module")
def callers(place: Path, server: RunningServer) -> Iterator[dict[str, Caller]]:
    with wire_client([HOLDFAST, "serve"], cwd=place) as client:
        client.initialize()
        started = client.call("start", "taskpilot_start", workspace_path=".", agent="claude")
        session = started["result"]["structuredContent"]["session"]["id"]
        yield {
            "agent at the command line": Caller("codex", on_the_command_line(place, agent="codex")),
            "person at the command line": Caller(PERSON, on_the_command_line(place)),
            "token over REST": Caller("ada2", over_rest(server, server.add_token("ada2", "write"))),
            "owner over REST": Caller(PERSON, over_rest(server, None)),
            "program on a pipe": Caller("tests", over_a_pipe(client)),
            "session on a pipe": Caller("claude", over_a_pipe(client, session=session)),
            "token over HTTP": Caller("ada3", over_http(server, server.add_token("ada3", "write"))),
            "program over HTTP": Caller("tests", over_http(server, None)),
        }


INTERFACES = [
    "agent at the command line", "person at the command line", "token over REST", "owner over REST",
    "program on a pipe", "session on a pipe", "token over HTTP", "program over HTTP",
]  # fmt: skip


HOLDERS = ["agent at the command line", "session on a pipe", "token over REST"]
"""One for each kind of identity."""


def ask(server: RunningServer, method: str, path: str, body: Any = None) -> dict[str, Any]:
    answer: dict[str, Any] = server.ask(method, f"/api/tasks/{path}", body).json
    return answer


def new_task(server: RunningServer) -> str:
    added = ask(server, "POST", "taskpilot_add", {"title": "Light the lamp", "criteria": ["It burns"]})
    return str(added["tasks_created"][0]["id"])


def task_of_gemini(server: RunningServer) -> str:
    task = new_task(server)
    ask(server, "POST", "taskpilot_claim", {"action": "take", "task_id": task, "agent": "gemini"})
    return task


def shown(server: RunningServer, task: str) -> dict[str, Any]:
    detail: dict[str, Any] = ask(server, "GET", f"taskpilot_show?task_id={task}")["task"]
    return detail


def events(server: RunningServer, task: str) -> list[dict[str, Any]]:
    """Return the events of a task, the newest first."""
    found: list[dict[str, Any]] = ask(server, "GET", f"taskpilot_events?task_id={task}")["events"]
    return found


@pytest.mark.requirement("tasks-48")
@pytest.mark.parametrize("other", INTERFACES)
@pytest.mark.parametrize("holder", HOLDERS)
def test_only_the_holder_changes_what_is_claimed(
    server: RunningServer, callers: dict[str, Caller], holder: str, other: str
):
    ours, theirs = callers[holder], callers[other]
    task = new_task(server)
    taken = ours.run("taskpilot_claim", {"action": "take", "task_id": task})
    assert taken["claim"]["agent"] == ours.name
    before = shown(server, task)
    if ours.name == theirs.name:
        finished = ours.run("taskpilot_update", {"task_id": task, "set": {"status": "done"}, "check": ["1"]})
        assert finished["task"]["status"] == "done"
        return
    for change, (tool, arguments) in CHANGES.items():
        refused = theirs.run(tool, {**arguments, "task_id": task})
        assert refused.get("error", refused).get("kind") in ("already_claimed", "lease_expired"), change
    assert shown(server, task) == before
    other_change = theirs.run("taskpilot_update", {"task_id": task, "set": {"priority": "high"}})
    assert ("error" in other_change) == (other == "session on a pipe")


@pytest.mark.parametrize("holder", INTERFACES)
def test_the_holder_finishes_the_task(server: RunningServer, callers: dict[str, Caller], holder: str):
    ours, task = callers[holder], new_task(server)
    ours.run("taskpilot_claim", {"action": "take", "task_id": task})
    finished = ours.run("taskpilot_update", {"task_id": task, "set": {"status": "done"}, "check": ["1"]})
    assert finished["task"]["status"] == "done"


@pytest.mark.requirement("tasks-48")
@pytest.mark.parametrize("other", INTERFACES)
def test_a_person_takes_a_task_over_by_name(
    place: Path, server: RunningServer, callers: dict[str, Caller], other: str
):
    theirs = callers[other]
    task = task_of_gemini(server)
    taken = theirs.run("taskpilot_claim", {"action": "take", "task_id": task, "take_over": True})
    assert (taken["claim"]["agent"], taken["previous_holder"]["agent"]) == (theirs.name, "gemini")
    event = events(server, task)[0]
    assert (event["type"], event["actor"]) == ("taken-over", theirs.name)
    refused = typed(place, "done", task, "--check", "1", "--agent", "gemini")
    assert refused["error"]["kind"] == "already_claimed"


@pytest.mark.parametrize("other", INTERFACES)
def test_a_change_may_take_the_task_over(server: RunningServer, callers: dict[str, Caller], other: str):
    theirs = callers[other]
    task = task_of_gemini(server)
    theirs.run("taskpilot_update", {"task_id": task, "set": {"progress": 50}, "take_over": True})
    assert shown(server, task)["claim"]["agent"] == theirs.name
    theirs.run("taskpilot_update", {"task_id": task, "set": {"status": "done"}, "check": ["1"]})
    finished, taken, *_ = events(server, task)
    assert (taken["type"], taken["actor"]) == ("taken-over", theirs.name)
    assert (finished["type"], finished["status"]) == ("updated", "done")
    assert "claim" not in shown(server, task)


def test_finishing_may_take_over_and_leaves_no_claim(place: Path, server: RunningServer):
    task = task_of_gemini(server)
    refused = forked.run(
        [HOLDFAST, "tasks", "done", task, "--check", "1"], cwd=place, capture_output=True, text=True
    )
    assert refused.stderr.startswith(f"Error: {task} is held by gemini.\n")
    assert "--take-over" in refused.stderr
    assert typed(place, "done", task, "--check", "1", "--take-over")["task"]["status"] == "done"
    event = events(server, task)[0]
    assert (event["type"], event["actor"], event["status"]) == ("taken-over", PERSON, "done")
    assert "claim" not in shown(server, task)


def test_approval_of_a_task_in_review_is_for_others_than_its_holder(place: Path, server: RunningServer):
    task = task_of_gemini(server)
    assert typed(place, "approve", task, "--check", "1")["error"]["kind"] == "already_claimed"
    typed(place, "update", task, "--set", '{"status": "review"}', "--check", "1", "--agent", "gemini")
    assert typed(place, "approve", task)["task"]["status"] == "done"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "", {"field": "status", "value": "review"}),
        ("PATCH", "", {"status": "dropped"}),
        ("DELETE", "", None),
        ("POST", "/claim", {}),
    ],
)
def test_the_routes_of_the_specification_are_bound_too(
    server: RunningServer, method: str, path: str, body: Any
):
    task = task_of_gemini(server)
    address = f"/api/workspaces/current/tasks/{task}{path}"
    refused = server.ask(method, address, body)
    assert (refused.status, refused.json["error"]["code"]) == (409, "ALREADY_CLAIMED")
    if body is None:
        taken = server.ask(method, f"{address}?take_over=true")
    else:
        taken = server.ask(method, address, {**body, "take_over": True})
    assert taken.status == 200, taken.body
    assert (events(server, task)[0]["type"], events(server, task)[0]["actor"]) == ("taken-over", PERSON)


def test_an_ended_claim_binds_nobody(place: Path, server: RunningServer):
    task = task_of_gemini(server)
    typed(place, "claim", "release", task, "--agent", "gemini")
    started = typed(place, "update", task, "--set", '{"status": "in-progress"}', "--agent", "codex")
    assert started["task"]["status"] == "in-progress"
    assert typed(place, "done", task, "--check", "1", "--agent", "grace")["task"]["status"] == "done"


@pytest.mark.requirement("tasks-49")
def test_an_agent_names_itself_once_for_all_commands(place: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOLDFAST_AGENT", "codex")
    task = typed(place, "add", "Named by a variable")["tasks_created"][0]["id"]
    assert typed(place, "claim", "take", task)["claim"]["agent"] == "codex"
    assert typed(place, "update", task, "--set", '{"progress": 10}')["task"]["id"] == task
    monkeypatch.delenv("HOLDFAST_AGENT")
    assert typed(place, "update", task, "--set", '{"progress": 20}')["error"]["kind"] == "already_claimed"
    assert typed(place, "show", task)["task"]["created_by"] == "codex"


@pytest.mark.requirement("tasks-49")
def test_a_program_that_does_not_introduce_itself_does_not_write_as_a_person(
    place: Path, server: RunningServer
):
    with wire_client([HOLDFAST, "serve"], cwd=place) as client:
        client.ask(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
        added = client.call(1, "taskpilot_add", title="Nameless")["result"]["structuredContent"]
    assert shown(server, added["tasks_created"][0]["id"])["created_by"] == "unnamed program"
