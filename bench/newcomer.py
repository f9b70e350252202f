"""The path of somebody new to Holdfast: from a clone, or from a wheel, to the first answer in a client.

    python -m bench.newcomer [--save]

Each step is done as a person would, in new folders, with a new virtual environment and an empty home: clone,
make the environment, `pip install`, `holdfast install claude-code` in another repository; then the client of
the MCP SDK starts the server by what `.mcp.json` says and calls a tool. How long pip takes to fetch is the
network's: it fetches everything beforehand, and installs from a folder. The bar is five minutes.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from bench._results import ROOT, Results, arguments

MAX_SECONDS = 300
TOOL = "check_lazygit_messages"
STEPS = ("clone", "new virtual environment", "pip install", "holdfast install claude-code", "first answer")


class Newcomer:
    """A person with an empty home, and how long each of their steps took."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.seconds: dict[str, float] = {}
        (place / "home").mkdir(parents=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)  # an installation as everybody has it
        path = f"{place / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = kept | {"HOME": str(place / "home"), "PATH": path}

    def run(self, *command: str, cwd: Path | None = None) -> None:
        done = subprocess.run(
            command, cwd=cwd or self.place, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"

    def timed(self, step: str, work: Callable[[], Any]) -> None:
        started = time.perf_counter()
        work()
        self.seconds[step] = time.perf_counter() - started

    def install(self, what: str, packages: Path) -> None:
        venv = ("-m", "venv", str(self.place / "venv"))
        self.timed("new virtual environment", lambda: self.run(sys.executable, *venv))
        python = str(self.place / "venv" / "bin" / "python")
        quiet = ("-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(packages))
        self.timed("pip install", lambda: self.run(python, *quiet, what))

    def connect(self) -> None:
        project = self.place / "project"
        self.run("git", "init", "--quiet", str(project))
        self.timed(
            "holdfast install claude-code",
            lambda: self.run("holdfast", "install", "claude-code", cwd=project),
        )
        written = json.loads((project / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["holdfast"]
        self.timed("first answer", lambda: asyncio.run(self.ask(written, project)))

    async def ask(self, written: dict[str, Any], project: Path) -> None:
        command = str(self.place / "venv" / "bin" / written["command"])
        server = StdioServerParameters(
            command=command, args=written["args"], cwd=project, env=self.environment
        )
        async with Client(stdio_client(server, errlog=sys.stderr), read_timeout_seconds=60) as client:
            answer = await client.call_tool(TOOL, {})
            assert not answer.is_error, answer


def main() -> int:
    options = arguments(__doc__)
    results = Results("bench.newcomer")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        packages = place / "packages"
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(packages)]
        subprocess.run([*pip, "hatchling>=1.27", "editables", str(ROOT)], check=True)
        [wheel] = packages.glob("holdfast-*.whl")
        from_clone, from_wheel = Newcomer(place / "clone"), Newcomer(place / "wheel")
        clone = from_clone.place / "holdfast"
        from_clone.timed(
            "clone", lambda: from_clone.run("git", "clone", "--quiet", f"file://{ROOT}", str(clone))
        )
        from_clone.install(str(clone), packages)
        from_wheel.install(str(wheel), packages)
        for person in (from_clone, from_wheel):
            person.connect()
    rows: list[list[Any]] = [
        [step, *(person.seconds.get(step) for person in (from_clone, from_wheel))] for step in STEPS
    ]
    totals = [sum(person.seconds.values()) for person in (from_clone, from_wheel)]
    rows.append(["together", *totals])
    results.table("steps", ["step", "from a clone, seconds", "from a wheel, seconds"], rows)
    results.bar("from a clone to a client's first answer, seconds", totals[0], MAX_SECONDS)
    results.bar("from a wheel to a client's first answer, seconds", totals[1], MAX_SECONDS)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
