"""Tool calls per second over HTTP: Holdfast beside the SDK's own low-level server on Streamable HTTP.

Both servers offer the same forty tools, in both eras. Ours does everything that it does for real: host and
origin, token, limits, validation, worker thread, settlement. Rounds alternate between the servers; every
answer is checked outside of the timed zone. Besides calls per second the processor time of the server is
shown, because wall time on a shared machine also measures the neighbours.

    python -m bench.over_http [--rounds 5] [--check] [--save]

With --check the exit status is 1 when Holdfast answers fewer calls per second in any row.
"""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from typing import Any

from bench._client import INITIALIZE, processor_seconds
from bench._comparison import amount
from bench._results import Results, arguments

SERVERS = {"stock": "bench.servers.stock_http", "holdfast": "bench.servers.ours_http"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
Headers = dict[str, str]


class Connection:
    """A kept-alive connection that speaks just enough HTTP."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb", buffering=1 << 16)

    def ask(self, request: bytes) -> tuple[Headers, bytes]:
        """Send a prepared request and return headers and body."""
        self.socket.sendall(request)
        status = self.stream.readline().split()[1]
        headers = {":status": status.decode()}
        while (line := self.stream.readline().strip()) != b"":
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        if "content-length" in headers:
            return headers, self.stream.read(int(headers["content-length"]))
        return headers, self._chunks()

    def _chunks(self) -> bytes:
        body = b""
        while (size := int(self.stream.readline(), 16)) > 0:
            body += self.stream.read(size)
            self.stream.readline()
        self.stream.readline()
        return body


class Server:
    """A server process."""

    def __init__(self, module: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", module], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self._wait()

    def _wait(self) -> None:
        for _ in range(200):
            try:
                Connection(self.port).ask(self.request("GET", b"", {"Connection": "close"}))
                return
            except (OSError, IndexError):
                time.sleep(0.02)
        raise RuntimeError("the server did not come up")

    def request(self, method: str, body: bytes, more: Headers) -> bytes:
        """Return the bytes of a request."""
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {'bench' * 8}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        } | more
        lines = [f"{method} /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        return "\r\n".join(lines).encode() + body

    def session(self) -> Headers:
        """Open a session of the handshake era and return the headers that belong to it."""
        connection = Connection(self.port)
        first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
        headers, _ = connection.ask(self.request("POST", json.dumps(first).encode(), {}))
        belonging = {"Mcp-Session-Id": headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
        ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
        connection.ask(self.request("POST", ready, belonging))
        return belonging

    def processor_seconds(self) -> float:
        """Return the time the server spent on the processor."""
        return processor_seconds(self.process.pid)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def calls(server: Server, era: str, count: int) -> list[bytes]:
    belonging = server.session() if era == "handshake" else {}
    stateless = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo"}
    prepared = []
    for number in range(count):
        params: dict[str, Any] = {"name": "echo", "arguments": {"text": f"hello {number}"}}
        if era == "stateless":
            params["_meta"] = ENVELOPE
        body = {"jsonrpc": "2.0", "id": number + 1, "method": "tools/call", "params": params}
        prepared.append(server.request("POST", json.dumps(body).encode(), belonging or stateless))
    return prepared


def measure(server: Server, prepared: list[bytes], clients: int) -> tuple[float, float, list[bytes]]:
    """Return calls per second, processor seconds per call, and the answers."""
    connections = [Connection(server.port) for _ in range(clients)]
    answers: list[list[bytes]] = [[] for _ in range(clients)]

    def work(index: int) -> None:
        for request in prepared[index::clients]:
            answers[index].append(connections[index].ask(request)[1])

    threads = [threading.Thread(target=work, args=(index,)) for index in range(clients)]
    spent, started = server.processor_seconds(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - started
    spent = server.processor_seconds() - spent
    return len(prepared) / elapsed, spent / len(prepared), [item for group in answers for item in group]


def check(answers: list[bytes], count: int) -> None:
    seen = set()
    for answer in answers:
        text = (
            next(line[5:] for line in answer.splitlines() if line.startswith(b"data:"))
            if (not answer.startswith(b"{"))
            else answer
        )
        body = json.loads(text)
        assert body["result"]["structuredContent"]["text"] == f"hello {body['id'] - 1}", body
        seen.add(body["id"])
    assert seen == set(range(1, count + 1))


def main() -> None:
    options = arguments(__doc__, rounds=5, calls=400)
    figures: dict[str, dict[str, list[tuple[float, float]]]] = {name: {} for name in SERVERS}
    for _ in range(options.rounds):
        for name, module in SERVERS.items():
            server = Server(module)
            for era in ("handshake", "stateless"):
                measure(server, calls(server, era, 50), 1)
                for clients in (1, 8):
                    prepared = calls(server, era, options.calls)
                    rate, spent, answers = measure(server, prepared, clients)
                    check(answers, options.calls)
                    figures[name].setdefault(f"{era}, {clients} at once", []).append((rate, spent))
            server.close()
    results = Results("bench.over_http", versions={"uvicorn": version("uvicorn")})
    add_rates(results, figures)
    sys.exit(results.finish(options))


def add_rates(results: Results, figures: dict[str, dict[str, list[tuple[float, float]]]]) -> None:
    """Add the medians and their ratios."""
    rows = []
    for label in figures["stock"]:
        rates = {name: statistics.median(pair[0] for pair in seen[label]) for name, seen in figures.items()}
        spent = {name: statistics.median(pair[1] for pair in seen[label]) for name, seen in figures.items()}
        bar = results.bar(
            f"calls a second, {label}",
            rates["holdfast"] / rates["stock"],
            1,
            against="stock SDK",
            better="higher",
        )
        both = ", ".join(amount(spent[name]) for name in SERVERS)
        rates_shown = (f"{rates[name]:.0f}/s" for name in SERVERS)
        rows.append((label, *rates_shown, bar.figure, both, f"1 {bar.verdict}"))
    columns = ("", "stock SDK", "holdfast", "ratio", "processor per call", "bar")
    results.table("rates", columns, rows)


if __name__ == "__main__":
    main()
