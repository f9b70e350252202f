"""What a call over HTTP costs beside the SDK's own server, counted in function calls instead of time."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from bench._client import INITIALIZE
from bench.servers.echo import Nothing, echo_tools
from bench.servers.stock_tools import stock_server

from holdfast.faces.http.access import LocalTokens
from holdfast.faces.http.server import HttpServer
from holdfast.faces.http.settings import HttpSettings, ListenAddress
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.registry import Registry
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.tokens import TokenFile
from tests.wire.client import ENVELOPE

PORT = 8765
CALLS = 20
Application = Callable[[Any, Any, Any], Awaitable[None]]


async def post(
    application: Application, message: Any, headers: dict[str, str]
) -> tuple[dict[str, str], bytes]:
    """Send one request to an application, without a network."""
    body = json.dumps(message).encode()
    told = {
        "host": f"127.0.0.1:{PORT}",
        "authorization": "Bearer token",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "content-length": str(len(body)),
    }
    pairs = [(name.encode(), value.encode()) for name, value in (told | headers).items()]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": pairs}
    incoming = [{"type": "http.request", "body": body, "more_body": False}]
    answered: dict[str, str] = {}
    parts: list[bytes] = []

    async def receive() -> dict[str, Any]:
        if incoming:
            return incoming.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(part: dict[str, Any]) -> None:
        answered.update({name.decode(): value.decode() for name, value in part.get("headers", [])})
        parts.append(part.get("body", b""))

    await application(scope, receive, send)
    return answered, b"".join(parts)


async def cost(application: Application, running: AbstractAsyncContextManager[Any], era: str) -> int:
    """Return how many functions are called for some calls of a tool."""
    async with running:
        headers: dict[str, str] = {
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "echo",
        }
        envelope: dict[str, Any] = {"_meta": ENVELOPE}
        if era == "handshake":
            opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
            told, _ = await post(application, opening, {})
            headers = {"mcp-session-id": told["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
            envelope = {}
        await call(application, headers, envelope, 1)
        with counted() as count:
            for number in range(2, CALLS + 2):
                await call(application, headers, envelope, number)
        return count[0]


async def call(
    application: Application, headers: dict[str, str], envelope: dict[str, Any], number: int
) -> None:
    params = {"name": "echo", "arguments": {"text": "hi"}} | envelope
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    _, body = await post(application, message, headers)
    assert b'"text":"hi"' in body.replace(b" ", b"")


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the functions that are called while a block runs, on this thread and on new ones."""
    count = [0]

    def called(frame: Any, event: str, argument: Any) -> None:
        del frame, argument
        if event == "call":
            count[0] += 1

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        yield count
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


@pytest.mark.requirement("http-20")
@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_a_call_takes_no_more_steps_than_with_the_sdks_own_server(era: str, repository: Path) -> None:
    stock = stock_server()
    theirs = stock.streamable_http_app()
    dispatcher = Dispatcher(Registry([echo_tools()]), lambda _: None)
    server = HttpServer(
        dispatcher, PROFILES["everything"], Nothing(), HttpSettings(ListenAddress("127.0.0.1", PORT)), PORT
    )
    ours = server.application([LocalTokens("token", TokenFile(Repository.discover(repository)))])
    spent = asyncio.run(cost(ours, ours.running(), era))
    allowed = asyncio.run(cost(theirs, theirs.router.lifespan_context(theirs), era))
    server.close()
    assert spent <= allowed
