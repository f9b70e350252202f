"""Sizes, rates and numbers on the wire, each at its limit and beyond it."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from holdfast.faces.admission import TokenBucket
from holdfast.kernel.limits import LIMITS, MIB
from tests.waiting import wait_until
from tests.wire.client import ENVELOPE, WireClient, wire_client


def padded_call(identity: Any, size: int) -> bytes:
    """Return a call whose line has exactly `size` bytes without the line feed."""
    frame = {"jsonrpc": "2.0", "id": identity, "method": "tools/call"}
    body = json.dumps(frame | {"params": {"name": "echo", "arguments": {"text": ""}}})
    padding = "x" * (size - len(body))
    return json.dumps(frame | {"params": {"name": "echo", "arguments": {"text": padding}}}).encode() + b"\n"


@pytest.mark.requirement("reliability-D2", "transport-4")
@pytest.mark.parametrize(
    "size", [LIMITS.read_chunk - 1, LIMITS.read_chunk, LIMITS.read_chunk + 1, MIB - 1, MIB]
)
@pytest.mark.evidence("D2", "wire", "lines around the limit")
def test_messages_up_to_the_limit_are_served(size: int) -> None:
    with wire_client() as client:
        client.initialize()
        client.send_bytes(padded_call(1, size))
        answer = client.receive()
        assert answer["id"] == 1
        assert len(answer["result"]["structuredContent"]["text"]) > size - 200


@pytest.mark.requirement("reliability-D2")
@pytest.mark.parametrize("size", [MIB + 1, 10 * MIB, 100 * MIB])
@pytest.mark.evidence("D2", "wire", "lines around the limit")
def test_a_message_over_the_limit_is_refused_in_bounded_memory(size: int) -> None:
    with wire_client(close_fds=True) as client:
        client.initialize()
        client.send_bytes(padded_call(1, size))
        refused = client.receive()
        assert refused["id"] == 1
        assert refused["error"]["code"] == -32600
        assert str(LIMITS.request_bytes) in refused["error"]["message"]
        assert client.call(2, "echo", text="next")["result"]["structuredContent"] == {"text": "next"}
        assert client.peak_memory() < 150 * MIB


@pytest.mark.requirement("reliability-D2")
@pytest.mark.parametrize("identity", [b"01", b'"\xff"', b'"\\q"'], ids=ascii)
@pytest.mark.evidence("D2", "wire", "lines around the limit")
def test_a_message_over_the_limit_whose_id_is_none_is_refused_without_one(identity: bytes) -> None:
    with wire_client() as client:
        client.initialize()
        client.send_bytes(b'{"jsonrpc": "2.0", "id": %b, "x": "%b"}\n' % (identity, b"x" * MIB))
        refused = client.receive()
        assert (refused["id"], refused["error"]["code"]) == (None, -32600)
        assert client.ask(2, "ping")["result"] == {}


@pytest.mark.requirement("reliability-D2")
@pytest.mark.evidence("D2", "wire", "lines around the limit")
def test_a_line_that_never_ends_is_given_up_and_the_next_one_is_served() -> None:
    with wire_client(close_fds=True) as client:
        client.initialize()
        for _ in range(600):
            client.send_bytes(b"x" * 65536)
        assert client.receive()["error"]["code"] == -32600
        client.send_bytes(b"\n")
        assert client.call(2, "echo", text="next")["result"]["structuredContent"] == {"text": "next"}
        assert client.peak_memory() < 150 * MIB


def test_an_answer_over_the_limit_is_replaced_by_an_error_with_its_size() -> None:
    with wire_client() as client:
        client.initialize()
        error = client.call(1, "large", size=6 * MIB)["error"]
        assert error["code"] == -32603
        assert error["data"]["size"] > LIMITS.response_bytes == error["data"]["limit"]
        assert client.call(2, "large", size=4 * MIB)["result"]["structuredContent"]


@pytest.mark.requirement("transport-5", "transport-35", "transport-33")
def test_large_answers_are_written_in_small_pieces_and_still_one_line(tmp_path: Any) -> None:
    trace = tmp_path / "writes"
    command = ["strace", "-f", "-e", "trace=write", "-o", str(trace), *_sample_command()]
    if not _can_trace():
        pytest.skip("strace is not installed")
    with wire_client(command) as client:
        client.initialize()
        answer = client.call(1, "large", size=300_000)
        assert len(answer["result"]["structuredContent"]["text"]) == 300_000
        client.close_input()
        client.wait()
    sizes = [
        int(size) for size in re.findall(r"^\d+ +write\(.*\) += (\d+)$", trace.read_text(), re.MULTILINE)
    ]
    assert max(sizes) <= LIMITS.write_chunk
    assert sizes.count(LIMITS.write_chunk) > 600_000 // LIMITS.write_chunk // 2


def _sample_command() -> list[str]:
    from tests.wire.client import SAMPLE_SERVER

    return SAMPLE_SERVER


def _can_trace() -> bool:
    import shutil

    return shutil.which("strace") is not None


@pytest.mark.requirement("transport-6", "transport-44")
def test_the_bucket_gives_a_burst_then_a_steady_rate() -> None:
    now = 0.0
    bucket = TokenBucket(LIMITS.request_burst, LIMITS.requests_per_second, lambda: now)
    assert sum(bucket.wait_seconds() == 0 for _ in range(1500)) == 1000
    assert bucket.wait_seconds() == pytest.approx(0.01)
    now = 1.0
    assert sum(bucket.wait_seconds() == 0 for _ in range(1500)) == 100
    now = 1000.0
    assert sum(bucket.wait_seconds() == 0 for _ in range(1500)) == 1000


@pytest.mark.requirement("reliability-D8", "transport-6", "transport-44")
@pytest.mark.evidence("D8", "wire", "2,000 requests at once")
def test_two_thousand_requests_in_a_second_are_answered_some_of_them_later() -> None:
    with wire_client() as client:
        client.initialize()
        lines = [
            json.dumps({"jsonrpc": "2.0", "id": n, "method": "resources/list"}).encode() + b"\n"
            for n in range(2000)
        ]
        began = time.monotonic()
        client.send_bytes(b"".join(lines))
        answers = client.answers(2000)
        took = time.monotonic() - began
        assert {answer["id"] for answer in answers} == set(range(2000))
        refused = [answer["error"] for answer in answers if "error" in answer]
        served = 2000 - len(refused)
        assert (
            LIMITS.request_burst - 10
            <= served
            <= LIMITS.request_burst + took * LIMITS.requests_per_second + 10
        )
        assert {error["code"] for error in refused} == {-32003}
        assert all(error["data"]["retryAfterMs"] > 0 for error in refused)
        while "error" in client.call("later", "echo", text="served again"):
            time.sleep(0.01)


def test_the_rate_limit_of_the_stateless_era_uses_no_reserved_code() -> None:
    with wire_client(settings={"limits": {"request_burst": 1, "requests_per_second": 0.001}}) as client:
        client.ask(1, "tools/list", {"_meta": ENVELOPE})
        error = client.ask(2, "tools/list", {"_meta": ENVELOPE})["error"]
        assert error["code"] == 4290
        assert error["data"]["type"] == "rate_limited"


def test_notifications_are_not_charged() -> None:
    with wire_client(settings={"limits": {"request_burst": 3, "requests_per_second": 0.001}}) as client:
        client.initialize()
        for _ in range(500):
            client.notify("notifications/unheard_of")
        assert "result" in client.call(1, "echo", text="charged")


def start_waiting(client: WireClient, count: int, seconds: float) -> None:
    for number in range(count):
        client.start_call(number, "wait", seconds=seconds)


def start_holding(client: WireClient, count: int, file: Path) -> None:
    for number in range(count):
        client.start_call(number, "hold", file=str(file))


@pytest.mark.requirement("transport-32", "transport-33", "transport-34")
def test_more_than_the_number_in_flight_are_parked_and_all_are_answered_once(tmp_path: Path) -> None:
    in_flight = LIMITS.requests_in_flight
    # More threads than that, so that only the limit keeps the others waiting.
    with wire_client(settings={"limits": {"worker_threads": 2 * in_flight}}) as client:
        client.initialize()
        start_holding(client, 300, tmp_path / "go")
        client.start_call("last", "echo", text="parked too")
        wait_until(lambda: client.error_text().count("holding") >= in_flight)
        assert client.ask("meanwhile", "ping")["result"] == {}
        assert client.error_text().count("holding") == in_flight
        (tmp_path / "go").touch()
        answers = {str(answer["id"]): answer["result"]["structuredContent"] for answer in client.answers(301)}
        assert answers.keys() == {*map(str, range(300)), "last"}
        assert answers.pop("last") == {"text": "parked too"}
        assert max(int(answer["text"]) for answer in answers.values()) == in_flight


def test_beyond_the_parking_space_requests_are_refused(tmp_path: Path) -> None:
    limits = {"requests_in_flight": 4, "requests_parked": 3}
    with wire_client(settings={"limits": limits}) as client:
        client.initialize()
        start_holding(client, 10, tmp_path / "go")
        refused = client.answers(3)
        assert [answer["id"] for answer in refused] == [7, 8, 9]
        assert {answer["error"]["data"]["reason"] for answer in refused} == {"max_concurrent_requests"}
        (tmp_path / "go").touch()
        assert sorted(answer["id"] for answer in client.answers(7) if "result" in answer) == [*range(7)]


@pytest.mark.requirement("reliability-D7")
@pytest.mark.evidence("D7", "wire", "a ping and a cancellation during long calls")
def test_cancelling_frees_running_and_parked_requests() -> None:
    with wire_client(settings={"limits": {"requests_in_flight": 4}}) as client:
        client.initialize()
        start_waiting(client, 8, 600)
        client.ask("read", "ping")
        for number in range(8):
            client.notify("notifications/cancelled", {"requestId": number})
        # Those that run would take longer than the client waits for an answer.
        assert client.call("after", "echo", text="a place is free")["result"]["structuredContent"]
        client.wait_for_error_text("stopped: cancelled")
        client.close_input()
        assert client.wait() == 0
        assert not [line for line in client.raw if json.loads(line).get("id") in range(8)]


def test_cancelling_an_unknown_or_strange_id_is_ignored() -> None:
    with wire_client() as client:
        client.initialize()
        for identity in (404, "404", None, [1], {}, 1.5, True):
            client.notify("notifications/cancelled", {"requestId": identity})
        client.notify("notifications/cancelled")
        assert client.call(1, "echo", text="alive")["id"] == 1


@pytest.mark.requirement("reliability-D7")
@pytest.mark.evidence("D7", "wire", "a ping and a cancellation during long calls")
def test_ping_is_answered_at_once_during_a_long_computation() -> None:
    with wire_client() as client:
        client.initialize()
        for number in range(2):
            client.start_call(f"spin-{number}", "spin", seconds=60)
        for number in range(30):
            # Answered before the computations, which go on for longer than the client waits.
            assert client.ask(number, "ping")["result"] == {}
        for number in range(2):
            client.notify("notifications/cancelled", {"requestId": f"spin-{number}"})
        assert client.call("after", "echo", text="x")["result"]


@pytest.mark.requirement("reliability-D7")
@pytest.mark.evidence("D7", "wire", "a ping and a cancellation during long calls")
def test_ping_is_answered_while_every_place_is_taken() -> None:
    with wire_client(settings={"limits": {"requests_in_flight": 2, "worker_threads": 2}}) as client:
        client.initialize()
        start_waiting(client, 5, 60)
        assert client.ask("now", "ping")["result"] == {}


def test_an_operation_that_ignores_its_deadline_is_answered_at_it() -> None:
    with wire_client(settings={"limits": {"operation_seconds": 0.3}}) as client:
        client.initialize()
        # Longer than the client waits for an answer.
        result = client.call(1, "stubborn", seconds=60)["result"]
        assert result["isError"]
        assert result["structuredContent"]["error"]["kind"] == "deadline_exceeded"
