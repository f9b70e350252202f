"""One way to ask a server, whichever transport and revision is spoken."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faces.http.running import RunningServer, running_server
from tests.wire.client import ENVELOPE, WireClient, wire_client

HOLDFAST = [sys.executable, "-m", "holdfast"]
WAYS = ("stdio 2025-06-18", "stdio 2025-11-25", "stdio 2026-07-28", "http 2025-11-25", "http 2026-07-28")
STATELESS = "2026-07-28"


@dataclass
class Talk:
    """A client that has shaken hands, where its revision does that."""

    way: str
    send: Callable[[str, dict[str, Any]], dict[str, Any]]
    greeting: dict[str, Any] = field(default_factory=dict)

    @property
    def is_stateless(self) -> bool:
        return self.way.endswith(STATELESS)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the whole answer."""
        return self.send(method, params)

    def result(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request that has to succeed."""
        answer = self.send(method, params)
        assert "result" in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool."""
        return self.result("tools/call", name=tool, arguments=arguments)

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the data of a tool that has to succeed."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        found: dict[str, Any] = result["structuredContent"]
        return found


@contextmanager
def talking(way: str, repository: Path, *options: str) -> Iterator[Talk]:
    """Talk to a server of its own in one of the ways."""
    transport, version = way.split()
    if transport == "stdio":
        with wire_client([*HOLDFAST, "serve", *options], cwd=repository) as client:
            yield _over_pipe(way, client, version)
    else:
        with running_server(repository, *options) as server:
            yield _over_http(way, server, version)


def _over_pipe(way: str, client: WireClient, version: str) -> Talk:
    numbers = itertools.count(1)
    if version == STATELESS:
        talk = Talk(
            way, lambda method, params: client.ask(next(numbers), method, {**params, "_meta": ENVELOPE})
        )
        talk.greeting = talk.result("server/discover")
        return talk
    greeting = client.initialize(version)
    return Talk(way, lambda method, params: client.ask(next(numbers), method, params), greeting)


def _over_http(way: str, server: RunningServer, version: str) -> Talk:
    if version == STATELESS:
        talk = Talk(way, lambda method, params: server.call(method, **params))
        talk.greeting = talk.result("server/discover")
        return talk
    return _handshake_over_http(way, server, version)


def _handshake_over_http(way: str, server: RunningServer, version: str) -> Talk:
    numbers = itertools.count(1)
    headers: dict[str, str | None] = {"Accept": "application/json, text/event-stream"}

    def post(message: dict[str, Any]) -> Any:
        answered = server.ask("POST", "/mcp", {"jsonrpc": "2.0", **message}, headers)
        assert answered.status < 300, answered
        if "mcp-session-id" in answered.headers:
            headers["Mcp-Session-Id"] = answered.headers["mcp-session-id"]
        found = re.findall(rb"^data: (\{.*\})$", answered.body, re.MULTILINE)
        return json.loads(found[-1] if found else answered.body or b"null")

    def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = post({"id": next(numbers), "method": method, "params": params})
        return answer

    info = {"name": "tests", "version": "1"}
    greeting = send("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": info})[
        "result"
    ]
    headers["MCP-Protocol-Version"] = version
    post({"method": "notifications/initialized"})
    return Talk(way, send, greeting)
