"""Answered means written, over HTTP too: what was not answered goes back to where it was taken from."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.faces.http.access import Principal
from holdfast.faces.http.exchange import HttpExchange
from holdfast.faces.http.response_sender import ResponseSender
from holdfast.faces.settlements import Settlements
from holdfast.kernel.call import Call
from holdfast.kernel.role import Role
from tests.faces.http.running import RunningServer, running_server
from tests.faces.mcp.test_lazygit_profile import send
from tests.waiting import wait_until
from tests.wire.client import ENVELOPE

CALLER = Principal("ada", Role.WRITE, "token:ada")


class Wire:
    """A connection as ASGI shows it: what is sent after the client left is swallowed."""

    def __init__(self, *, leaves_after: int | None = None) -> None:
        self.taken: list[bytes] = []
        self._leaves_after = leaves_after
        self._never = asyncio.Event()

    @property
    def gone(self) -> bool:
        return self._leaves_after is not None and len(self.taken) >= self._leaves_after

    async def receive(self) -> dict[str, Any]:
        if not self.gone:
            await self._never.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if not self.gone and message["type"] == "http.response.body":
            self.taken.append(message.get("body", b""))


async def answered(wire: Wire, headers: list[tuple[bytes, bytes]], *bodies: bytes) -> str:
    fate: list[str] = []
    exchange, settlements = HttpExchange(CALLER), Settlements()
    call = Call()
    call.after_answer(lambda: fate.append("committed"), lambda: fate.append("given back"))
    exchange.add_call(call)
    answer = ResponseSender(exchange, wire.receive, wire.send)
    await answer.send({"type": "http.response.start", "status": 200, "headers": headers})
    for number, body in enumerate(bodies):
        more = number < len(bodies) - 1
        await answer.send({"type": "http.response.body", "body": body, "more_body": more})
    settlements.settle(exchange.caller.key, exchange, answered=answer.was_sent)
    await settlements.wait_for(CALLER.key)
    (only,) = fate
    return only


JSON = [(b"content-type", b"application/json")]
EVENTS = [(b"content-type", b"text/event-stream")]
RESULT = b'event: message\r\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\r\n\r\n'
PROGRESS = b'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\r\n\r\n'


@pytest.mark.requirement("http-9")
@pytest.mark.parametrize(
    ("leaves_after", "headers", "bodies", "fate"),
    [
        (None, JSON, [b"{}"], "committed"),
        (0, JSON, [b"{}"], "given back"),
        (1, JSON, [b"{}"], "committed"),
        (1, JSON, [b"x" * 200_000], "given back"),
        (None, JSON, [b"x" * 200_000], "committed"),
        (None, EVENTS, [PROGRESS, RESULT, b""], "committed"),
        (0, EVENTS, [PROGRESS, RESULT, b""], "given back"),
        (1, EVENTS, [PROGRESS, RESULT, b""], "given back"),
        (2, EVENTS, [PROGRESS, RESULT, b""], "committed"),
        (None, EVENTS, [PROGRESS, b": ping\r\n\r\n"], "given back"),
    ],
)
def test_the_fate_of_an_answer_is_told(
    leaves_after: int | None, headers: list[tuple[bytes, bytes]], bodies: list[bytes], fate: str
) -> None:
    assert asyncio.run(_fate(leaves_after, headers, bodies)) == fate


async def _fate(leaves_after: int | None, headers: list[tuple[bytes, bytes]], bodies: list[bytes]) -> str:
    return await answered(Wire(leaves_after=leaves_after), headers, *bodies)


@pytest.mark.requirement("http-9")
def test_an_operation_that_finishes_after_its_client_left_is_given_back() -> None:
    fate: list[str] = []
    exchange, call = HttpExchange(CALLER), Call()
    exchange.settle(answered=False)
    exchange.add_call(call)
    call.after_answer(lambda: fate.append("committed"), lambda: fate.append("given back"))
    assert fate == ["given back"]


@pytest.fixture
def running(repository: Path) -> Iterator[RunningServer]:
    with running_server(repository) as server:
        yield server


def request(server: RunningServer, path: str, body: Any, **headers: str) -> bytes:
    payload = json.dumps(body).encode()
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Authorization: Bearer {server.token}",
        "Accept: application/json, text/event-stream",
        "Content-Type: application/json",
        f"Content-Length: {len(payload)}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + payload


def session_of(server: RunningServer) -> dict[str, str]:
    """Open a session of the handshake era."""
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    answer = server.ask("POST", "/mcp", first, {"Accept": "application/json, text/event-stream"})
    return {"Mcp_Session_Id": answer.headers["mcp-session-id"], "MCP_Protocol_Version": "2025-11-25"}


CALL: dict[str, Any] = {"name": "check_lazygit_messages", "arguments": {}}
STATELESS = {
    "MCP_Protocol_Version": "2026-07-28",
    "Mcp_Method": "tools/call",
    "Mcp_Name": "check_lazygit_messages",
}


def taking(server: RunningServer, way: str) -> bytes:
    """Return a request that takes what waits, over one of the ways in."""
    if way == "rest":
        return request(server, "/api/inbox/check_lazygit_messages", {})
    if way == "stateless":
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL | {"_meta": ENVELOPE}}
        return request(server, "/mcp", body, **STATELESS)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
    return request(server, "/mcp", body, **session_of(server))


def state_of_the_message(server: RunningServer) -> str:
    (message,) = server.ask("GET", "/api/inbox/list_messages?state=all").json["messages"]
    return str(message["state"])


def wait_for(server: RunningServer, state: str) -> None:
    wait_until(lambda: state_of_the_message(server) == state)


@pytest.mark.requirement("http-9")
@pytest.mark.parametrize("way", ["rest", "stateless", "handshake"])
def test_what_a_client_took_is_delivered_and_stays_so(running: RunningServer, way: str) -> None:
    send(running.repository, "Once")
    asking = taking(running, way)
    with socket.create_connection(("127.0.0.1", running.port), timeout=120) as connection:
        connection.sendall(asking)
        received = b""
        while b"Once" not in received:
            received += connection.recv(65536)
    wait_for(running, "delivered")


@pytest.mark.requirement("http-9")
@pytest.mark.parametrize("way", ["rest", "stateless", "handshake"])
def test_what_a_client_did_not_wait_for_comes_again(running: RunningServer, way: str) -> None:
    send(running.repository, "Again")
    asking = taking(running, way)
    for _ in range(5):
        connection = socket.create_connection(("127.0.0.1", running.port), timeout=120)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.sendall(asking)
        connection.close()
    taken: list[dict[str, str]] = []

    def comes_again() -> list[dict[str, str]]:
        taken.extend(running.ask("POST", "/api/inbox/check_lazygit_messages", {}).json["messages"])
        return taken

    wait_until(comes_again, "the message was lost with the client that did not wait")
    assert taken[0]["comment"] == "Again"
