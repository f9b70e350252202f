"""A real server over HTTP in a process of its own, and a client that says exactly what it is told to."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import forked
from tests.wire.client import ENVELOPE

HOLDFAST = str(Path(sys.executable).with_name("holdfast"))
DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}


@dataclass(frozen=True)
class Answered:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class RunningServer:
    """A server process and how to talk to it."""

    port: int
    token: str
    said: str
    process: subprocess.Popen[str]
    repository: Path
    extra: dict[str, str] = field(default_factory=dict)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
        token: str | None = None,
    ) -> Answered:
        """Send one request on a connection of its own; a header of None is left out."""
        given: dict[str, str | None] = {"Authorization": f"Bearer {token or self.token}"}
        payload = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if payload is not None:
            given["Content-Type"] = "application/json"
        given |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {name: value for name, value in given.items() if value is not None}
        try:
            connection.putrequest(method, path, skip_host="Host" in given, skip_accept_encoding=True)
            if payload is not None and "Content-Length" not in sent:
                sent["Content-Length"] = str(len(payload))
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(payload)
            response = connection.getresponse()
            return Answered(
                response.status,
                {name.lower(): value for name, value in response.getheaders()},
                response.read(),
            )
        finally:
            connection.close()

    def post_mcp(self, message: Any, **headers: str | None) -> Answered:
        """Send one message of the stateless era."""
        method = message.get("method", "") if isinstance(message, dict) else ""
        given = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", "/mcp", message, given)

    def call(self, method: str, *, token: str | None = None, **params: Any) -> dict[str, Any]:
        """Ask in the stateless era and return the whole answer."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
        named = params.get("name") or params.get("uri")
        name = {"Mcp_Name": named} if named else {}
        authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
        answered = self.post_mcp(body, **name, **authorization)
        data = re.search(rb"^data: (.*)$", answered.body, re.MULTILINE)
        answer: dict[str, Any] = json.loads(data.group(1) if data else answered.body)
        return answer

    def add_token(self, name: str, role: str) -> str:
        """Give somebody a token and return it."""
        command = [HOLDFAST, "token", "add", name, "--role", role]
        done = forked.run(command, cwd=self.repository, capture_output=True, text=True, check=True)
        return done.stdout.strip()


@contextmanager
def running_server(
    repository: Path, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[RunningServer]:
    """Serve a repository on a free port and wait until it answers."""
    command = ["serve", "--http", "127.0.0.1:0", *options]
    with serving(command, repository, repository, environment) as server:
        yield server


@contextmanager
def serving(
    command: list[str], cwd: Path, repository: Path, environment: Mapping[str, str] | None = None
) -> Iterator[RunningServer]:
    """Run a command that serves a repository, and wait until it answers."""
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    process = forked.Popen([HOLDFAST, *command], cwd=cwd, env=environment, **streams)
    try:
        yield connected(process, repository)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(40)
        assert process.stderr is not None
        process.stderr.close()


def connected(process: subprocess.Popen[str], repository: Path) -> RunningServer:
    """Read what a starting server says and wait until it answers."""
    assert process.stderr is not None
    said = [process.stderr.readline()]
    while "Ctrl-C" not in said[-1]:
        assert said[-1], "".join(said)
        said.append(process.stderr.readline())
    match = re.search(r":(\d+)/mcp", said[0])
    assert match is not None
    token = (repository / ".git/holdfast/token").read_text().strip()
    server = RunningServer(int(match.group(1)), token, "".join(said), process, repository)
    for _ in range(200):
        try:
            if server.post_mcp(DISCOVER).status == 200:
                return server
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server did not come up")
