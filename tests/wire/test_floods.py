"""Very many damaged lines, and a client that does not read."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import LIMITS, MIB
from tests.reliability.evidence import Tally
from tests.reliability.samples import samples
from tests.waiting import wait_until
from tests.wire.client import WireClient, wire_client

ALPHABET = b'{}[]",:0123456789truefalsn\\ \tabcxyz\xff\x00\xc3\xa9'


def templates(random_source: random.Random, identity: int) -> dict[str, Any]:
    choices = [
        {"jsonrpc": "2.0", "id": identity, "method": "ping"},
        {"jsonrpc": "2.0", "id": f"s{identity}", "method": "tools/list", "params": {}},
        {
            "jsonrpc": "2.0",
            "id": identity,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "hi"}},
        },
        {"jsonrpc": "2.0", "id": identity, "method": "resources/read", "params": {"uri": "sample://note"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"never-{identity}"}},
        {"jsonrpc": "2.0", "id": identity, "method": "echo", "params": {"text": "bare"}},
    ]
    return random_source.choice(choices)


def mutated(random_source: random.Random, identity: int) -> bytes:
    line = bytearray(json.dumps(templates(random_source, identity)).encode())
    for _ in range(random_source.choice([0, 0, 1, 1, 2, 4])):
        position = random_source.randrange(len(line))
        match random_source.randrange(4):
            case 0:
                line[position] = random_source.choice(ALPHABET)
            case 1:
                del line[position : position + random_source.randrange(1, 9)]
            case 2:
                line[position:position] = bytes(
                    random_source.choices(ALPHABET, k=random_source.randrange(1, 9))
                )
            case 3:
                other = random_source.randrange(len(line))
                line[position], line[other] = line[other], line[position]
        if not line:
            line = bytearray(b"x")
    return bytes(line.replace(b"\n", b" "))


def mutated_lines(count: int) -> list[bytes]:
    source = random.Random(20261115)
    return [mutated(source, number) for number in range(count)]


def readable_id(line: bytes) -> Any:
    """Return the id that must be answered, or None when the line is an answer or has no readable id."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if "method" not in value and (
        isinstance(value.get("result"), dict) or isinstance(value.get("error"), dict)
    ):
        return None
    identity = value.get("id")
    return identity if isinstance(identity, str | int) and not isinstance(identity, bool) else None


@pytest.mark.requirement("reliability-D1", "transport-34")
@pytest.mark.evidence("D1", "wire", "lines mutated")
def test_mutated_lines_leave_the_server_well(tally: Tally) -> None:
    lines = mutated_lines(samples("mutated lines"))
    expected = Counter(identity for line in lines if (identity := readable_id(line)) is not None)
    with wire_client(close_fds=True) as client:
        client.initialize()

        def feed() -> None:
            for start in range(0, len(lines), 500):
                client.send_bytes(b"".join(line + b"\n" for line in lines[start : start + 500]))
            client.request("the end", "ping")

        feeder = threading.Thread(target=feed)
        feeder.start()
        answered: Counter[Any] = Counter()
        while "the end" not in answered:
            message = client.receive(60)
            if "method" not in message:
                answered[message["id"]] += 1
        feeder.join()
        # The last ping overtakes calls that still run.
        while any(answered[identity] < times for identity, times in expected.items()):
            message = client.receive(60)
            if "method" not in message:
                answered[message["id"]] += 1
        assert client.peak_memory() < 150 * MIB
        # The bucket refills meanwhile; any further answer would be taken for one of these.
        while "error" in (alive := client.call("alive", "echo", text="alive")):
            time.sleep(0.01)
        assert alive["result"]["structuredContent"] == {"text": "alive"}
    for harmless in (None, "the end", "init"):
        answered.pop(harmless, None)
    tally(len(lines), (answered - expected) + (expected - answered))
    assert answered == expected
    assert sum(expected.values()) > len(lines) / 4


def stands_still(client: WireClient) -> bool:
    """Return whether a server took nothing from its input for a second."""
    before = read_so_far(client)
    threading.Event().wait(1)
    return read_so_far(client) == before > 0


def read_so_far(client: WireClient) -> int:
    return int(Path(f"/proc/{client.pid}/io").read_text().split()[1])


@pytest.mark.requirement("reliability-D4")
@pytest.mark.evidence("D4", "wire", "999 answers that nobody reads")
def test_a_client_that_does_not_read_costs_bounded_memory_and_loses_nothing() -> None:
    with wire_client(reading=False, close_fds=True) as client:
        client.send(
            {
                "jsonrpc": "2.0",
                "id": "i",
                "method": "initialize",
                "params": {"protocolVersion": "x", "capabilities": {}},
            }
        )
        sent = 0
        finished = threading.Event()

        def feed() -> None:
            nonlocal sent
            for number in range(999):
                client.start_call(number, "large", size=MIB // 2)
                sent = number + 1
            # Enough to fill the pipe behind a server that has stopped reading.
            for _ in range(40):
                client.send_bytes(b" " * 65536 + b"\n")
            finished.set()

        feeder = threading.Thread(target=feed)
        feeder.start()
        wait_until(lambda: stands_still(client))
        assert client.peak_memory() < 250 * MIB
        assert not finished.is_set(), "the server went on reading although nobody takes its answers"
        client.start_reading()
        answers = client.answers(1000)
        feeder.join(20)
        assert {answer["id"] for answer in answers} == {"i", *range(999)}
        assert all("result" in answer for answer in answers)
        assert client.peak_memory() < 250 * MIB
        assert client.ask("end", "ping")["result"] == {}


def test_queued_output_is_bounded_by_the_limit_the_table_names() -> None:
    assert LIMITS.queued_output_bytes == 32 * MIB
