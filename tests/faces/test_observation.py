"""Spans go where the standard variables say, below the trace that the client is in; else nowhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.prepared import HOLDFAST
from tests.faces.http.running import running_server
from tests.faces.otlp import attributes, receiving
from tests.faces.test_logs import CANARY, INITIALIZE, TRACE, TRACE_PARENT, asked, lines_of, served
from tests.wire.client import wire_client

PARENT = "b7ad6b7169203331"
ERROR = 2


def line_of(message: dict[str, Any]) -> str:
    return json.dumps(message) + "\n"


def called(identity: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return asked(identity, "tools/call", name=tool, arguments=arguments, _meta={"traceparent": TRACE_PARENT})


def test_a_request_is_a_span_below_its_client_with_what_it_ran_below_it(repository: Path) -> None:
    (repository / "a.py").touch()
    messages = [
        asked(1, "initialize", **INITIALIZE),
        called(2, "git_mile_create", entity="issue", title=CANARY),
        called(3, "send_message", file="a.py", comment=CANARY),
        called(4, "read_source", sauce=f"{CANARY}.py"),
        asked(5, "tools/call", name=CANARY, arguments={}),
    ]
    with receiving() as receiver:
        done = served(repository, messages, "--log-level=info", **receiver.variables)
        spans = receiver.spans()
    assert CANARY in done.stdout, "it did go through"
    assert not [body for body in receiver.bodies if CANARY.encode() in body]
    by_name = {span.name: span for span in spans}
    sent = by_name["tools/call send_message"]
    assert (sent.trace_id.hex(), sent.parent_span_id.hex()) == (TRACE, PARENT)
    assert attributes(sent) == {
        "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "send_message", "jsonrpc.request.id": "3", "network.transport": "pipe",
    }  # fmt: skip
    assert sent.status.code == 0
    assert by_name["operation send_message"].parent_span_id == sent.span_id
    gits = [span for span in spans if span.name.startswith("git ")]
    assert gits
    assert all(span.trace_id.hex() == TRACE for span in gits)
    failed = by_name["tools/call read_source"]
    assert (failed.status.code, failed.status.message, attributes(failed)["error.type"]) == (
        ERROR,
        "",
        "invalid_arguments",
    )
    unknown = by_name["tools/call"]
    assert (attributes(unknown)["error.type"], unknown.parent_span_id) == ("unknown_tool", b"")
    traces = {line["trace_id"] for line in lines_of(done.stderr) if line.get("request_id") == 5}
    assert traces == {unknown.trace_id.hex()}, "the log names the same trace"


def test_every_worker_sends_the_spans_of_its_requests(repository: Path) -> None:
    with receiving() as receiver:
        variables = os.environ | receiver.variables
        with running_server(repository, "--workers=2", environment=variables) as server:
            headers = {"traceparent": TRACE_PARENT}
            assert server.ask("GET", "/api/inbox/list_messages", None, headers).status == 200
            assert server.ask("GET", f"/api/inbox/list_messages?limit={CANARY}", None, headers).status == 400
        spans = [span for span in receiver.spans() if span.name == "GET list_messages"]
        assert not [
            body for body in receiver.bodies if CANARY.encode() in body or server.token.encode() in body
        ]
    assert sorted(span.status.code for span in spans) == [0, ERROR]
    assert {(span.trace_id.hex(), span.parent_span_id.hex()) for span in spans} == {(TRACE, PARENT)}
    assert {attributes(span)["http.route"] for span in spans} == {"/api/inbox/list_messages"}


@pytest.mark.parametrize("asked_for", [{}, {"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_SDK_DISABLED": "true"}])
def test_nothing_is_loaded_or_sent_unless_it_is_asked_for(
    repository: Path, asked_for: dict[str, str]
) -> None:
    given = line_of(asked(1, "initialize", **INITIALIZE)) + line_of(called(2, "list_messages"))
    command = [sys.executable, "-X", "importtime", HOLDFAST, "serve"]
    with receiving() as receiver:
        variables = os.environ | (receiver.variables | asked_for if asked_for else {})
        done = subprocess.run(
            command, cwd=repository, env=variables, input=given, capture_output=True, text=True
        )
    assert '"id":2,"result"' in done.stdout
    assert "opentelemetry" in done.stderr, "the protocol's library has its interface"
    assert "opentelemetry.sdk" not in done.stderr
    assert not receiver.reached.is_set()


def test_a_receiver_that_does_not_answer_keeps_no_server_alive(repository: Path) -> None:
    with receiving() as receiver:
        receiver.answering.clear()
        variables = os.environ | receiver.variables | {"OTEL_EXPORTER_OTLP_TIMEOUT": "3600"}
        with wire_client([HOLDFAST, "serve"], cwd=repository, env=variables) as client:
            client.initialize()
            client.call(1, "list_messages")
            client.close_input()
            assert receiver.reached.wait(60)
            # The library itself would wait for half a minute.
            assert client.wait(120) == 0
        assert not receiver.bodies


def test_what_is_missing_is_said_once_and_the_server_serves(repository: Path) -> None:
    program = (
        "import sys; sys.modules['opentelemetry.sdk'] = None; from holdfast.__main__ import main; main()"
    )
    messages = [asked(1, "initialize", **INITIALIZE), called(2, "list_messages")]
    done = subprocess.run(
        [sys.executable, "-c", program, "serve"], cwd=repository, text=True, capture_output=True, check=True,
        env=os.environ | {"OTEL_TRACES_EXPORTER": "otlp"}, input="".join(map(line_of, messages)),
    )  # fmt: skip
    assert '"id":2,"result"' in done.stdout
    [line] = lines_of(done.stderr)
    assert (line["level"], line["install"]) == ("warning", "pip install 'holdfast[telemetry]'")
