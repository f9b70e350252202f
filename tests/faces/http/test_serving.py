"""The life of a server over HTTP: it comes up, says how to connect, and goes when asked."""

from __future__ import annotations

import http.client
import os
import re
import shlex
import stat
import threading
from pathlib import Path

import pytest

from tests import forked
from tests.faces.http.running import HOLDFAST, RunningServer, running_server
from tests.faces.mcp.test_lazygit_profile import send


def test_tools_work_over_http_and_see_what_other_processes_write(repository: Path) -> None:
    with running_server(repository) as server:
        assert "2026-07-28" in server.call("server/discover")["result"]["supportedVersions"]
        send(repository, "Over the wire")
        result = server.call("tools/call", name="check_lazygit_messages", arguments={})["result"]
        assert result["structuredContent"]["messages"][0]["comment"] == "Over the wire"
        again = server.call("tools/call", name="check_lazygit_messages", arguments={})["result"]
        assert again["structuredContent"]["messages"] == []


def test_the_token_is_for_the_owner_only_and_never_printed(server: RunningServer) -> None:
    token = server.repository / ".git/holdfast/token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert len(server.token) == 64
    assert server.token not in server.said
    assert "claude mcp add" in server.said


def test_the_commands_it_prints_work_wherever_it_is_installed(repository: Path) -> None:
    with running_server(repository, environment=os.environ | {"PATH": "/usr/bin:/bin"}) as server:
        [for_tokens] = re.findall(r"`(.+ token) add NAME`", server.said)
        [for_clients] = re.findall(r"holdfast -- (.+ serve)$", server.said, re.MULTILINE)
    for command in (for_tokens, for_clients):
        assert forked.run([*shlex.split(command), "--help"], capture_output=True).returncode == 0


def test_a_port_in_use_is_named_with_the_way_out(server: RunningServer) -> None:
    second = forked.run(
        [HOLDFAST, "serve", "--http", f"127.0.0.1:{server.port}"],
        cwd=server.repository,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert second.returncode == 7
    assert str(server.port) in second.stderr
    assert "--http" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.requirement("http-19")
def test_a_signal_ends_the_server_and_its_streams_in_order(repository: Path) -> None:
    with running_server(repository) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {server.token}"})
        stream = connection.getresponse()
        assert stream.readline().startswith(b"id: ")
        ended = threading.Event()
        threading.Thread(target=lambda: (stream.read(), ended.set()), daemon=True).start()
        server.process.terminate()
        assert server.process.wait(120) == 0
        assert ended.wait(120)
        connection.close()
        assert server.process.stderr is not None
        assert server.process.stderr.read() == ""


def test_a_strict_profile_offers_the_protocol_and_nothing_beside_it(repository: Path) -> None:
    with running_server(repository, "--profile", "lazygit") as server:
        listed = server.call("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["check_lazygit_messages"]
        assert server.ask("GET", "/api/inbox/list_messages").status == 404
