"""A client of the handshake era that speaks plain HTTP, so that tests see exactly what is sent."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from tests.faces.http.running import Answered, RunningServer

REVISION = "2025-11-25"
BOTH = "application/json, text/event-stream"


class HandshakeClient:
    """One session."""

    def __init__(
        self,
        server: RunningServer,
        *,
        token: str | None = None,
        revision: str = REVISION,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        self.server = server
        self.token = token
        self.revision = revision
        self.identity: str | None = None
        self._count = 0
        info = {"name": "test", "version": "1"}
        self.told = self.post(
            "initialize", protocolVersion=revision, capabilities=dict(capabilities or {}), clientInfo=info
        )
        self.identity = self.told.headers["mcp-session-id"]
        assert self.notify("notifications/initialized").status == 202

    def headers(self, **more: str | None) -> dict[str, str | None]:
        belonging = {} if self.identity is None else {"Mcp-Session-Id": self.identity}
        version = {"MCP-Protocol-Version": self.revision} if self.identity else {}
        return {"Accept": BOTH, **belonging, **version, **more}

    def post(self, method: str, **params: Any) -> Answered:
        """Send a request and return the response as it came."""
        self._count += 1
        body = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        return self.server.ask("POST", "/mcp", body, self.headers(), token=self.token)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its answer, after whatever came before it."""
        return messages_in(self.post(method, **params))[-1]

    def notify(self, method: str, **params: Any) -> Answered:
        return self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: Any) -> Answered:
        return self.server.ask("POST", "/mcp", message, self.headers(), token=self.token)

    def close(self) -> int:
        return self.server.ask("DELETE", "/mcp", None, self.headers(), token=self.token).status

    @contextmanager
    def events(self, last_id: str | None = None) -> Iterator[EventReader]:
        """Listen to what is said outside of answers, or go on where a stream broke off."""
        more = {} if last_id is None else {"Last-Event-ID": last_id}
        with self.stream("GET", None, **more) as reader:
            yield reader

    @contextmanager
    def stream(self, http_method: str, message: Any, **more: str) -> Iterator[EventReader]:
        """Send something and read its response event by event."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        headers = {name: value for name, value in self.headers(**more).items() if value is not None}
        headers["Authorization"] = f"Bearer {self.token or self.server.token}"
        body = None if message is None else json.dumps(message)
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(http_method, "/mcp", body, headers)
        try:
            yield EventReader(connection.getresponse())
        finally:
            hang_up(connection)


class EventReader:
    """Reads events as they come."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self.last_id: str | None = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self

    def __next__(self) -> dict[str, Any]:
        """Return the next message; a priming event only leaves its id."""
        data = ""
        while line := self.response.readline().decode():
            if line.startswith("id: "):
                self.last_id = line[4:].strip()
            elif line.startswith("data: "):
                data = line[6:].strip()
            elif not line.strip() and data:
                message: dict[str, Any] = json.loads(data)
                return message
        raise StopIteration


def messages_in(answered: Answered) -> list[dict[str, Any]]:
    """Return the messages of a response, whether it is JSON or events."""
    if not answered.headers["content-type"].startswith("text/event-stream"):
        return [answered.json]
    lines = answered.body.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ") and line[6:].strip()]


def hang_up(connection: http.client.HTTPConnection) -> None:
    """Close a connection though a thread may be reading from it, which alone would wait for more."""
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
