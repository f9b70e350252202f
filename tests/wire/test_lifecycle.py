"""The connection states of the toolkit specification, as a table and on a real connection."""

from __future__ import annotations

import itertools

import pytest

from holdfast.faces.mcp.wire.connection_state import (
    ConnectionEvent,
    ConnectionState,
    InvalidTransition,
    Phase,
)
from tests.wire.client import ENVELOPE, wire_client

ALLOWED = {
    (Phase.UNINITIALIZED, ConnectionEvent.INITIALIZE): ConnectionState(
        Phase.INITIALIZING, capabilities=False
    ),
    (Phase.INITIALIZING, ConnectionEvent.INITIALIZED): ConnectionState(Phase.READY),
    (Phase.READY, ConnectionEvent.SHUTDOWN): ConnectionState(Phase.SHUTTING, graceful=True),
    (Phase.SHUTTING, ConnectionEvent.DRAINED): ConnectionState(Phase.CLOSED),
} | {(phase, ConnectionEvent.ERROR): ConnectionState(Phase.SHUTTING, graceful=False) for phase in Phase}


@pytest.mark.requirement(
    "transport-9", "transport-10", "transport-11", "transport-12", "transport-13", "transport-14"
)
@pytest.mark.parametrize(("phase", "event"), list(itertools.product(Phase, ConnectionEvent)))
def test_only_the_specified_transitions_exist(phase: Phase, event: ConnectionEvent) -> None:
    state = ConnectionState(phase)
    if (phase, event) in ALLOWED:
        assert state.after(event) == ALLOWED[phase, event]
    else:
        with pytest.raises(InvalidTransition, match=event.value):
            state.after(event)
        assert state.phase is phase


@pytest.mark.requirement("transport-14")
def test_requests_before_initialize_are_refused_except_ping() -> None:
    with wire_client() as client:
        refused = client.ask(1, "tools/list")
        assert refused["error"]["code"] == -32600
        assert refused["error"]["data"]["type"] == "not_initialized"
        assert client.ask(2, "ping")["result"] == {}
        assert client.initialize()["protocolVersion"] == "2025-11-25"


@pytest.mark.requirement("transport-14")
def test_a_second_initialize_is_refused_and_the_connection_lives() -> None:
    with wire_client() as client:
        client.initialize()
        again = client.ask(2, "initialize", {"protocolVersion": "2024-11-05", "capabilities": {}})
        assert again["error"]["code"] == -32600
        assert client.call(3, "echo", text="still here")["result"]["structuredContent"] == {
            "text": "still here"
        }


@pytest.mark.requirement("transport-11")
def test_a_client_without_initialized_notification_is_served() -> None:
    with wire_client() as client:
        client.ask(1, "initialize", {"protocolVersion": "2024-11-05", "capabilities": {}})
        assert client.ask(2, "tools/list")["result"]["tools"]


def test_requests_pipelined_behind_initialize_are_served() -> None:
    with wire_client() as client:
        client.request(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        client.start_call(2, "echo", text="early")
        first, second = client.answers(2)
        assert first["id"] == 1
        assert second["result"]["structuredContent"] == {"text": "early"}


@pytest.mark.requirement("transport-7", "transport-8", "transport-28", "transport-29")
def test_the_connection_flow_of_the_specification() -> None:
    with wire_client() as client:
        client.initialize()
        assert client.ask(2, "tools/list", {})["result"]["tools"]
        assert client.ask(3, "resources/list", {})["result"]["resources"]
        assert client.ask(4, "prompts/list", {})["result"]["prompts"]
        content = client.call(5, "echo", text="hi")["result"]["content"]
        assert [item["type"] for item in content] == ["text"]


@pytest.mark.requirement("transport-19", "transport-20", "transport-21", "transport-22")
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_each_handshake_revision_is_negotiated(version: str) -> None:
    with wire_client() as client:
        result = client.initialize(version)
        assert result["protocolVersion"] == version
        assert set(result["capabilities"]) >= {"tools", "resources", "prompts"}
        assert result["serverInfo"]["name"] == "holdfast"
        assert result["serverInfo"]["version"]


def test_an_unknown_revision_is_answered_with_the_newest_handshake_one() -> None:
    with wire_client() as client:
        assert client.initialize("1999-01-01")["protocolVersion"] == "2025-11-25"


def test_initialize_without_client_info_is_accepted() -> None:
    with wire_client() as client:
        answer = client.ask(1, "initialize", {"protocolVersion": "2024-11-05", "capabilities": {}})
        assert answer["result"]["protocolVersion"] == "2024-11-05"


def test_stateless_requests_need_no_handshake() -> None:
    with wire_client() as client:
        discovered = client.ask(1, "server/discover", {"_meta": ENVELOPE})["result"]
        assert "2026-07-28" in discovered["supportedVersions"]
        called = client.ask(2, "tools/call", {"name": "echo", "arguments": {"text": "hi"}, "_meta": ENVELOPE})
        assert called["result"]["resultType"] == "complete"
        assert called["result"]["structuredContent"] == {"text": "hi"}


def test_both_eras_share_a_connection() -> None:
    with wire_client() as client:
        client.ask(1, "tools/list", {"_meta": ENVELOPE})
        client.initialize()
        assert client.call(2, "echo", text="old")["result"]["structuredContent"] == {"text": "old"}
        newer = client.ask(3, "tools/call", {"name": "echo", "arguments": {"text": "new"}, "_meta": ENVELOPE})
        assert newer["result"]["structuredContent"] == {"text": "new"}


def test_an_unknown_stateless_revision_names_the_supported_ones() -> None:
    envelope = ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    with wire_client() as client:
        error = client.ask(1, "tools/list", {"_meta": envelope})["error"]
        assert error["code"] == -32022
        assert error["data"]["supported"] == ["2026-07-28"]


BAD_LINES = (
    b"{not json",
    b"\xff\xfe",
    b'{"jsonrpc":"2.0","id":7,"method":"no/such/method"}',
    b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":null}',
    b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"arguments":{}}}',
)


@pytest.mark.requirement("analysis-218")
@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_is_answered_once_and_the_session_goes_on(line: bytes) -> None:
    with wire_client() as client:
        client.initialize()
        client.send_bytes(line + b"\n")
        assert "error" in client.receive()
        client.notify("notifications/no_such_thing")
        assert client.ask(10, "ping")["result"] == {}  # and so the notification had no answer
