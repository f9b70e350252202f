"""Every real client over HTTP, in each era it speaks: what works over a pipe works over the network."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.clients.node import HERE, INSPECTOR, run_node
from tests.clients.review import COMMENT, SENDER, TOOLS, assert_reviewed
from tests.clients.test_inspector import CHECKING, NO_SUCH_TOOL, result_of
from tests.clients.test_python_sdk import MODES, SECONDS, Agent
from tests.clients.test_typescript import CLIENTS
from tests.faces.http.running import RunningServer, running_server


@pytest.fixture
def server(repository: Path) -> Iterator[RunningServer]:
    with running_server(repository) as server:
        yield server
        server.process.terminate()
        assert server.process.wait(120) == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read() == ""


def url_of(server: RunningServer) -> str:
    return f"http://127.0.0.1:{server.port}/mcp"


def headers_of(server: RunningServer) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}"}


def http_client_of(server: RunningServer, http_client: httpx2.AsyncClient, mode: str, **more: Any) -> Client:
    transport = streamable_http_client(url_of(server), http_client=http_client)
    return Client(transport, mode=mode, read_timeout_seconds=SECONDS, **more)


@pytest.mark.requirement("http-18")
@pytest.mark.parametrize("mode", [mode for mode, _ in MODES])
def test_the_python_client_reviews(server: RunningServer, mode: str) -> None:
    async def review() -> dict[str, Any]:
        async with httpx2.AsyncClient(headers=headers_of(server), timeout=SECONDS) as http_client:
            return await Agent(partial(http_client_of, server, http_client, mode), server.repository).review()

    assert_reviewed(asyncio.run(review()))


@pytest.mark.node
@pytest.mark.requirement("http-18")
@pytest.mark.parametrize("client", [client for client, _ in CLIENTS])
def test_the_typescript_clients_review(server: RunningServer, client: str) -> None:
    place = {"url": url_of(server), "headers": headers_of(server), "cwd": str(server.repository)}
    settings = json.dumps({"server": place, "sender": SENDER})
    assert_reviewed(json.loads(run_node(HERE / "review.mjs", client, settings).stdout))


@pytest.mark.node
@pytest.mark.requirement("http-18")
@pytest.mark.parametrize("era", ["legacy", "modern", "auto"])
def test_the_inspector_lists_calls_and_loads(server: RunningServer, era: str) -> None:
    def inspect(method: str, *options: str) -> subprocess.CompletedProcess[str]:
        token = f"Authorization: {headers_of(server)['Authorization']}"
        shared = ("--cli", url_of(server), "--transport", "http", "--protocol-era", era, "--format", "json")
        return run_node(INSPECTOR, *shared, "--header", token, "--method", method, *options, check=False)

    listed = inspect("tools/list", "--strict")
    assert {tool["name"] for tool in result_of(listed)["tools"]} >= TOOLS
    remark = {"anyway": True, "file": "src/main.py", "line": "42", "comment": COMMENT}
    inspect("tools/call", "--tool-name", "send_message", "--tool-args-json", json.dumps(remark))
    taken = result_of(inspect(*CHECKING))["structuredContent"]["messages"]
    assert [message["comment"] for message in taken] == [COMMENT]
    assert inspect("tools/call", "--tool-name", "no_such_tool").returncode == NO_SUCH_TOOL
    load = ("--load", "--load-requests", "200", "--load-concurrency", "16")
    summary = result_of(inspect("tools/call", "--tool-name", "list_messages", *load))
    assert (summary["requests"], summary["ok"], summary["errorMessages"]) == (200, 200, [])
