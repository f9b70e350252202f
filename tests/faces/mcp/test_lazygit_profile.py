"""The lazygit specification's server, message by message, as a real process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.wire.client import WireClient, wire_client

HOLDFAST = [sys.executable, "-m", "holdfast"]
URI = "lazygit://messages"


def serve(*options: str) -> list[str]:
    return [*HOLDFAST, "serve", *options]


def send(root: Path, comment: str, *options: str, file: str = "src/main.go") -> None:
    command = [*HOLDFAST, "send", "--anyway", "--file", file, "--comment", comment, *options]
    forked.run(command, cwd=root, check=True, capture_output=True)


@pytest.fixture
def bridge(repository: Path) -> Iterator[WireClient]:
    with wire_client(serve("--profile", "lazygit"), cwd=repository) as client:
        yield client


def initialize(client: WireClient) -> dict[str, Any]:
    return client.ask(1, "initialize", {"protocolVersion": "2024-11-05", "capabilities": {}})


@pytest.mark.requirement("inbox-56")
def test_initialize_is_answered_as_the_specification_shows(bridge: WireClient) -> None:
    assert initialize(bridge) == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "protocolVersion": "2024-11-05",
            "capabilities": {
                "resources": {"subscribe": True, "listChanged": True},
                "tools": {"listChanged": False},
            },
            "serverInfo": {"name": "lazygit-mcp-bridge", "version": "1.0.0"},
        },
    }


@pytest.mark.requirement("inbox-56")
def test_a_newer_client_is_answered_with_the_one_revision(bridge: WireClient) -> None:
    assert bridge.initialize("2025-11-25")["protocolVersion"] == "2024-11-05"


@pytest.mark.requirement("inbox-57")
@pytest.mark.parametrize("method", ["initialized", "notifications/initialized"])
def test_initialized_gets_no_reply(bridge: WireClient, method: str) -> None:
    initialize(bridge)
    bridge.notify(method)
    assert bridge.ask(2, "ping") == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.requirement("inbox-58")
def test_the_one_tool_is_listed_as_the_specification_shows(bridge: WireClient) -> None:
    initialize(bridge)
    assert bridge.ask(2, "tools/list")["result"] == {
        "tools": [
            {
                "name": "check_lazygit_messages",
                "description": "Check for new messages from lazygit",
                "inputSchema": {"type": "object", "properties": {}},
            }
        ]
    }


@pytest.mark.requirement("inbox-64")
def test_the_one_resource_is_listed_as_the_specification_shows(bridge: WireClient) -> None:
    initialize(bridge)
    [resource] = bridge.ask(2, "resources/list")["result"]["resources"]
    assert resource == {
        "uri": URI,
        "name": "Lazygit Messages",
        "description": "Messages from lazygit for code improvement",
        "mimeType": "text/plain",
    }


@pytest.mark.requirement(
    "inbox-59", "inbox-60", "inbox-61", "inbox-62", "inbox-63", "inbox-67", "inbox-71", "inbox-75"
)
def test_messages_come_in_the_exact_text_and_only_once(bridge: WireClient, repository: Path) -> None:
    initialize(bridge)
    send(repository, "This function needs error handling", "--line", "42")
    send(repository, "Add input validation", "--line", "15", file="src/utils.go")
    result = bridge.ask(3, "tools/call", {"name": "check_lazygit_messages", "arguments": {}})["result"]
    [content] = result["content"]
    times = [message["time"] for message in result["structuredContent"]["messages"]]
    assert content["type"] == "text"
    assert content["text"] == (
        "Message 1:\nFile: src/main.go\nLine: 42\nComment: This function needs error handling\n"
        f"Time: {times[0]}\n\nPlease improve this code.\n\n" + "-" * 50 + "\n\n"
        "Message 2:\nFile: src/utils.go\nLine: 15\nComment: Add input validation\n"
        f"Time: {times[1]}\n\nPlease improve this code."
    )
    again = bridge.ask(4, "tools/call", {"name": "check_lazygit_messages"})["result"]
    assert again["content"] == [{"type": "text", "text": "No new messages from lazygit"}]


@pytest.mark.requirement("inbox-65", "inbox-72")
def test_reading_the_resource_shows_and_never_clears(bridge: WireClient, repository: Path) -> None:
    initialize(bridge)
    assert bridge.ask(2, "resources/read", {"uri": URI})["result"]["contents"] == [
        {"uri": URI, "mimeType": "text/plain", "text": "No new messages from lazygit"}
    ]
    send(repository, "Look again")
    for number in range(2):
        [contents] = bridge.ask(10 + number, "resources/read", {"uri": URI})["result"]["contents"]
        assert contents["text"].startswith("Message 1:\nFile: src/main.go\nComment: Look again\n")
    called = bridge.call(20, "check_lazygit_messages")["result"]
    assert called["content"][0]["text"] == contents["text"]


@pytest.mark.requirement("inbox-66", "inbox-74", "inbox-75")
def test_errors_have_the_codes_of_the_specification(bridge: WireClient) -> None:
    initialize(bridge)
    assert bridge.ask(2, "resources/read", {"uri": "lazygit://other"})["error"]["code"] == -32602
    assert bridge.ask(3, "no/such/method")["error"]["code"] == -32601
    assert bridge.ask(3, "no/such/method")["error"]["message"] == "Method not found"
    assert bridge.ask(4, "prompts/list")["error"]["code"] == -32601
    assert bridge.ask(5, "tools/call")["error"]["code"] == -32602
    assert bridge.ask(6, "tools/call", {})["error"]["code"] == -32602
    assert bridge.ask(7, "tools/call", {"name": "send_message"})["error"]["code"] == -32602
    assert bridge.call(8, "check_lazygit_messages", surprise=1)["error"]["code"] == -32602
    bridge.send_bytes(b"{]\n")
    assert bridge.receive()["error"]["code"] == -32700
    bridge.send({"jsonrpc": "2.0", "id": 9})
    assert bridge.receive()["error"]["code"] == -32600


@pytest.mark.requirement("inbox-76")
def test_a_subscriber_hears_of_a_message_that_another_process_sent(
    bridge: WireClient, repository: Path
) -> None:
    initialize(bridge)
    assert bridge.ask(2, "resources/subscribe", {"uri": URI})["result"] == {}
    send(repository, "Listen")
    assert bridge.receive(5) == {
        "jsonrpc": "2.0",
        "method": "notifications/resources/updated",
        "params": {"uri": URI},
    }
    assert bridge.ask(3, "resources/unsubscribe", {"uri": URI})["result"] == {}


@pytest.mark.requirement("inbox-77")
def test_arriving_messages_are_logged_once_logging_is_enabled(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        assert client.ask(1, "logging/setLevel", {"level": "info"})["result"] == {}
        send(repository, "Watch this")
        logged = client.receive(5)
        assert logged["method"] == "notifications/message"
        assert logged["params"]["level"] == "info"
        assert logged["params"]["data"]["file"] == "src/main.go"
        assert logged["params"]["data"]["message"] == "New message from lazygit"
        client.ask(2, "logging/setLevel", {"level": "error"})
        send(repository, "Quiet now")
        assert client.ask(3, "ping")["result"] == {}


@pytest.mark.requirement("inbox-81")
def test_a_reply_that_is_never_taken_leaves_the_messages_queued(repository: Path) -> None:
    big = "x" * 9_000
    for number in range(10):
        send(repository, f"{number} {big}")
    with wire_client(serve("--profile", "lazygit"), cwd=repository, reading=False) as client:
        client.request(1, "initialize", {"protocolVersion": "2024-11-05", "capabilities": {}})
        client.process.stdout.readline()
        client.start_call(2, "check_lazygit_messages")
        client.process.stdout.read(1)
        client.process.stdout.close()
        assert client.wait() == 0
    with wire_client(serve("--profile", "lazygit"), cwd=repository) as client:
        initialize(client)
        result = client.call(2, "check_lazygit_messages")["result"]
        assert len(result["structuredContent"]["messages"]) == 10
