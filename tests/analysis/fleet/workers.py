"""Work for processes that may die over it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from holdfast.analysis.fleet.fleet_run import RepositoryTask


def task(name: str, folder: Path) -> RepositoryTask:
    return RepositoryTask(name, json.dumps({"name": name, "marker": str(folder / "died")}))


def dies_once(asked: str) -> str:
    """Answer with the name; the process of "bad" is killed when it comes to it for the first time."""
    told = json.loads(asked)
    marker = Path(told["marker"])
    if told["name"] == "bad" and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return str(told["name"])


def dies(asked: str) -> str:
    """Answer with the name; the process of "bad" is killed whenever it comes to it."""
    name = str(json.loads(asked)["name"])
    if name == "bad":
        os.kill(os.getpid(), signal.SIGKILL)
    return name


def own_number(_asked: str) -> str:
    return str(os.getpid())
