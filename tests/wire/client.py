"""A client that speaks bytes: it sends what no library would and keeps every answer."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tests import forked
from tests.waiting import SECONDS

ROOT = Path(__file__).parents[2]
PROGRAM = "tests"
"""The name under which clients introduce themselves, and so the author of what they write."""
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": PROGRAM, "version": "1"},
}
SAMPLE_SERVER = [sys.executable, "-m", "tests.wire.sample_server"]


class WireClient:
    """A server process with raw pipes. With `close_fds` it is not forked, so its memory is all its own."""

    def __init__(self, command: list[str], *, reading: bool = True, **options: Any) -> None:
        self.process = forked.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=options.pop("cwd", ROOT),
            bufsize=0,
            **options,
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.pid = self.process.pid
        self.stdin = self.process.stdin
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.raw: list[bytes] = []
        self.errors: list[bytes] = []
        # A stream of its own, which stays open until the end of what was said, whenever the client is closed.
        said = os.fdopen(os.dup(self.process.stderr.fileno()), "rb")
        self._errors = threading.Thread(target=self._read_errors, args=(said,), daemon=True)
        self._errors.start()
        self._reader = threading.Thread(target=self._read, daemon=True)
        if reading:
            self.start_reading()

    def start_reading(self) -> None:
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        stream = os.fdopen(os.dup(self.process.stdout.fileno()), "rb", buffering=1 << 16)
        with stream:
            for line in stream:
                self.raw.append(line)
                self.lines.put(line)
        self.lines.put(None)

    def _read_errors(self, said: BinaryIO) -> None:
        with said:
            for line in said:
                self.errors.append(line)

    def send_bytes(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self.stdin.write(view) :]

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def request(self, identity: Any, method: str, params: dict[str, Any] | None = None) -> None:
        message = {"jsonrpc": "2.0", "id": identity, "method": method}
        self.send(message if params is None else message | {"params": params})

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else message | {"params": params})

    def receive(self, seconds: float = SECONDS) -> dict[str, Any]:
        line = self.lines.get(timeout=seconds)
        assert line is not None, f"the server closed its output; stderr: {b''.join(self.errors)!r}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, identity: Any, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.request(identity, method, params)
        return self.answer(identity)

    def answer(self, identity: Any, seconds: float = SECONDS) -> dict[str, Any]:
        """Return the answer under an id, passing over notifications."""
        while True:
            message = self.receive(seconds)
            if "method" not in message:
                assert message["id"] == identity, message
                return message

    def call(self, identity: Any, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask(identity, "tools/call", {"name": tool, "arguments": arguments})

    def start_call(self, identity: Any, tool: str, **arguments: Any) -> None:
        self.request(identity, "tools/call", {"name": tool, "arguments": arguments})

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        info = {"name": PROGRAM, "version": "1"}
        answer = self.ask(
            "init", "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
        )
        self.notify("notifications/initialized")
        result: dict[str, Any] = answer["result"]
        return result

    def answers(self, count: int, seconds: float = SECONDS) -> list[dict[str, Any]]:
        """Return that many answers, passing over notifications."""
        got: list[dict[str, Any]] = []
        while len(got) < count:
            message = self.receive(seconds)
            if "method" not in message:
                got.append(message)
        return got

    def peak_memory(self) -> int:
        """Return the largest resident size of the server so far, in bytes."""
        return self._status("VmHWM")

    def memory(self) -> int:
        return self._status("VmRSS")

    def _status(self, name: str) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
        raise AssertionError(f"no {name}")

    def error_text(self) -> str:
        return b"".join(self.errors).decode()

    def wait_for_error_text(self, wanted: str, seconds: float = SECONDS) -> None:
        ends = time.monotonic() + seconds
        while wanted not in self.error_text():
            assert time.monotonic() < ends, f"{wanted!r} not in {self.error_text()!r}"
            time.sleep(0.01)

    def close_input(self) -> None:
        self.stdin.close()

    def wait(self, seconds: float = SECONDS) -> int:
        status = self.process.wait(seconds)
        if self._reader.ident is not None:
            self._reader.join(seconds)
        self._errors.join(seconds)
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()


@contextmanager
def wire_client(
    command: list[str] | None = None,
    *,
    reading: bool = True,
    settings: dict[str, Any] | None = None,
    **options: Any,
) -> Iterator[WireClient]:
    """Start a server (the sample one unless told otherwise) and end it afterwards, whatever happened."""
    command = command or [*SAMPLE_SERVER, json.dumps(settings or {})]
    client = WireClient(command, reading=reading, **options)
    try:
        yield client
    finally:
        client.close()
