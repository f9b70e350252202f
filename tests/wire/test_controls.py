"""What a plain server does with the same input: every promise about the wire can be broken."""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from holdfast.kernel.limits import MIB
from tests.reliability.evidence import Tally
from tests.wire.client import WireClient, wire_client
from tests.wire.test_floods import mutated_lines, readable_id

PLAIN_SERVER = """
import json, queue, signal, sys, threading
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
answers = queue.Queue()
def write():
    while True:
        print(json.dumps(answers.get()), flush=True)
threading.Thread(target=write, daemon=True).start()
for line in sys.stdin.buffer:
    try:
        asked = json.loads(line)
        method, params = asked["method"], asked.get("params") or {}
        text = params.get("arguments", {}).get("text", "")
    except Exception:
        continue
    if params.get("name") == "noise":
        print("stray print", flush=True)
    if params.get("name") == "wait":
        signal.sigwait({signal.SIGUSR1})
    if params.get("name") == "large":
        text = "x" * params["arguments"]["size"]
    if "id" in asked:
        answers.put({"jsonrpc": "2.0", "id": asked["id"], "result": {"text": text}})
"""
"""Reads a line, answers it; what it cannot read it passes over. No limits, one call after the other."""
PLAIN = "a server that reads lines and answers those it can read"


@pytest.fixture
def plain() -> Iterator[WireClient]:
    with wire_client([sys.executable, "-c", PLAIN_SERVER]) as client:
        yield client


@pytest.mark.evidence("D1", "wire", control=PLAIN)
def test_control_mutated_lines_meet_silence(plain: WireClient, tally: Tally) -> None:
    lines = mutated_lines(3000)
    expected = Counter(identity for line in lines if (identity := readable_id(line)) is not None)
    for line in lines:
        plain.send_bytes(line + b"\n")
    plain.request("the end", "ping")
    answered: Counter[object] = Counter()
    while "the end" not in answered:
        answered[json.dumps(plain.receive(60)["id"]).strip('"')] += 1
    missing = {name for name in expected if str(name) not in answered}
    tally(len(lines), missing)
    assert missing


@pytest.mark.evidence("D2", "wire", control=PLAIN)
def test_control_a_message_of_any_size_is_served(plain: WireClient) -> None:
    plain.send({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * 4 * MIB}})
    assert "result" in plain.receive()


@pytest.mark.evidence("D3", "wire", control=PLAIN)
@pytest.mark.parametrize("line", [b"no json", b'{"id": 7}', b'{"id": 7, "method": "ping", "params": [1]}'])
def test_control_what_is_no_message_meets_silence(plain: WireClient, line: bytes) -> None:
    plain.send_bytes(line + b"\n")
    plain.request("next", "ping")
    assert plain.receive()["id"] == "next"


@pytest.mark.evidence("D4", "wire", control=PLAIN)
def test_control_answers_that_nobody_reads_fill_the_memory() -> None:
    with wire_client([sys.executable, "-c", PLAIN_SERVER], reading=False, close_fds=True) as client:
        for number in range(600):
            client.start_call(number, "large", size=MIB // 2)
        client.start_reading()
        assert len(client.answers(600)) == 600
        assert client.peak_memory() > 250 * MIB


@pytest.mark.evidence("D5", "wire", control=PLAIN)
def test_control_a_signal_ends_it_in_the_middle_of_a_call(plain: WireClient) -> None:
    assert plain.ask(1, "ping")["id"] == 1
    plain.start_call(2, "wait")
    plain.process.send_signal(signal.SIGTERM)
    assert plain.process.wait(120) == -signal.SIGTERM
    assert len(plain.raw) == 1


@pytest.mark.evidence("D6", "wire", control=PLAIN)
def test_control_a_print_is_on_the_wire(plain: WireClient) -> None:
    plain.start_call(1, "noise")
    with pytest.raises(ValueError, match="Expecting value"):
        plain.receive()


@pytest.mark.evidence("D7", "wire", control=PLAIN)
def test_control_a_ping_waits_for_the_call_before_it(plain: WireClient) -> None:
    assert plain.ask(0, "ping")["id"] == 0  # so it runs, and the signal ends nothing but the call
    plain.start_call(1, "wait")
    plain.request(2, "ping")
    plain.process.send_signal(signal.SIGUSR1)
    assert [plain.receive()["id"] for _ in range(2)] == [1, 2]


@pytest.mark.evidence("D8", "wire", control=PLAIN)
def test_control_two_thousand_requests_are_all_served(plain: WireClient) -> None:
    for number in range(2000):
        plain.request(number, "ping")
    assert all("result" in answer for answer in plain.answers(2000))
