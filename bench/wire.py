"""Server CPU per request: Holdfast beside the SDK's low-level server on the SDK's own stdio transport.

Both servers offer the same forty tools. Rounds alternate between the servers; every answer is checked
outside of the timed zone. The figure is processor time of the server process, because wall time on a
shared machine measures the neighbours.

    python -m bench.wire [--rounds 9] [--check]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from bench._client import Client, line
from bench._comparison import Comparison, arguments, report
from bench.servers.tools import COUNT

STOCK = [sys.executable, "-m", "bench.servers.stock"]
OURS = [sys.executable, "-m", "bench.servers.ours"]
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    }
}

Requests = list[dict[str, Any]]


def calls(count: int, shared: dict[str, Any]) -> Requests:
    return [
        {
            "id": number,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": f"hello {number}"}, **shared},
        }
        for number in range(count)
    ]


def lists(count: int, shared: dict[str, Any]) -> Requests:
    return [{"id": number, "method": "tools/list", "params": shared} for number in range(count)]


def measure(client: Client, requests: Requests, in_flight: int) -> float:
    """Return the server's processor seconds per request, once the answers were found to be right."""
    lines = [line(request) for request in requests]
    answers = []
    before = client.processor_seconds()
    for start in range(0, len(lines), in_flight):
        batch = lines[start : start + in_flight]
        client.input.write(b"".join(batch))
        answers += [client.answers.readline() for _ in batch]
    elapsed = client.processor_seconds() - before
    check_answers(requests, answers)
    return elapsed / len(lines)


def check_answers(requests: Requests, answers: list[bytes]) -> None:
    results = {body["id"]: body["result"] for body in map(json.loads, answers)}
    assert results.keys() == {request["id"] for request in requests}
    for request in requests:
        result = results[request["id"]]
        if request["method"] == "tools/call":
            assert result["structuredContent"] == request["params"]["arguments"]
        else:
            assert len(result["tools"]) == COUNT


def main() -> None:
    options = arguments(__doc__, rounds=9)
    handshake = [
        (Comparison("call, one at a time", bar=0.45), calls(400, {}), 1),
        (Comparison("call, 64 in flight", bar=0.45), calls(640, {}), 64),
        (Comparison("list of 40 tools", bar=0.2), lists(150, {}), 1),
    ]
    stateless = [
        (Comparison("stateless call, one at a time"), calls(400, ENVELOPE), 1),
        (Comparison("stateless list of 40 tools"), lists(150, ENVELOPE), 1),
    ]
    for _ in range(options.rounds):
        for side, command in (("baseline", STOCK), ("ours", OURS)):
            for work, begin in ((handshake, Client.initialize), (stateless, lambda _: None)):
                run(command, side, work, begin)
    comparisons = [comparison for comparison, _, _ in handshake + stateless]
    corpus = f"Both servers offer the same {COUNT} small tools; processor time of the server per request"
    held = report(corpus, ("stock SDK", "holdfast"), comparisons)
    sys.exit(options.check and not held)


def run(
    command: list[str],
    side: str,
    work: list[tuple[Comparison, Requests, int]],
    begin: Callable[[Client], object],
) -> None:
    client = Client(command)
    begin(client)
    for comparison, requests, in_flight in work:
        measure(client, requests[:50], in_flight)
        getattr(comparison, side).append(measure(client, requests, in_flight))
    client.close()


if __name__ == "__main__":
    main()
