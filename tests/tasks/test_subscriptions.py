"""Whoever listens to tasks hears of every change, whichever process made it, and of nothing else."""

from __future__ import annotations

import json
import queue
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.wire.client import ENVELOPE, WireClient, wire_client

HOLDFAST = [sys.executable, "-m", "holdfast"]
TASKS = "taskpilot://workspace/current/tasks"


def run(repository: Path, *words: str) -> None:
    forked.run([*HOLDFAST, "tasks", *words], cwd=repository, check=True, capture_output=True)


@pytest.fixture
def workspace(repository: Path) -> Path:
    run(repository, "init")
    return repository


def notified(client: WireClient, method: str, seconds: float = 10.0) -> dict[str, Any]:
    """Return the next notification of a kind."""
    ends = time.monotonic() + seconds
    while True:
        message = client.receive(max(0.1, ends - time.monotonic()))
        if message.get("method") == method:
            return message


@pytest.mark.requirement("tasks-31")
def test_a_write_of_another_process_reaches_a_handshake_client(workspace: Path):
    with (
        wire_client([*HOLDFAST, "serve"], cwd=workspace) as client,
        wire_client([*HOLDFAST, "serve"], cwd=workspace) as other,
    ):
        client.initialize("2025-06-18")
        other.initialize()
        client.ask(1, "resources/subscribe", {"uri": TASKS})
        for number in range(9):
            other.call(number, "taskpilot_add", task_description=f"Task number {number}, unlike the others")
            updated = notified(client, "notifications/resources/updated")
            assert updated["params"]["uri"] == TASKS
            assert "id" not in updated


@pytest.mark.requirement("tasks-31")
def test_a_write_of_another_process_reaches_a_stateless_stream(workspace: Path):
    with wire_client([*HOLDFAST, "serve"], cwd=workspace) as client:
        wanted = {"_meta": ENVELOPE, "notifications": {"resourceSubscriptions": [TASKS]}}
        client.request("listen", "subscriptions/listen", wanted)
        assert client.receive()["method"] == "notifications/subscriptions/acknowledged"
        run(workspace, "add", "Something new")
        assert notified(client, "notifications/resources/updated")["params"]["uri"] == TASKS


def test_who_listens_to_one_task_does_not_hear_of_others(workspace: Path):
    mine = "taskpilot://workspace/current/tasks/TP-1"
    with wire_client([*HOLDFAST, "serve"], cwd=workspace) as client:
        client.initialize()
        client.ask(1, "resources/subscribe", {"uri": mine})
        run(workspace, "update", "TP-2", "--field", "notes", "--value", "of no interest")
        run(workspace, "update", "TP-1", "--field", "notes", "--value", "of interest")
        assert notified(client, "notifications/resources/updated")["params"]["uri"] == mine
        client.ask(2, "resources/unsubscribe", {"uri": mine})
        other = mine.replace("TP-1", "TP-2")
        client.ask(3, "resources/subscribe", {"uri": other})
        run(workspace, "update", "TP-1", "--field", "notes", "--value", "too late")
        run(workspace, "update", "TP-2", "--field", "notes", "--value", "of interest now")
        assert notified(client, "notifications/resources/updated")["params"]["uri"] == other


@pytest.mark.requirement("tasks-32")
def test_a_new_task_changes_the_list_of_resources(workspace: Path):
    with wire_client([*HOLDFAST, "serve"], cwd=workspace) as client:
        client.initialize()
        before = {item["uri"] for item in client.ask(1, "resources/list")["result"]["resources"]}
        run(workspace, "add", "Something new")
        notified(client, "notifications/resources/list_changed")
        after = {item["uri"] for item in client.ask(2, "resources/list")["result"]["resources"]}
        (new,) = after - before
        assert new.endswith("/tasks/TP-5")


def heard(client: WireClient, seconds: float) -> set[str]:
    """Return the addresses that a client hears of, until nothing was said for a while."""
    found: set[str] = set()
    try:
        while True:
            message = client.receive(seconds)
            if message.get("method") == "notifications/resources/updated":
                found.add(message["params"]["uri"].rpartition("current/")[2])
    except queue.Empty:
        return found


def test_texts_are_heard_of_when_they_change_by_hand_too_and_only_then(workspace: Path):
    rules = workspace / ".task" / "rules" / "workspace_rules.md"
    with wire_client([*HOLDFAST, "serve"], cwd=workspace) as client:
        client.initialize()
        for number, name in enumerate(("rules", "project.md", "tasks")):
            client.ask(number, "resources/subscribe", {"uri": f"taskpilot://workspace/current/{name}"})
        run(workspace, "update", "TP-1", "--field", "notes", "--value", "of no interest to rules")
        assert heard(client, 1.0) == {"tasks"}
        rules.write_text(f"{rules.read_text()}\n- Written by hand\n")
        assert heard(client, 1.0) == {"rules"}


def test_a_claim_that_runs_out_is_heard_of(workspace: Path):
    ready = "taskpilot://workspace/current/ready"
    with wire_client([*HOLDFAST, "serve"], cwd=workspace) as client:
        client.initialize()
        client.call(1, "taskpilot_claim", action="take", task_id="TP-1", agent="ada", lease_seconds=2)
        client.ask(2, "resources/subscribe", {"uri": ready})
        assert notified(client, "notifications/resources/updated")["params"]["uri"] == ready
        [content] = client.ask(3, "resources/read", {"uri": ready})["result"]["contents"]
        assert "TP-1" in [task["id"] for task in json.loads(content["text"])["tasks"]]
