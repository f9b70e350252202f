"""The transport itself: sessions, streams that begin when they are needed, and coming back to them."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import LIMITS
from tests import forked
from tests.conftest import ROOT
from tests.faces.http.handshake import BOTH, HandshakeClient, messages_in
from tests.faces.http.running import RunningServer
from tests.waiting import wait_until
from tests.wire.client import ENVELOPE

TOKEN = "sample-token"
SMALL = {"event_stream_ping_seconds": 0.3, "session_idle_seconds": 2.0, "sessions_per_client": 3}


@contextmanager
def sample_server(**limits: Any) -> Iterator[RunningServer]:
    command = [sys.executable, "-m", "tests.faces.http.sample_server", json.dumps(limits)]
    process = forked.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        server = RunningServer(int(process.stdout.readline()), TOKEN, "", process, Path())
        wait_until(lambda: answers(server))
        yield server
    finally:
        process.terminate()
        process.wait(40)
        process.stdout.close()
        process.stderr.close()


def answers(server: RunningServer) -> bool:
    try:
        return server.ask("GET", "/nothing").status == 404
    except OSError:
        return False


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with sample_server() as server:
        yield server


@pytest.fixture(scope="module")
def hasty() -> Iterator[RunningServer]:
    with sample_server(**SMALL) as server:
        yield server


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def request(identity: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": dict(params)}


# The form of an answer


@pytest.mark.requirement("http-25")
def test_an_answer_alone_is_json(server: RunningServer) -> None:
    client = HandshakeClient(server)
    answered = client.post("tools/call", **calling("echo", text="hi"))
    assert answered.headers["content-type"] == "application/json"
    assert answered.json["result"]["structuredContent"] == {"text": "hi"}


@pytest.mark.requirement("http-25")
def test_what_comes_before_the_answer_makes_it_a_stream(server: RunningServer) -> None:
    client = HandshakeClient(server)
    params = calling("wait", seconds=0.3, steps=3) | {"_meta": {"progressToken": "t"}}
    answered = client.post("tools/call", **params)
    assert answered.headers["content-type"] == "text/event-stream"
    told = messages_in(answered)
    assert {message["method"] for message in told[:-1]} == {"notifications/progress"}
    assert told[-1]["result"]["structuredContent"]["text"] == "done"
    assert answered.body.startswith(b"id: 1-1\ndata: \n\n"), "primed, for a client that loses it at once"


@pytest.mark.requirement("http-25")
def test_older_revisions_get_no_event_without_a_message(server: RunningServer) -> None:
    client = HandshakeClient(server, revision="2025-06-18")
    params = calling("wait", seconds=0.2, steps=2) | {"_meta": {"progressToken": "t"}}
    assert b"data: \n" not in client.post("tools/call", **params).body


def test_a_slow_answer_shows_signs_of_life_in_both_eras(hasty: RunningServer) -> None:
    slow = calling("wait", seconds=1.0)
    handshake = HandshakeClient(hasty).post("tools/call", **slow)
    body = request(1, "tools/call", slow | {"_meta": ENVELOPE})
    stateless = hasty.post_mcp(body, Mcp_Name="wait")
    for answered in (handshake, stateless):
        assert b": still here" in answered.body
        assert messages_in(answered)[-1]["result"]["structuredContent"]["text"] == "done"
    assert b"id: " not in stateless.body


def test_an_answer_over_the_limit_is_refused_under_its_id_in_both_eras(server: RunningServer) -> None:
    large = calling("large", size=6 * 1024 * 1024, max_bytes=LIMITS.response_bytes * 2)
    handshake = HandshakeClient(server).post("tools/call", **large).json
    stateless = server.post_mcp(request(7, "tools/call", large | {"_meta": ENVELOPE}), Mcp_Name="large").json
    for answer, identity in ((handshake, 2), (stateless, 7)):
        assert answer["id"] == identity
        data = answer["error"]["data"]
        assert data["size"] > data["limit"] == LIMITS.response_bytes


def test_an_answer_at_the_limit_fits_in_a_stream(hasty: RunningServer) -> None:
    body = request(1, "tools/call", calling("wait", seconds=1.0) | {"_meta": ENVELOPE})
    streamed = hasty.post_mcp(body, Mcp_Name="wait")
    size = len(streamed.body.rpartition(b"data: ")[2].strip())
    with sample_server(**SMALL, response_bytes=size) as exact:
        again = exact.post_mcp(body, Mcp_Name="wait")
    assert again.headers["content-type"] == "text/event-stream"
    assert messages_in(again) == messages_in(streamed)


# Coming back


@pytest.mark.requirement("http-25")
def test_a_stream_that_broke_off_goes_on_with_what_was_missed(server: RunningServer) -> None:
    client = HandshakeClient(server)
    params = calling("wait", seconds=1.5, steps=6) | {"_meta": {"progressToken": "t"}}
    with client.stream("POST", request(7, "tools/call", params)) as broken:
        seen = [next(broken)["params"]["progress"], next(broken)["params"]["progress"]]
        last_id = broken.last_id
    with client.events(last_id) as resumed:
        rest = list(resumed)
    assert rest[-1]["id"] == 7
    assert rest[-1]["result"]["structuredContent"]["text"] == "done"
    following = [message["params"]["progress"] for message in rest[:-1]]
    assert following == sorted(following)
    assert all(number > seen[-1] for number in following)
    with client.events(last_id) as again:
        assert list(again)[-1]["id"] == 7, "as long as it is remembered"


def test_nothing_can_be_resumed_that_is_not_known(server: RunningServer) -> None:
    client = HandshakeClient(server)
    for last_id in ("99-1", "1", "x-y", "0-x", "0-\u00b2", "0-" + "9" * 5000):
        answered = server.ask("GET", "/mcp", None, client.headers() | {"Last-Event-ID": last_id})
        assert answered.status == 400, last_id


# Questions and cancellation


@pytest.mark.requirement("http-25")
def test_a_question_is_asked_on_the_stream_and_answered_by_another_post(server: RunningServer) -> None:
    client = HandshakeClient(server, capabilities={"elicitation": {}})
    with client.stream("POST", request(5, "tools/call", calling("confirm"))) as stream:
        question = next(stream)
        assert question["method"] == "elicitation/create"
        answer = {"action": "accept", "content": {"ok": True}}
        assert client.send({"jsonrpc": "2.0", "id": question["id"], "result": answer}).status == 202
        assert next(stream)["result"]["structuredContent"] == {"text": "accept"}
    assert "error" in HandshakeClient(server).ask("tools/call", **calling("confirm")).get("result", {}).get(
        "structuredContent", {}
    )


@pytest.mark.requirement("http-25")
def test_a_cancelled_request_stops_and_is_told_so(server: RunningServer) -> None:
    client = HandshakeClient(server)
    answers: list[Any] = []
    body = request(9, "tools/call", calling("wait", seconds=60))
    working = threading.Thread(target=lambda: answers.append(client.send(body).json))
    working.start()
    duplicate = {}

    def is_running() -> bool:
        nonlocal duplicate
        duplicate = client.send(request(9, "ping", {})).json
        return "error" in duplicate

    wait_until(is_running)
    assert duplicate["error"]["data"] == {"type": "duplicate_id"}
    client.notify("notifications/cancelled", requestId=9)
    working.join(120)
    assert answers[0]["error"]["code"] == -32800
    assert client.ask("ping")["result"] == {}


# Sessions


@pytest.mark.requirement("http-26")
def test_a_session_belongs_to_whoever_opened_it_and_ends_when_told(server: RunningServer) -> None:
    client = HandshakeClient(server)
    assert client.told.headers["mcp-session-id"].startswith("0-")
    stranger = server.ask("POST", "/mcp", request(1, "ping", {}), client.headers(), token="other-token")
    assert stranger.status == 404
    assert server.ask("DELETE", "/mcp", None, client.headers(), token="other-token").status == 404
    assert client.ask("ping")["result"] == {}
    assert client.close() == 200
    assert client.post("ping").status == 404


@pytest.mark.requirement("http-26")
def test_whoever_opens_too_many_sessions_loses_the_one_that_was_idle_longest(hasty: RunningServer) -> None:
    clients = [HandshakeClient(hasty, token="other-token") for _ in range(3)]
    assert [client.post("ping").status for client in clients] == [200] * 3
    with clients[0].events():
        newest = HandshakeClient(hasty, token="other-token")
        statuses = [client.post("ping").status for client in (*clients, newest)]
    assert statuses == [200, 404, 200, 200], "the first is in use by its stream"


@pytest.mark.requirement("http-26")
def test_a_session_that_nobody_uses_expires_and_one_that_is_listened_to_does_not(
    hasty: RunningServer,
) -> None:
    listening = HandshakeClient(hasty)
    with listening.events():
        idle = HandshakeClient(hasty)
        # A request for a stream that never was: it does not count as use of the session.
        wait_until(
            lambda: hasty.ask("GET", "/mcp", None, idle.headers(**{"Last-Event-ID": "x"})).status == 404
        )
        assert idle.post("ping").status == 404
        assert listening.post("ping").status == 200


# What is refused


@pytest.mark.parametrize(
    ("method", "change", "status"),
    [
        ("POST", {"Accept": "application/json"}, 406),
        ("POST", {"Accept": "text/event-stream"}, 406),
        ("POST", {"Accept": "application/json, text/event-stream;q=0"}, 406),
        ("POST", {"Accept": "*/*"}, 200),
        ("POST", {"Content-Type": "text/plain"}, 415),
        ("POST", {"Mcp-Session-Id": None}, 400),
        ("POST", {"Mcp-Session-Id": "0-unknown"}, 404),
        ("POST", {"Mcp-Session-Id": "9999999999-unknown"}, 404),
        ("POST", {"MCP-Protocol-Version": "1999-01-01"}, 400),
        ("POST", {"MCP-Protocol-Version": None}, 200),
        ("GET", {"Accept": "application/json"}, 406),
        ("GET", {"Mcp-Session-Id": None}, 400),
        ("GET", {"MCP-Protocol-Version": "2026-07-28"}, 405),
        ("DELETE", {"Mcp-Session-Id": None}, 400),
        ("PUT", {}, 405),
    ],
)
def test_headers_are_checked(
    server: RunningServer, method: str, change: dict[str, str | None], status: int
) -> None:
    client = HandshakeClient(server)
    body = request(1, "ping", {}) if method == "POST" else None
    answered = server.ask(method, "/mcp", body, client.headers() | change)
    assert answered.status == status
    if status >= 400:
        assert answered.json["error"]["message"]


@pytest.mark.parametrize("message", [request(1, "ping", {}), {"jsonrpc": "2.0", "method": "notifications/x"}])
def test_a_revision_that_is_not_served_is_named_with_those_that_are(
    server: RunningServer, message: dict[str, Any]
) -> None:
    headers = HandshakeClient(server).headers() | {"MCP-Protocol-Version": "1999-01-01"}
    answered = server.ask("POST", "/mcp", message, headers)
    error = answered.json["error"]
    assert (answered.status, error["data"]["requested"]) == (400, "1999-01-01")
    assert "'1999-01-01' is not supported; supported are 2024-11-05, " in error["message"]
    assert error["message"].endswith(", 2026-07-28.")
    assert error["data"]["supported"][-1] == "2026-07-28"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
    ],
)
def test_a_body_that_is_no_message_is_refused_in_both_eras(
    server: RunningServer, body: bytes, code: int
) -> None:
    client = HandshakeClient(server)
    stateless = {"Accept": BOTH, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "ping"}
    for headers in (client.headers(), stateless):
        answered = server.ask("POST", "/mcp", body, headers)
        assert (answered.status, answered.json["error"]["code"]) == (400, code)


def test_a_session_is_initialized_once_and_not_when_that_fails(server: RunningServer) -> None:
    client = HandshakeClient(server)
    assert client.post("initialize", protocolVersion="2025-11-25", capabilities={}).status == 400
    bad = server.ask("POST", "/mcp", request(1, "initialize", {"protocolVersion": 7}), {"Accept": BOTH})
    assert "error" in bad.json
    left = client.headers() | {"Mcp-Session-Id": bad.headers["mcp-session-id"]}
    assert server.ask("POST", "/mcp", request(2, "ping", {}), left).status == 404


@pytest.mark.requirement("http-25")
def test_a_stateless_client_that_leaves_cancels_its_request() -> None:
    body = request(1, "tools/call", calling("wait", seconds=60) | {"_meta": ENVELOPE})
    stateless = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "wait"}
    headers = {"Accept": BOTH, "Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    with sample_server() as server:  # one of its own, on whose standard error is nothing of other tests
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        connection.request("POST", "/mcp", json.dumps(body), headers | stateless)
        wait_until(lambda: "waiting" in said(server))
        connection.close()
        wait_until(lambda: "cancelled" in said(server))
        assert HandshakeClient(server).ask("ping")["result"] == {}


def said(server: RunningServer) -> str:
    """Return what the sample tools newly said on standard error."""
    assert server.process.stderr is not None
    stream = server.process.stderr.fileno()
    os.set_blocking(stream, False)
    try:
        return os.read(stream, 65536).decode()
    except BlockingIOError:
        return ""
