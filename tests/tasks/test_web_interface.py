"""The specification's web interface: its paths, the same objects as tools, versions and events."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.faces.http.running import RunningServer, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    path = tmp_path_factory.mktemp("web")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(path)], check=True)
    with running_server(path) as running:
        called = tool(running, "taskpilot_init", project_name="kelp")
        assert called["setup_complete"]
        yield running


def tool(server: RunningServer, name: str, **arguments: Any) -> dict[str, Any]:
    result = server.call("tools/call", name=name, arguments=arguments)["result"]
    assert not result.get("isError"), result
    found: dict[str, Any] = result["structuredContent"]
    return found


@pytest.fixture(scope="module")
def base(server: RunningServer) -> str:
    (workspace,) = server.ask("GET", "/api/workspaces").json["data"]["workspaces"]
    return f"/api/workspaces/{workspace['id']}"


@pytest.mark.requirement("tasks-35")
def test_workspaces_are_listed_with_what_goes_on_in_them(server: RunningServer):
    (workspace,) = server.ask("GET", "/api/workspaces").json["data"]["workspaces"]
    assert {"id", "name", "path", "status", "last_activity", "task_count", "created_at"} <= set(workspace)
    assert (workspace["name"], workspace["status"]) == ("kelp", "active")


@pytest.mark.requirement("tasks-34")
@pytest.mark.parametrize(
    ("path", "operation", "arguments"),
    [
        ("tasks?limit=3", "taskpilot_list", {"limit": 3}),
        ("ready", "taskpilot_list", {"ready": True}),
        ("status", "taskpilot_status", {}),
        ("rules", "taskpilot_rule_update", {"action": "list"}),
        ("rules?rule_type=git", "taskpilot_rules", {"rule_type": "git"}),
        ("graph", "taskpilot_graph", {}),
        ("tasks/TP-1", "taskpilot_show", {"task_id": "TP-1"}),
    ],
)
def test_the_data_is_the_structured_content_of_the_tool(
    server: RunningServer, base: str, path: str, operation: str, arguments: dict[str, Any]
):
    answered = server.ask("GET", f"{base}/{path}")
    assert answered.status == 200
    assert answered.json["data"] == tool(server, operation, **arguments)


@pytest.mark.requirement("tasks-35")
def test_how_the_store_is_can_be_asked_at_the_old_place_too(server: RunningServer):
    for path in ("/health", "/api/health"):
        answered = server.ask("GET", path)
        assert (answered.status, answered.json["data"]["status"]) == (200, "ok")
        assert answered.json["data"]["store"] == "sqlite"
    assert server.ask("POST", "/health").status == 405


def test_who_may_only_read_may_read_the_rules_and_write_nothing(server: RunningServer, base: str):
    token = server.add_token("onlooker", "read")
    for path in ("tasks", "ready", "status", "graph", "rules", "tool-flows", "feedback-steps", "tasks/TP-1"):
        assert server.ask("GET", f"{base}/{path}", token=token).status == 200, path
    for method, path in (("POST", "tasks"), ("PATCH", "tasks/TP-1"), ("POST", "claim"), ("POST", "rules")):
        refused = server.ask(method, f"{base}/{path}", {}, token=token)
        assert (refused.status, refused.json["error"]["code"]) == (403, "DENIED")


def test_a_workspace_that_is_not_served_here_is_not_found(server: RunningServer):
    for name in ("nope", "kelp-000000"):
        for path in ("tasks", "events"):
            answered = server.ask("GET", f"/api/workspaces/{name}/{path}")
            assert (answered.status, answered.json["error"]["code"]) == (404, "NOT_FOUND")


@pytest.mark.requirement("tasks-35")
def test_tasks_are_current_or_history_and_skipped_by_offset(server: RunningServer, base: str):
    everything = server.ask("GET", f"{base}/tasks?limit=100").json["data"]
    current = server.ask("GET", f"{base}/tasks?status=current&limit=100").json["data"]
    history = server.ask("GET", f"{base}/tasks?status=history").json["data"]
    assert current["total"] + history["total"] == everything["total"]
    assert all(task["status"] not in ("done", "dropped") for task in current["tasks"])
    second = server.ask("GET", f"{base}/tasks?limit=1&offset=1").json["data"]["tasks"]
    assert second == everything["tasks"][1:2]


@pytest.mark.requirement("tasks-34", "tasks-35")
def test_a_task_is_created_and_changed_one_field_at_a_time(server: RunningServer, base: str):
    created = server.ask(
        "POST", f"{base}/tasks", {"title": "Mend the net", "description": "All of it", "priority": "High"}
    )
    assert created.status == 201
    task = created.json["data"]["task"]
    assert (task["title"], task["status"], task["priority"]) == ("Mend the net", "backlog", "high")
    changed = server.ask(
        "PUT", f"{base}/tasks/{task['id']}", {"field": "status", "value": "In-Progress", "reason": "Begun"}
    )
    assert changed.json["data"]["task"]["status"] == "in-progress"
    shown = tool(server, "taskpilot_show", task_id=task["id"])["task"]
    assert (shown["status"], shown["description"]) == ("in-progress", "All of it")


@pytest.mark.requirement("tasks-35")
@pytest.mark.parametrize(
    ("field", "value", "stored"),
    [
        ("title", "Mend the sail", "Mend the sail"),
        ("description", "Both of them", "Both of them"),
        ("priority", "Low", "low"),
        ("status", "In-Progress", "in-progress"),
        ("progress", "40", 40),
        ("notes", "Needle is in the drawer", "Needle is in the drawer"),
        ("connected_files", '["sail.py"]', [{"path": "sail.py"}]),
        ("blocked_by", "TP-1", ["TP-1"]),
    ],
)
def test_every_field_of_the_specification_is_set_from_text(
    server: RunningServer, base: str, field: str, value: str, stored: Any
):
    task = server.ask("POST", f"{base}/tasks", {"title": "Mend the net"}).json["data"]["task"]
    tool(server, "taskpilot_update", task_id=task["id"], field=field, value=value)
    assert tool(server, "taskpilot_show", task_id=task["id"])["task"][field] == stored
    again = server.ask("PUT", f"{base}/tasks/{task['id']}", {"field": field, "value": value})
    assert (again.status, again.json["data"]["changed"]) == (200, {})


@pytest.mark.requirement("tasks-35")
def test_patch_accepts_new_values_by_field(server: RunningServer, base: str):
    task = server.ask("POST", f"{base}/tasks", {"title": "Mend the net"}).json["data"]["task"]
    path = f"{base}/tasks/{task['id']}"
    changed = server.ask("PATCH", path, {"priority": "high", "set": {"progress": 10}, "reason": "Storm"})
    assert (changed.status, sorted(changed.json["data"]["changed"])) == (200, ["priority", "progress"])
    assert server.ask("PATCH", path, {"priority": "urgent"}).status == 422
    ambiguous = server.ask("PATCH", path, {"priority": "low", "set": {"priority": "high"}})
    assert (ambiguous.status, "priority" in ambiguous.json["error"]["message"]) == (422, True)
    described = server.ask("GET", "/api/openapi.json").json["paths"]
    schema = described["/api/workspaces/{workspace_path}/tasks/{task_id}"]["patch"]["requestBody"]
    assert {"priority", "set"} <= set(schema["content"]["application/json"]["schema"]["properties"])


@pytest.mark.requirement("tasks-35")
def test_who_names_an_old_version_changes_nothing(server: RunningServer, base: str):
    task = server.ask("POST", f"{base}/tasks", {"title": "Count the buoys"}).json["data"]["task"]
    read = server.ask("GET", f"{base}/tasks/{task['id']}")
    first = server.ask(
        "PATCH", f"{base}/tasks/{task['id']}", {"set": {"progress": 10}}, {"If-Match": read.headers["etag"]}
    )
    assert first.status == 200
    assert first.headers["etag"] != read.headers["etag"]
    second = server.ask(
        "PATCH", f"{base}/tasks/{task['id']}", {"set": {"progress": 20}}, {"If-Match": read.headers["etag"]}
    )
    assert second.status == 412
    assert second.json["error"]["code"] == "VERSION_CONFLICT"
    assert tool(server, "taskpilot_show", task_id=task["id"])["task"]["progress"] == 10


def test_nothing_is_ever_deleted_only_dropped(server: RunningServer, base: str):
    task = server.ask("POST", f"{base}/tasks", {"title": "Sell the boat"}).json["data"]["task"]
    assert server.ask("DELETE", f"{base}/tasks/{task['id']}").status == 200
    assert server.ask("GET", f"{base}/tasks/{task['id']}").json["data"]["task"]["status"] == "dropped"


def test_a_claim_is_taken_once(server: RunningServer, base: str):
    task = server.ask("POST", f"{base}/tasks", {"title": "Scrub the deck"}).json["data"]["task"]
    ada, grace = server.add_token("ada", "write"), server.add_token("grace", "write")
    taken = server.ask("POST", f"{base}/tasks/{task['id']}/claim", {}, token=ada)
    assert taken.json["data"]["claim"]["agent"] == "ada"
    refused = server.ask("POST", f"{base}/tasks/{task['id']}/claim", {}, token=grace)
    assert refused.status == 409
    assert refused.json["error"]["code"] == "ALREADY_CLAIMED"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "tasks/TP-999", None, 404, "NOT_FOUND"),
        ("POST", "tasks", {"title": "x", "priority": "urgent"}, 422, "VALIDATION_ERROR"),
        ("POST", "tasks", {"priority": "high"}, 422, "VALIDATION_ERROR"),
        ("PUT", "tasks/TP-1", {"field": "colour", "value": "red"}, 422, "VALIDATION_ERROR"),
    ],
)
def test_what_is_wrong_is_told_by_a_word(
    server: RunningServer, base: str, method: str, path: str, body: Any, status: int, code: str
):
    answered = server.ask(method, f"{base}/{path}", body)
    assert (answered.status, answered.json["error"]["code"]) == (status, code)
    assert answered.json["error"]["message"]


def test_another_workspace_is_refused(server: RunningServer):
    answered = server.ask("GET", "/api/workspaces/somewhere-else/tasks")
    assert answered.status in (400, 404)
    assert "workspace" in answered.json["error"]["message"]


def test_a_reader_may_not_write(server: RunningServer, base: str):
    reader = server.add_token("reader", "read")
    assert server.ask("GET", f"{base}/tasks", token=reader).status == 200
    assert server.ask("POST", f"{base}/tasks", {"title": "x"}, token=reader).status == 403


@contextmanager
def following(
    server: RunningServer, path: str, last_id: str | None = None
) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    headers = {"Authorization": f"Bearer {server.token}"}
    connection.request("GET", path, headers=headers | ({"Last-Event-ID": last_id} if last_id else {}))
    try:
        with connection.getresponse() as response:
            yield response
    finally:
        connection.close()


def next_event(stream: http.client.HTTPResponse) -> dict[str, str]:
    event: dict[str, str] = {}
    while True:
        line = stream.readline().decode().rstrip("\n")
        if not line and event:
            return event
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            event[name] = value


def test_events_are_told_as_they_happen_and_replayed_by_id(server: RunningServer, base: str):
    with following(server, f"{base}/events") as stream:
        assert next_event(stream)["event"] == "ready"
        task = server.ask("POST", f"{base}/tasks", {"title": "Light the lamp"}).json["data"]["task"]
        created = next_event(stream)
    assert created["event"] == "task.created"
    assert json.loads(created["data"])["task_id"] == task["id"]
    server.ask("PUT", f"{base}/tasks/{task['id']}", {"field": "notes", "value": "dark"})
    with following(server, f"{base}/events", created["id"]) as stream:
        assert next_event(stream)["event"] == "task.updated"


@pytest.mark.parametrize("last_id", ["9" * 5000, "\u00b2", "9" * 30, "x"])
def test_an_id_that_is_no_number_of_ours_means_from_now_on(server: RunningServer, base: str, last_id: str):
    with following(server, f"{base}/events", last_id) as stream:
        assert stream.status == 200
        task = server.ask("POST", f"{base}/tasks", {"title": f"After {len(last_id)}"}).json["data"]["task"]
        assert json.loads(next_event(stream)["data"])["task_id"] == task["id"]


@pytest.mark.requirement("tasks-35")
def test_the_description_names_every_path_of_the_interface(server: RunningServer):
    paths = server.ask("GET", "/api/openapi.json").json["paths"]
    tasks = paths["/api/workspaces/{workspace_path}/tasks"]
    assert {"get", "post"} <= set(tasks)
    assert {"get", "put", "patch", "delete"} <= set(paths["/api/workspaces/{workspace_path}/tasks/{task_id}"])
    for name in ("status", "ready", "graph", "rules", "chart"):
        assert f"/api/workspaces/{{workspace_path}}/{name}" in paths
