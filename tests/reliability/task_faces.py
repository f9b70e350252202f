"""The faces of a server and of commands, each as a function that runs an operation on tasks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import forked
from tests.contract.prepared import HOLDFAST
from tests.faces.http.running import RunningServer
from tests.wire.client import ENVELOPE, WireClient

Face = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Runs an operation by name and returns its result, which may hold an error."""


def by_pipe(client: WireClient) -> Face:
    numbers = iter(range(1, 1_000_000))

    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments, "_meta": ENVELOPE}
        content: dict[str, Any] = client.ask(next(numbers), "tools/call", params)["result"][
            "structuredContent"
        ]
        return content

    return call


def by_rest(server: RunningServer) -> Face:
    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answered: dict[str, Any] = server.ask("POST", f"/api/tasks/{name}", arguments).json
        return answered

    return call


def by_command(path: Path) -> Face:
    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        command = name.removeprefix("taskpilot_").replace("_", "-")
        options = [
            f"--{key.replace('_', '-')}" + ("" if value is True else f"={_spelled(value)}")
            for key, value in arguments.items()
            if key != "task_id"
        ]
        place = [arguments["task_id"]] if "task_id" in arguments else []
        done = forked.run(
            [HOLDFAST, "tasks", command, *place, *options, "--json"],
            cwd=path,
            capture_output=True,
            text=True,
            timeout=60,
        )
        answered: dict[str, Any] = json.loads(done.stdout)
        return answered

    return call


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
