"""A long call becomes a task, whose result outlives the connection and the server.

The calls wait for a person (`approving`), so a test decides when they end, or take the time that they are
told to take.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.deferred_calls import DATABASE_NAME
from holdfast.faces.mcp.extensions.declaration import TASKS as EXTENSION
from tests.faces.http.running import RunningServer, running_server
from tests.faces.mcp.test_lazygit_profile import serve
from tests.waiting import wait_until
from tests.wire.client import ENVELOPE, WireClient, wire_client

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ABLE = ENVELOPE | {CAPABILITIES: {"elicitation": {}, "extensions": {EXTENSION: {}}}}
YES = {"done": {"action": "accept", "content": {"done": True}}}
NUMBERS = itertools.count(1)

Ask = Callable[..., dict[str, Any]]
"""Sends a request that declares the extension, and returns the answer."""


def over_pipe(client: WireClient) -> Ask:
    return lambda method, **params: client.ask(next(NUMBERS), method, {**params, "_meta": ABLE})


def over_http(server: RunningServer, token: str | None = None) -> Ask:
    def ask(method: str, **params: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ABLE}}
        bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        answered = server.post_mcp(message, Mcp_Name=params.get("name") or params["taskId"], **bearer)
        answer: dict[str, Any] = answered.json
        return answer

    return ask


def call(ask: Ask, tool: str, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = ask("tools/call", name=tool, arguments=arguments)["result"]
    return result


def approving(ask: Ask) -> str:
    """Begin a call that waits for a person, and return its task."""
    call(ask, "taskpilot_init", done_gate="human")
    added = call(ask, "taskpilot_add", task_description="Ship it.")["structuredContent"]
    number = added["tasks_created"][0]["id"]
    call(ask, "taskpilot_update", task_id=number, set={"status": "in-progress"})
    created = call(ask, "taskpilot_update", task_id=number, set={"status": "done"})
    assert created["resultType"] == "task", created
    assert isinstance(created["taskId"], str)
    reaching(ask, created["taskId"], "input_required")
    return created["taskId"]


def reaching(ask: Ask, task: str, status: str) -> dict[str, Any]:
    """Wait until a task has a status, and return it."""
    seen: dict[str, Any] = {}

    def has_status() -> bool:
        seen.update(ask("tasks/get", taskId=task)["result"])
        return bool(seen["status"] == status)

    wait_until(has_status, f"the task did not become {status}")
    return seen


def test_an_approval_is_a_task_that_another_connection_answers(repository: Path) -> None:
    with running_server(repository) as server:
        ask = over_http(server)
        task = approving(ask)
        waiting = ask("tasks/get", taskId=task)["result"]
        assert waiting["inputRequests"]["done"]["method"] == "elicitation/create"
        for unanswered in ({"other": YES["done"]}, {"done": {"action": "accept", "content": {"done": "x"}}}):
            assert ask("tasks/update", taskId=task, inputResponses=unanswered)["result"].keys() == {
                "resultType",
                "_meta",
            }
            assert ask("tasks/get", taskId=task)["result"]["status"] == "input_required"
        ask("tasks/update", taskId=task, inputResponses=YES)
        done = reaching(ask, task, "completed")["result"]
        assert done["structuredContent"]["task"]["status"] == "done"
    with running_server(repository) as server:  # the result is there after a restart, also over a new port
        assert over_http(server)("tasks/get", taskId=task)["result"]["result"] == done


@pytest.mark.requirement("transport-52")
def test_a_task_exists_only_for_its_caller(repository: Path) -> None:
    with running_server(repository) as server:
        alice, bob = (over_http(server, server.add_token(name, "write")) for name in ("alice", "bob"))
        task = approving(alice)
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            assert bob(method, taskId=task, inputResponses=YES)["error"]["code"] == -32602
        assert alice("tasks/get", taskId=task)["result"]["status"] == "input_required"
        mismatch = server.post_mcp(
            {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"taskId": task, "_meta": ABLE}},
            Mcp_Name="another",
        )
        assert mismatch.json["error"]["code"] == -32020


def test_a_cancelled_task_stops_waiting_and_changes_nothing(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        ask = over_pipe(client)
        task = approving(ask)
        assert ask("tasks/cancel", taskId=task)["result"].keys() == {"resultType", "_meta"}
        reaching(ask, task, "cancelled")
        ask("tasks/update", taskId=task, inputResponses=YES)
        assert ask("tasks/get", taskId=task)["result"]["status"] == "cancelled"
        assert call(ask, "taskpilot_list", status=["done"])["structuredContent"]["total"] == 0


@pytest.mark.requirement("transport-51")
def test_a_task_whose_server_was_killed_says_that_it_failed(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        task = approving(over_pipe(client))
        with wire_client(serve(), cwd=repository) as other:  # while its server is alive, it waits
            assert over_pipe(other)("tasks/get", taskId=task)["result"]["status"] == "input_required"
            os.kill(client.pid, signal.SIGKILL)
            failed = reaching(over_pipe(other), task, "failed")
    assert failed["error"]["data"] == {"type": "interrupted"}
    assert "ended before it had a result" in failed["statusMessage"]
    with wire_client(serve(), cwd=repository) as client:  # it has the process number of the killed one
        assert over_pipe(client)("tasks/get", taskId=task)["result"]["error"] == failed["error"]


@pytest.mark.requirement("transport-51")
def test_a_long_call_reports_progress_and_its_result_survives_a_kill(repository: Path) -> None:
    with wire_client(settings={"tasks": str(repository)}) as client:
        ask = over_pipe(client)
        quick = call(ask, "slow_compute", seconds=0)
        assert quick["resultType"] == "complete"
        endless = call(ask, "slow_compute", seconds=280)["taskId"]
        wait_until(
            lambda: "Computing (" in ask("tasks/get", taskId=endless)["result"].get("statusMessage", "")
        )
        ask("tasks/cancel", taskId=endless)
        reaching(ask, endless, "cancelled")
        task = call(ask, "slow_compute", seconds=1, label="x")["taskId"]
        done = reaching(ask, task, "completed")["result"]
        assert done["structuredContent"] == {"text": "Computed x for 1 s."}
    with wire_client(serve(), cwd=repository) as client:
        assert over_pipe(client)("tasks/get", taskId=task)["result"]["result"] == done


def test_a_call_stays_an_ordinary_one_where_no_task_can_be_stored(repository: Path) -> None:
    store = repository / ".git" / "holdfast" / DATABASE_NAME
    with wire_client(settings={"tasks": str(repository)}) as client:
        assert call(over_pipe(client), "slow_compute", seconds=1)["resultType"] == "task"
    store.write_bytes(b"not a database" * 1000)
    with wire_client(settings={"tasks": str(repository)}) as client:
        ask = over_pipe(client)
        assert call(ask, "slow_compute", seconds=1)["structuredContent"] == {"text": "Computed  for 1 s."}
        assert ask("tasks/get", taskId="x")["error"]["data"]["type"] == "corrupted"
    assert store.read_bytes().startswith(b"not a database")


def test_only_requests_that_declare_the_extension_get_tasks(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        listening = {"notifications": {"taskIds": ["x"]}, "_meta": ENVELOPE}
        for method, params in (("tasks/get", {"taskId": "x"}), ("subscriptions/listen", listening)):
            error = client.ask(next(NUMBERS), method, {"_meta": ENVELOPE, **params})["error"]
            assert error["code"] == -32021
            assert error["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        client.initialize()
        assert client.ask(next(NUMBERS), "tasks/get", {"taskId": "x"})["error"]["code"] == -32601
        greeting = client.ask(next(NUMBERS), "server/discover", {"_meta": ENVELOPE})["result"]
        assert EXTENSION in greeting["capabilities"]["extensions"]


def test_the_server_of_a_specification_has_no_tasks(repository: Path) -> None:
    with wire_client(serve("--profile", "taskpilot"), cwd=repository) as client:
        assert over_pipe(client)("tasks/get", taskId="x")["error"]["code"] == -32601
