"""The Inspector's command line against `holdfast serve`, in every era it knows. Each run starts a server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.node import INSPECTOR, run_node
from tests.clients.recording import HOLDFAST, Recording
from tests.clients.review import COMMENT, TOOLS, as_specified, text_of
from tests.conftest import RunHoldfast

pytestmark = pytest.mark.node

NO_SUCH_TOOL = 5
REVISIONS = {"legacy": "2025-11-25", "modern": "2026-07-28", "auto": "2026-07-28"}
CHECKING = ("tools/call", "--tool-name", "check_lazygit_messages")

Inspect = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(params=[pytest.param("legacy", marks=pytest.mark.slow), "modern"])
def inspect(request: pytest.FixtureRequest, repository: Path, recording: Recording) -> Iterator[Inspect]:
    """Run the Inspector with a method and its options; in the end every server must have been in order."""
    server = recording.command(HOLDFAST, "serve")

    def inspect(method: str, *options: str) -> subprocess.CompletedProcess[str]:
        shared = ("--cli", "--protocol-era", request.param, "--format", "json", "--method", method)
        patient = ("--connect-timeout", "110000")  # its 15 seconds are too few for a busy machine
        return run_node(INSPECTOR, *shared, *patient, *options, "--", *server, cwd=repository, check=False)

    yield inspect
    recording.assert_in_order(REVISIONS[request.param])


def result_of(answer: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the result that the Inspector printed."""
    assert answer.returncode == 0, answer.stderr
    result: dict[str, Any] = json.loads(answer.stdout)["result"]
    return result


def words_of(answer: subprocess.CompletedProcess[str]) -> str:
    """Return what a failed call said, in its result or in the protocol's error."""
    assert answer.returncode != 0
    if answer.stdout:
        return text_of(json.loads(answer.stdout)["result"])
    return text_of(json.loads(answer.stderr))


@pytest.mark.parametrize("inspect", REVISIONS, indirect=True)
def test_every_tool_is_listed_with_portable_schemas(inspect: Inspect):
    listed = inspect("tools/list", "--strict")
    assert {tool["name"] for tool in result_of(listed)["tools"]} >= TOOLS
    assert listed.stderr == ""


def test_resources_and_prompts_are_listed(inspect: Inspect):
    resources = result_of(inspect("resources/list"))["resources"]
    assert "lazygit://messages" in [resource["uri"] for resource in resources]
    prompts = result_of(inspect("prompts/list"))["prompts"]
    assert "address_review_remarks" in [prompt["name"] for prompt in prompts]


def test_a_remark_sent_through_one_server_is_read_and_taken_through_others(inspect: Inspect):
    remark = {"anyway": True, "file": "src/main.py", "line": "42", "comment": COMMENT}
    sent = inspect("tools/call", "--tool-name", "send_message", "--tool-args-json", json.dumps(remark))
    words = as_specified(result_of(sent)["structuredContent"]["time"])
    read = result_of(inspect("resources/read", "--uri", "lazygit://messages"))
    assert read["contents"][0]["text"] == words
    prompt = result_of(inspect("prompts/get", "--prompt-name", "address_review_remarks"))
    assert words in prompt["messages"][0]["content"]["text"]
    assert result_of(inspect(*CHECKING))["content"][0] == {"type": "text", "text": words}


@pytest.mark.parametrize("inspect", ["auto"], indirect=True)
def test_a_tool_is_called_in_the_revision_agreed_on(inspect: Inspect):
    nothing = "No new messages from lazygit"
    assert result_of(inspect(*CHECKING))["content"] == [{"type": "text", "text": nothing}]


def test_mistakes_are_told_in_our_words(inspect: Inspect):
    unknown = inspect("tools/call", "--tool-name", "no_such_tool")
    assert unknown.returncode == NO_SUCH_TOOL
    incomplete = inspect("tools/call", "--tool-name", "send_message", "--tool-arg", "file=README.md")
    assert 'missing argument "comment"' in words_of(incomplete)


def test_many_calls_at_once_all_succeed(inspect: Inspect, run_holdfast: RunHoldfast):
    run_holdfast("send", "--anyway", "--file", "README.md", "--comment", "One of many", check=True)
    load = ("--load", "--load-requests", "300", "--load-concurrency", "32")
    summary = result_of(inspect("tools/call", "--tool-name", "list_messages", *load))
    assert (summary["requests"], summary["ok"], summary["errorMessages"]) == (300, 300, [])
