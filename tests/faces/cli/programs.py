"""Runs the sample program as a user would: its own process, real streams, a terminal where wanted."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import forked

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = (sys.executable, "-m", "tests.faces.cli.sample")


@dataclass(frozen=True)
class Program:
    """The sample program, run with a directory as its workspace."""

    directory: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str | bytes, **more: Any) -> subprocess.CompletedProcess[str]:
        more = {"capture_output": True, "encoding": "utf-8", "errors": "replace", **more}
        return forked.run([*SAMPLE, *arguments], env=self.variables(), cwd=ROOT, timeout=60, **more)

    def start(self, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
        return forked.Popen([*SAMPLE, *arguments], env=self.variables(), cwd=ROOT, **more)

    def on_terminal(self, *arguments: str) -> tuple[int, str]:
        """Run with a terminal as standard output and standard error; return the status and what it shows."""
        controller, terminal = pty.openpty()
        process = self.start(*arguments, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal)
        os.close(terminal)
        shown = b"".join(iter(lambda: _read(controller), b""))
        os.close(controller)
        return process.wait(timeout=60), shown.decode().replace("\r\n", "\n")

    def with_environment(self, **variables: str) -> Program:
        return Program(self.directory, {**self.environment, **variables})

    def settlements(self) -> list[str]:
        settled = self.directory / "settled"
        return settled.read_text().split() if settled.exists() else []

    def variables(self) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("HOLDFAST_", "COMP_", "NO_COLOR", "_HOLDFAST"))
        }
        fixed = {"HOLDFAST_ROOT": str(self.directory), "TERM": "xterm", "COLUMNS": "80"}
        return inherited | fixed | self.environment


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:
        # Linux reports the end of a terminal whose other side closed as an error.
        return b""
