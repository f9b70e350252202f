"""How a connection ends, and what never reaches the wire."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import MIB
from tests.wire.client import ROOT, SAMPLE_SERVER, wire_client


@pytest.mark.requirement("reliability-D5")
@pytest.mark.evidence("D5", "wire", "end of input, signals, closed output")
def test_end_of_input_ends_an_idle_server_at_once() -> None:
    with wire_client() as client:
        client.initialize()
        client.close_input()
        assert client.wait() == 0
        assert "Traceback" not in client.error_text()


@pytest.mark.requirement("reliability-D5")
@pytest.mark.evidence("D5", "wire", "end of input, signals, closed output")
def test_end_of_input_lets_running_calls_finish() -> None:
    with wire_client() as client:
        client.initialize()
        for number in range(20):
            client.start_call(number, "wait", seconds=0.5)
        client.close_input()
        assert {answer["id"] for answer in client.answers(20)} == set(range(20))
        assert client.wait() == 0


@pytest.mark.requirement("reliability-D5")
def test_end_of_input_does_not_wait_for_calls_that_take_long() -> None:
    with wire_client() as client:
        client.initialize()
        client.start_call(1, "wait", seconds=100)
        client.start_call(2, "stubborn", seconds=100)
        client.close_input()
        answers = client.answers(2)
        assert {answer["error"]["code"] for answer in answers} == {-32603}
        assert client.wait() == 0


def test_the_last_line_may_lack_its_line_feed() -> None:
    with wire_client() as client:
        client.initialize()
        client.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        client.close_input()
        assert client.receive() == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert client.wait() == 0


@pytest.mark.requirement("reliability-D5")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.evidence("D5", "wire", "end of input, signals, closed output")
def test_a_signal_drains_and_exits_cleanly(number: int) -> None:
    with wire_client() as client:
        client.initialize()
        for identity in range(20):
            client.start_call(identity, "wait", seconds=1)
        client.ask("read", "ping")
        os.kill(client.pid, number)
        answers: list[dict[str, Any]] = []
        # Until the signal has been seen, requests are served.
        for attempt in itertools.count():
            client.start_call(f"late {attempt}", "echo", text="too late")
            answers += client.answers(1)
            if answers[-1].get("error", {}).get("data", {}).get("type") == "shutting_down":
                break
        answers += client.answers(21 + attempt - len(answers))
        assert {answer["id"] for answer in answers if "result" in answer} >= set(range(20))
        assert client.wait() == 0
        assert "Traceback" not in client.error_text()


def test_shutdown_is_answered_with_null_after_everything_else() -> None:
    with wire_client() as client:
        client.initialize()
        client.start_call(1, "wait", seconds=0.5)
        client.request("bye", "shutdown")
        first, last = client.answers(2)
        assert first["id"] == 1
        assert last == {"jsonrpc": "2.0", "id": "bye", "result": None}
        assert client.wait() == 0


def test_a_drain_ends_when_its_time_is_up() -> None:
    with wire_client(settings={"limits": {"drain_seconds": 0.5}}) as client:
        client.initialize()
        client.start_call(1, "wait", seconds=60)
        client.request("bye", "shutdown")
        first, last = client.answers(2)
        assert first["error"]["code"] == -32603
        assert last["result"] is None
        assert client.wait() == 0


@pytest.mark.requirement("reliability-D5")
@pytest.mark.evidence("D5", "wire", "end of input, signals, closed output")
def test_a_client_that_closes_our_output_ends_the_server() -> None:
    with wire_client(reading=False) as client:
        client.send(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"protocolVersion": "x", "capabilities": {}},
            }
        )
        client.process.stdout.read(1)
        client.process.stdout.close()
        for identity in itertools.count():
            try:
                client.start_call(identity, "wait", seconds=0.1)
            except BrokenPipeError:
                break
        assert client.wait() == 0
        assert "Traceback" not in client.error_text()


@pytest.mark.requirement("reliability-D6", "transport-2")
@pytest.mark.evidence("D6", "wire", "prints, children and warnings")
def test_stray_output_goes_to_standard_error() -> None:
    with wire_client() as client:
        client.initialize()
        assert client.call(1, "noise")["result"]["structuredContent"] == {"text": "quiet"}
        client.close_input()
        assert client.wait() == 0
        for line in client.raw:
            assert json.loads(line)["jsonrpc"] == "2.0"
        for stray in ("stray print", "stray write", "stray descriptor write", "stray child", "stray warning"):
            assert stray in client.error_text()


def test_an_unforeseen_failure_tells_the_client_nothing_but_a_reference() -> None:
    with wire_client() as client:
        client.initialize()
        result = client.call(1, "fail", kind="boom")["result"]
        assert result["isError"]
        reference = result["structuredContent"]["error"]["data"]["reference"]
        assert "secret" not in json.dumps(result)
        client.wait_for_error_text("secret /etc/passwd contents")
        assert reference in client.error_text()


def test_what_follows_an_answer_waits_until_it_is_written() -> None:
    with wire_client() as client:
        client.initialize()
        client.call(1, "deliver", size=10)
        client.wait_for_error_text("answered")
        assert "unanswered" not in client.error_text()


def test_an_answer_that_was_never_taken_counts_as_unanswered() -> None:
    with wire_client(reading=False) as client:
        client.send(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"protocolVersion": "x", "capabilities": {}},
            }
        )
        client.process.stdout.readline()
        client.start_call(2, "deliver", size=2 * MIB)
        client.process.stdout.read(1)
        client.process.stdout.close()
        client.wait_for_error_text("unanswered")
        assert re.findall(r"\w*answered", client.error_text()) == ["unanswered"]


def test_a_call_that_is_cancelled_while_it_runs_counts_as_unanswered() -> None:
    with wire_client() as client:
        client.initialize()
        client.start_call(1, "deliver", size=1, seconds=0.5)
        client.call(2, "echo", text="calls begin in order, while a ping is answered before them")
        client.notify("notifications/cancelled", {"requestId": 1})
        client.wait_for_error_text("unanswered")


def test_a_call_that_is_cancelled_before_it_runs_never_runs() -> None:
    with wire_client(settings={"limits": {"worker_threads": 1}}) as client:
        client.initialize()
        client.start_call(1, "wait", seconds=0.4)
        client.start_call(2, "deliver", size=1)
        client.notify("notifications/cancelled", {"requestId": 2})
        client.answer(1)
        client.call(3, "echo", text="done")
        assert "answered" not in client.error_text()


def test_what_follows_an_answer_keeps_nobody_waiting_but_later_calls_see_its_effect(tmp_path: Path) -> None:
    with wire_client() as client:
        client.initialize()
        told = tmp_path / "told"
        client.call(1, "commit", how=str(told))
        assert client.ask(2, "ping")["result"] == {}
        assert "committed" not in client.error_text()
        told.touch()
        client.call(3, "echo", text="after")
        client.process.kill()  # so that it was said before the answer, whenever it is read here
        client.wait()
        assert "committed" in client.error_text()


@pytest.mark.parametrize("how", ["busy", "broken"])
def test_what_fails_after_an_answer_is_told_on_standard_error_and_harms_nothing(how: str) -> None:
    with wire_client(settings={"limits": {"requests_in_flight": 1}}) as client:
        client.initialize()
        for number in range(3):
            client.start_call(number, "commit", how=how)
        assert {answer["id"] for answer in client.answers(3)} == {0, 1, 2}
        client.wait_for_error_text("after an answer")
        assert client.call(9, "echo", text="alive")["result"]["structuredContent"] == {"text": "alive"}
        client.close_input()
        assert client.wait() == 0


def test_files_can_stand_for_the_pipes(tmp_path: Path) -> None:
    session = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "x", "capabilities": {}},
        },
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "large", "arguments": {"size": 99999}},
        },
    ]
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_text("".join(json.dumps(message) + "\n" for message in session))
    with source.open() as stdin, target.open("w") as stdout:
        status = subprocess.run(SAMPLE_SERVER, stdin=stdin, stdout=stdout, cwd=ROOT, timeout=120).returncode
    assert status == 0
    answers = [json.loads(line) for line in target.read_text().splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert len(answers[1]["result"]["structuredContent"]["text"]) == 99999
