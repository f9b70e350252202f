"""The log on standard error: one line for each request, and nothing in it of what was asked or stored."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.operation import Effect
from holdfast.toolsets import full_registry
from tests import forked
from tests.contract.case import CURSOR
from tests.contract.cases import CASES
from tests.contract.prepared import HOLDFAST, environment, prepare
from tests.faces.http.running import RunningServer, running_server
from tests.faces.otlp import receiving
from tests.wire.client import ENVELOPE, WireClient, wire_client

CANARY = "canary7f3a91"
TRACE = "0af7651916cd43dd8448eb211c80319c"
TRACE_PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
WRITES = {item.listed_name for item in full_registry().operations if item.effect is not Effect.READ}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "me", "version": "1"},
}


def marked(value: Any, *, everywhere: bool, name: str = "") -> Any:
    """Return arguments with the canary in what somebody writes, or in every text."""
    if isinstance(value, dict):
        return {key: marked(item, everywhere=everywhere, name=key) for key, item in value.items()}
    if isinstance(value, list):
        return [marked(item, everywhere=everywhere, name=name) for item in value]
    written = everywhere or re.search("text|title|description|comment|body|author|message|note|reason", name)
    return f"{value} {CANARY}" if isinstance(value, str) and value != CURSOR and written else value


def write_everything(pipe: WireClient) -> list[str]:
    """Call every operation that writes, with the canary in its arguments; return those that succeeded."""
    done, number = [], 0
    for case in CASES:
        if case.operation not in WRITES or CURSOR in case.arguments.values():
            continue
        for everywhere in (True, False):
            number += 1
            arguments = marked(case.arguments, everywhere=everywhere)
            call = {"name": case.operation, "arguments": arguments, "_meta": ENVELOPE}
            if not pipe.ask(number, "tools/call", call)["result"].get("isError"):
                done.append(case.operation)
    return done


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    return prepare(tmp_path / "repository", tmp_path / "home"), environment(tmp_path / "home")


def served(repository: Path, messages: list[Any], *options: str, **variables: str) -> Any:
    given = "".join(json.dumps(message) + "\n" for message in messages)
    return forked.run(
        [HOLDFAST, "serve", *options], cwd=repository, env=os.environ | variables, input=given, text=True,
        capture_output=True, timeout=60,
    )  # fmt: skip


def asked(identity: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def test_every_write_is_logged_and_nothing_of_what_it_wrote(place: tuple[Path, dict[str, str]]) -> None:
    command = [HOLDFAST, "serve", "--log-level=debug"]
    with (
        receiving() as receiver,
        wire_client(command, cwd=place[0], env=place[1] | receiver.variables) as pipe,
    ):
        done = write_everything(pipe)
        pipe.ask("last", "tools/call", {"name": CANARY, "arguments": {CANARY: CANARY}, "_meta": ENVELOPE})
        pipe.ask("none", CANARY, {"_meta": ENVELOPE})
        pipe.close_input()
        pipe.wait(120)
        lines = lines_of(pipe.error_text())
    requests = [line for line in lines if line["event"] == "request"]
    assert len(set(done)) > 30
    assert CANARY.encode() in b"".join(pipe.raw), "it did go through"
    assert set(done) <= {line["operation"] for line in requests if line.get("outcome") == "ok"}
    assert CANARY not in pipe.error_text()
    assert set(done) <= {span.name.removeprefix("operation ") for span in receiver.spans()}
    assert not [body for body in receiver.bodies if CANARY.encode() in body]
    assert str(place[0].parent) not in pipe.error_text()
    assert all(line["client"] == "tests" and line["request_bytes"] > 0 for line in requests)
    assert [line["outcome"] for line in requests[-2:]] == ["unknown_tool", "-32601"]


def test_a_line_says_what_was_asked_for_how_it_ended_and_which_trace_it_belongs_to(repository: Path) -> None:
    call = asked(7, "tools/call", name="list_messages", arguments={}, _meta={"traceparent": TRACE_PARENT})
    done = served(repository, [asked(1, "initialize", **INITIALIZE), call], "--log-level", "info")
    [serving, *_, request] = lines_of(done.stderr)
    assert (serving["event"], serving["face"], serving["level"]) == ("serving", "stdio", "info")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", request.pop("time"))
    assert request.pop("ms") > 0
    assert request.pop("response_bytes") == len(done.stdout.splitlines(keepends=True)[-1].encode())
    assert request == {
        "level": "info", "event": "request", "face": "stdio", "method": "tools/call",
        "operation": "list_messages", "outcome": "ok", "request_bytes": len(json.dumps(call)),
        "request_id": 7, "trace_id": TRACE, "client": "me",
    }  # fmt: skip
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 7]


@pytest.mark.parametrize(
    ("level", "events"), [("error", []), ("info", ["initialize"]), ("debug", ["initialize", "ping"])]
)
def test_a_level_decides_what_is_told(repository: Path, level: str, events: list[str]) -> None:
    messages = [asked(1, "initialize", **INITIALIZE), asked(2, "ping")]
    done = served(repository, messages, HOLDFAST_LOG_LEVEL=level)
    assert sorted(line["method"] for line in lines_of(done.stderr) if line["event"] == "request") == events


def test_nothing_is_told_unless_asked_for(repository: Path) -> None:
    assert served(repository, [asked(1, "initialize", **INITIALIZE), asked(2, "ping")]).stderr == ""


def test_a_terminal_gets_text(repository: Path) -> None:
    ours, theirs = pty.openpty()
    command = [HOLDFAST, "serve", "--log-level=info"]
    given = (json.dumps(asked(1, "initialize", **INITIALIZE)) + "\n").encode()
    subprocess.run(command, cwd=repository, input=given, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    said = os.read(ours, 65536).decode()
    os.close(ours)
    assert re.search(r"^\S+Z info request face=stdio method=initialize ms=\S+ outcome=ok", said, re.MULTILINE)


@pytest.mark.parametrize(("option", "value"), [("--log-level", "loud"), ("--log-format", "xml")])
def test_an_unknown_choice_is_refused(repository: Path, option: str, value: str) -> None:
    done = served(repository, [], option, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert f'{option} cannot be "{value}".' in done.stderr


def test_the_reference_of_a_failure_is_in_its_line_without_its_text() -> None:
    program = (
        "from holdfast.faces.logs import log_to_standard_error\n"
        "from holdfast.kernel.dispatch.failures import run_guarded\n"
        "import logging\n"
        "log_to_standard_error('warning', 'json')\n"
        f"logging.getLogger('mcp.server').warning('{CANARY}')\n"
        "def broken(): raise KeyError('" + CANARY + "')\n"
        "try: run_guarded(broken)\n"
        "except Exception as error: print(error.data['reference'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    library, failure = lines_of(done.stderr)
    assert CANARY not in done.stderr
    assert (library["event"], library["logger"]) == ("library", "mcp.server")
    assert (failure["event"], failure["level"], failure["error"]) == ("internal error", "error", "KeyError")
    assert failure["reference"] == done.stdout.strip()
    assert failure["frames"][0].startswith("kernel/dispatch/failures.py:")


@pytest.fixture
def server(place: tuple[Path, dict[str, str]]) -> Iterator[RunningServer]:
    options = ("--log-level=debug", "--log-format=json", "--workers=2")
    with running_server(place[0], *options, environment=place[1]) as running:
        yield running


def test_all_faces_of_a_server_log_alike_and_no_token(server: RunningServer) -> None:
    secret = server.add_token("reviewer", "read")
    trace = {"traceparent": TRACE_PARENT, "Authorization": f"Bearer {secret}"}
    assert server.ask("GET", f"/api/comments/search_comments?query={CANARY}", None, trace).status == 200
    assert server.ask("GET", f"/api/comments/{CANARY}").status == 404
    assert server.ask("GET", "/api/inbox/list_messages", None, {"Authorization": CANARY}).status == 401
    assert "result" in server.call("tools/call", name="search_comments", arguments={"query": CANARY})
    server.process.terminate()
    assert server.process.stderr is not None
    said = server.process.stderr.read()
    lines = lines_of(said)
    assert not [secret for secret in (CANARY, secret, server.token) if secret in said]
    assert {line["worker"] for line in lines if line["event"] == "serving"} == {0, 1}
    ends = [(line["face"], line.get("operation"), line["outcome"]) for line in lines if "outcome" in line]
    for end in [
        ("rest", "search_comments", "ok"),
        ("http", None, "unknown_route"),
        ("http", None, "unauthenticated"),
        ("http", "search_comments", "ok"),
    ]:
        assert end in ends
    [traced] = [line for line in lines if line.get("trace_id") == TRACE]
    assert (traced["method"], traced["client"]) == ("GET", "reviewer")
    assert any(line["event"].startswith("Started server process") for line in lines), "the web server's too"
