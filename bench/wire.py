"""Server CPU per request and time to the first answer: Holdfast beside the SDK's own stdio server.

Both servers offer the same forty tools. Rounds alternate between the servers; every answer is checked
outside of the timed zone. The figure that counts is processor time of the server process, because
wall time on a shared machine measures the neighbours.

    python -m bench.wire [--rounds 7]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from typing import Any

SERVERS = {"stock": "bench.servers.stock", "holdfast": "bench.servers.ours"}
TICK = os.sysconf("SC_CLK_TCK")
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Client:
    """A server process and a pipe to it."""

    def __init__(self, module: str) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.write = self.process.stdin.write
        self.answers = os.fdopen(os.dup(self.process.stdout.fileno()), "rb", buffering=1 << 20)

    def send(self, message: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def initialize(self) -> float:
        self.send({"id": "i", "method": "initialize", "params": INITIALIZE})
        assert json.loads(self.answers.readline())["id"] == "i"
        elapsed = time.perf_counter() - self.started
        self.send({"method": "notifications/initialized"})
        return elapsed

    def processor_seconds(self) -> float:
        """Return the time the server spent on the processor, in nanosecond resolution where there is."""
        total = 0
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{thread}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total / 1e9

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


def measure(client: Client, lines: list[bytes], in_flight: int) -> tuple[float, list[bytes]]:
    """Return processor seconds per request, and the answers."""
    answers = []
    before = client.processor_seconds()
    for start in range(0, len(lines), in_flight):
        batch = lines[start : start + in_flight]
        client.write(b"".join(batch))
        answers += [client.answers.readline() for _ in batch]
    return (client.processor_seconds() - before) / len(lines), answers


def calls(count: int, first: int) -> list[bytes]:
    return [
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": first + n,
                "method": "tools/call",
                "params": {"name": "echo", "arguments": {"text": f"hello {n}"}},
            }
        ).encode()
        + b"\n"
        for n in range(count)
    ]


def lists(count: int, first: int) -> list[bytes]:
    return [
        json.dumps({"jsonrpc": "2.0", "id": first + n, "method": "tools/list", "params": {}}).encode() + b"\n"
        for n in range(count)
    ]


def check(lines: list[bytes], answers: list[bytes]) -> None:
    expected = {json.loads(line)["id"] for line in lines}
    got = {}
    for answer in answers:
        body = json.loads(answer)
        assert "error" not in body, body
        got[body["id"]] = body["result"]
    assert got.keys() == expected
    for line in lines:
        request = json.loads(line)
        if request["method"] == "tools/call":
            assert got[request["id"]]["structuredContent"] == request["params"]["arguments"]
        else:
            assert len(got[request["id"]]["tools"]) == 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    figures: dict[str, dict[str, list[float]]] = {name: {} for name in SERVERS}
    for _ in range(rounds):
        for name, module in SERVERS.items():
            client = Client(module)
            seen = figures[name]
            seen.setdefault("first answer", []).append(client.initialize())
            measure(client, calls(50, 10**6), 1)
            for label, lines, in_flight in (
                ("call, one at a time", calls(400, 1), 1),
                ("call, 64 in flight", calls(640, 10**4), 64),
                ("list of 40, one at a time", lists(150, 10**5), 1),
            ):
                figure, answers = measure(client, lines, in_flight)
                check(lines, answers)
                seen.setdefault(label, []).append(figure)
            client.close()
    report(figures, rounds)


def report(figures: dict[str, dict[str, list[float]]], rounds: int) -> None:
    print(
        f"Python {platform.python_version()}, mcp {version('mcp')}, pydantic {version('pydantic')}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, medians of {rounds} rounds"
    )
    print(f"{'':28}{'stock':>12}{'holdfast':>12}{'ratio':>8}")
    for label in figures["stock"]:
        stock = statistics.median(figures["stock"][label])
        ours = statistics.median(figures["holdfast"][label])
        unit, scale = ("ms", 1e3) if label == "first answer" else ("us", 1e6)
        print(f"{label:28}{stock * scale:>9.0f} {unit}{ours * scale:>9.0f} {unit}{ours / stock:>8.2f}")


if __name__ == "__main__":
    main()
