"""A client of the least cost: a server process and a pipe to it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def line(message: dict[str, Any]) -> bytes:
    """Return a message as it goes over the wire."""
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def processor_seconds(process: int) -> float:
    """Return the time that the threads of a process have spent on a processor."""
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


class Client:
    """A server process, timed from its start."""

    def __init__(self, command: list[str], cwd: Path | None = None) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input = self.process.stdin
        self.answers = os.fdopen(os.dup(self.process.stdout.fileno()), "rb", buffering=1 << 20)

    def initialize(self) -> float:
        """Shake hands and return the seconds since the start."""
        self.input.write(line({"id": "i", "method": "initialize", "params": INITIALIZE}))
        assert json.loads(self.answers.readline())["id"] == "i"
        elapsed = time.perf_counter() - self.started
        self.input.write(line({"method": "notifications/initialized"}))
        return elapsed

    def processor_seconds(self) -> float:
        """Return the time that the server's threads have spent on a processor."""
        return processor_seconds(self.process.pid)

    def close(self) -> None:
        """End the server."""
        self.input.close()
        self.answers.close()
        self.process.stdout.close()  # type: ignore[union-attr]
        self.process.wait(10)
