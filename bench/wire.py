"""Server CPU per request: Holdfast beside the SDK's low-level server on the SDK's own stdio transport.

Both servers offer the same forty tools and run side by side. A round is a small batch of requests to
the one and then to the other; every answer is checked outside of the timed zone. The figure is processor
time of the server process, because wall time on a shared machine measures the neighbours.

    python -m bench.wire [--rounds 25] [--check] [--save]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench._client import Client, line
from bench._comparison import Comparison, compare
from bench._results import Results, arguments
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
WARM_UP_ROUNDS = 2

Requests = list[dict[str, Any]]


def main() -> None:
    options = arguments(__doc__, rounds=25)
    with servers() as sides:
        for client in sides:
            client.initialize()
        comparisons = [
            measured(sides, Comparison("call, one at a time", bar=0.45), calls(200, {}), 1, options.rounds),
            measured(sides, Comparison("call, 64 in flight", bar=0.45), calls(640, {}), 64, options.rounds),
            measured(sides, Comparison("list of 40 tools", bar=0.2), lists(50, {}), 1, options.rounds),
        ]
    with servers() as sides:
        comparisons += [
            measured(sides, Comparison("stateless call"), calls(200, ENVELOPE), 1, options.rounds),
            measured(sides, Comparison("stateless list of 40 tools"), lists(50, ENVELOPE), 1, options.rounds),
        ]
    corpus = f"Both servers offer the same {COUNT} small tools; processor time of the server per request"
    results = Results("bench.wire", corpus)
    compare(results, "requests", ("stock SDK", "holdfast"), comparisons)
    sys.exit(results.finish(options))


@contextmanager
def servers() -> Iterator[tuple[Client, Client]]:
    """Start both servers, and end them."""
    sides = Client(STOCK), Client(OURS)
    yield sides
    for client in sides:
        client.close()


def measured(
    sides: tuple[Client, Client], comparison: Comparison, requests: Requests, in_flight: int, rounds: int
) -> Comparison:
    """Send the requests to one side and the other in turn."""
    for number in range(-WARM_UP_ROUNDS, rounds):
        for client, figures in zip(sides, comparison.sides, strict=True):
            figure = measure(client, requests, in_flight)
            if number >= 0:
                figures.append(figure)
    return comparison


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


def check_answers(requests: Requests, answers: list[bytes]) -> None:
    results = {body["id"]: body["result"] for body in map(json.loads, answers)}
    assert results.keys() == {request["id"] for request in requests}
    for request in requests:
        result = results[request["id"]]
        if request["method"] == "tools/call":
            assert result["structuredContent"] == request["params"]["arguments"]
        else:
            assert len(result["tools"]) == COUNT


if __name__ == "__main__":
    main()
