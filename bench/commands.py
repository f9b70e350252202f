"""Everyday commands beside a Python that does next to nothing; the server's first answer beside the SDK's.

python -m bench.commands [--rounds 41] [--check] [--save]
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import holdfast
from bench._client import Client
from bench._comparison import Comparison, compare
from bench._results import Results, arguments

ROOT = Path(__file__).resolve().parent.parent
HOLDFAST = str(Path(sys.executable).with_name("holdfast"))
GIT_MILE = str(Path(sys.executable).with_name("git-mile"))
PYTHON = [sys.executable, "-c", "pass"]
LIBRARIES = [sys.executable, "-c", "import pydantic, click"]
MODEL = [
    sys.executable,
    "-c",
    """
import click, pydantic
class Input(pydantic.BaseModel):
    name: str
Input.model_validate({"name": "Ada"})
""",
]
"""Importing pydantic loads little of it; this is what any program pays that validates by one model."""
STOCK = [sys.executable, "-m", "bench.servers.stock"]
DRAIN = [HOLDFAST, "inbox", "drain", "--hook"]
FEWER_STARTS = 2
"""A server starts thirty times as slowly as Python, and its figure settles sooner."""


def main() -> None:
    options = arguments(__doc__, rounds=41)
    with tempfile.TemporaryDirectory() as folder:
        prepare(home=folder)
        repository = new_repository(Path(folder, "repository"))
        quick = compare_commands(repository, options.rounds)
        others, models = compare_processor_time(with_everything(Path(folder, "rooms")), options.rounds)
        starts = compare_starts(repository, max(11, options.rounds // FEWER_STARTS))
    results = Results("bench.commands")
    compare(results, "quick", ("python -c pass", "holdfast"), quick)
    compare(results, "others", ("import pydantic, click", "holdfast"), others)
    compare(results, "models", ("one pydantic model", "holdfast"), models)
    compare(results, "starts", ("stock SDK", "holdfast serve"), starts)
    sys.exit(results.finish(options))


def prepare(home: str) -> None:
    """Have bytecode, as an installed package has, and leave this machine's configuration aside."""
    compileall.compile_dir(Path(holdfast.__file__).parent, quiet=1)
    compileall.compile_dir(ROOT / "bench", quiet=1)
    for name in [name for name in os.environ if name.startswith(("PYTHON", "GIT_", "HOLDFAST_"))]:
        del os.environ[name]
    os.environ["HOME"] = home


def compare_commands(repository: Path, rounds: int) -> list[Comparison]:
    send = Comparison("holdfast send --file F --comment C", bar=2.5)
    empty = Comparison("holdfast inbox drain --hook, nothing waits")
    full = Comparison("holdfast inbox drain --hook, a message waits")
    for number in range(rounds):
        python = seconds_of(PYTHON, repository)
        for comparison, command in ((send, sending(f"Remark {number}")), (full, DRAIN), (empty, DRAIN)):
            comparison.baseline.append(python)
            comparison.ours.append(seconds_of(command, repository))
    return [send, empty, full]


def compare_processor_time(repository: Path, rounds: int) -> tuple[list[Comparison], list[Comparison]]:
    """Return the everyday commands beside importing the libraries, and beside using one of them."""
    measured = {label: (Comparison(label, bar=1.8), Comparison(label)) for label in everyday(0, "", "")}
    for number in range(rounds):
        baselines = [processor_seconds_of(command, repository) for command in (LIBRARIES, MODEL)]
        issue = told([GIT_MILE, "create", "issue", f"Issue {number}", "--json"], repository)["id"]
        [task] = told([HOLDFAST, "tasks", "add", f"Task {number}", "--json"], repository)["tasks_created"]
        run(sending(f"Remark {number}"), repository)
        for label, command in everyday(number, issue, task["id"]).items():
            ours = processor_seconds_of(command, repository)
            for comparison, baseline in zip(measured[label], baselines, strict=True):
                comparison.baseline.append(baseline)
                comparison.ours.append(ours)
    libraries, models = zip(*measured.values(), strict=True)
    return list(libraries), list(models)


def everyday(number: int, issue: str, task: str) -> dict[str, list[str]]:
    """Return the commands that people and hooks run many times an hour, by label."""
    tasks, comments = [HOLDFAST, "tasks"], [HOLDFAST, "comments"]
    return {
        "holdfast inbox drain --hook, a message waits": DRAIN,
        "holdfast tasks add": [*tasks, "add", f"Another {number}"],
        "holdfast tasks list": [*tasks, "list"],
        "holdfast tasks next": [*tasks, "next"],
        "holdfast tasks focus": [*tasks, "focus", task],
        "holdfast tasks done": [*tasks, "done", task],
        "holdfast comments add": [*comments, "add", "README.md", "1", f"Remark {number}", "--tag", "NOTE"],
        "holdfast comments list": [*comments, "list"],
        "git-mile create": [GIT_MILE, "create", "issue", f"Another {number}"],
        "git-mile show": [GIT_MILE, "show", issue],
        "git-mile claim": [GIT_MILE, "claim", issue],
        "git-mile close": [GIT_MILE, "close", issue],
    }


def with_everything(path: Path) -> Path:
    """Make a repository with a commit, an inbox, a workspace of tasks, a comment and an issue."""
    new_repository(path)
    for command in (
        ["git", "config", "user.name", "Ada"],
        ["git", "config", "user.email", "ada@example.org"],
        ["git", "add", "."],
        ["git", "commit", "--quiet", "--message", "Begin"],
        [HOLDFAST, "tasks", "init"],
    ):
        run(command, path)
    return path


def processor_seconds_of(command: list[str], cwd: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def told(command: list[str], cwd: Path) -> Any:
    answer = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return json.loads(answer.stdout)


def compare_starts(repository: Path, rounds: int) -> list[Comparison]:
    wall = Comparison("start to initialize answer, wall time", bar=0.7)
    processor = Comparison("start to initialize answer, processor time", bar=0.7)
    for _ in range(rounds):
        for side, command, cwd in (("baseline", STOCK, ROOT), ("ours", [HOLDFAST, "serve"], repository)):
            client = Client(command, cwd)
            getattr(wall, side).append(client.initialize())
            getattr(processor, side).append(client.processor_seconds())
            client.close()
    return [wall, processor]


def seconds_of(command: list[str], cwd: Path) -> float:
    started = time.perf_counter()
    run(command, cwd)
    return time.perf_counter() - started


def sending(comment: str) -> list[str]:
    return [HOLDFAST, "send", "--file", "README.md", "--comment", comment]


def new_repository(path: Path) -> Path:
    path.mkdir()
    Path(path, "README.md").write_text("# Read me\n", encoding="utf-8")
    for command in (["git", "init", "--quiet"], sending("First"), DRAIN):
        run(command, path)
    return path


def run(command: list[str], cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
