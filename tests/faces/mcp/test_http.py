"""The server over HTTP on this machine: nothing without the token, nothing for strangers' pages."""

from __future__ import annotations

import http.client
import json
import re
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faces.mcp.test_lazygit_profile import HOLDFAST, send
from tests.wire.client import ENVELOPE

DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}


@dataclass
class HttpServer:
    port: int
    token: str
    said: str
    process: subprocess.Popen[str]

    def post(self, body: Any, **headers: str | None) -> tuple[int, str]:
        given = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": body.get("method", "") if isinstance(body, dict) else "",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(
            "POST", "/mcp", payload, {name: value for name, value in given.items() if value is not None}
        )
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
        status, text = self.post(body, Mcp_Name=params.get("name"))
        assert status == 200, text
        data = re.search(r"^data: (.*)$", text, re.MULTILINE)
        answer: dict[str, Any] = json.loads(data.group(1) if data else text)
        return answer


@pytest.fixture
def server(repository: Path) -> Iterator[HttpServer]:
    process = subprocess.Popen(
        [*HOLDFAST, "serve", "--http", "127.0.0.1:0"], cwd=repository, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = [process.stderr.readline()]
    while "Ctrl-C" not in said[-1]:
        said.append(process.stderr.readline())
    match = re.search(r":(\d+)/mcp", said[0])
    assert match is not None
    token = (repository / ".git/holdfast/token").read_text().strip()
    yield HttpServer(int(match.group(1)), token, "".join(said), process)
    process.terminate()
    process.wait(10)
    process.stderr.close()


def wait_until_up(server: HttpServer) -> None:
    import time

    for _ in range(100):
        try:
            if server.post(DISCOVER)[0] == 200:
                return
        except ConnectionError:
            pass
        time.sleep(0.05)
    raise AssertionError("the server did not come up")


def test_tools_work_over_http_and_see_what_other_processes_write(
    server: HttpServer, repository: Path
) -> None:
    wait_until_up(server)
    assert "2026-07-28" in server.ask("server/discover")["result"]["supportedVersions"]
    send(repository, "Over the wire")
    result = server.ask("tools/call", name="check_lazygit_messages", arguments={})["result"]
    assert result["structuredContent"]["messages"][0]["comment"] == "Over the wire"
    again = server.ask("tools/call", name="check_lazygit_messages", arguments={})["result"]
    assert again["structuredContent"]["messages"] == []


def test_nothing_is_answered_without_the_token(server: HttpServer) -> None:
    wait_until_up(server)
    for header in (None, "", "Bearer", "Bearer wrong", f"bearer {server.token}", f"Basic {server.token}"):
        assert server.post(DISCOVER, Authorization=header)[0] == 401


def test_other_hosts_and_origins_are_refused(server: HttpServer) -> None:
    wait_until_up(server)
    for host in ("evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "0.0.0.0"):
        assert server.post(DISCOVER, Host=host)[0] == 421
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port}.evil.example"):
        assert server.post(DISCOVER, Origin=origin)[0] == 403
    assert server.post(DISCOVER, Origin=f"http://127.0.0.1:{server.port}")[0] == 200


def test_a_body_over_the_limit_is_refused(server: HttpServer) -> None:
    wait_until_up(server)
    assert server.post(b'{"x":"' + b"x" * (1 << 20) + b'"}')[0] == 413


def test_the_token_is_for_the_owner_only_and_never_printed(server: HttpServer, repository: Path) -> None:
    token = repository / ".git/holdfast/token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert len(server.token) == 64
    assert server.token not in server.said
    assert "claude mcp add" in server.said


def test_a_port_in_use_is_named_with_the_way_out(server: HttpServer, repository: Path) -> None:
    second = subprocess.run(
        [*HOLDFAST, "serve", "--http", f"127.0.0.1:{server.port}"],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert second.returncode == 7
    assert str(server.port) in second.stderr
    assert "--http" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_signal_ends_the_server_cleanly(server: HttpServer) -> None:
    wait_until_up(server)
    server.process.terminate()
    assert server.process.wait(10) == 0
