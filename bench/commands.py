"""Wall time of everyday commands beside an empty Python, and of the server's first answer beside the SDK's.

python -m bench.commands [--rounds 41] [--check]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench._client import Client
from bench._comparison import Comparison, arguments, report

ROOT = Path(__file__).resolve().parent.parent
HOLDFAST = str(Path(sys.executable).with_name("holdfast"))
PYTHON = [sys.executable, "-c", "pass"]
STOCK = [sys.executable, "-m", "bench.servers.stock"]
ROUNDS_PER_START = 3
"""A server takes so long to start that its figure settles in fewer rounds."""


def main() -> None:
    options = arguments(__doc__, rounds=41)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder  # nothing of this machine's configuration takes part
        compare_commands(new_repository(Path(folder, "commands")), options.rounds, check=options.check)
        print()
        rounds = max(11, options.rounds // ROUNDS_PER_START)
        compare_starts(new_repository(Path(folder, "server")), rounds, check=options.check)


def compare_commands(repository: Path, rounds: int, *, check: bool) -> None:
    send = Comparison("holdfast send --file F --comment C", bar=2.5, unit="ms")
    empty = Comparison("holdfast inbox drain --hook, nothing waits", unit="ms")
    full = Comparison("holdfast inbox drain --hook, one message waits", unit="ms")
    for number in range(rounds):
        python = seconds_of(PYTHON, repository)
        sending = [HOLDFAST, "send", "--file", "README.md", "--comment", f"Remark {number}"]
        draining = [HOLDFAST, "inbox", "drain", "--hook"]
        for comparison, command in ((send, sending), (full, draining), (empty, draining)):
            comparison.baseline.append(python)
            comparison.ours.append(seconds_of(command, repository))
    corpus = "a fresh repository whose inbox exists, wall time of the process"
    report(corpus, ("python -c pass", "holdfast"), [send, empty, full], check=check)


def compare_starts(repository: Path, rounds: int, *, check: bool) -> None:
    start = Comparison("from start to the initialize answer", bar=1.15, unit="ms")
    for _ in range(rounds):
        start.baseline.append(seconds_to_answer(STOCK, ROOT))
        start.ours.append(seconds_to_answer([HOLDFAST, "serve"], repository))
    corpus = "the stock server offers 40 tools, ours what it has for a fresh repository; wall time"
    report(corpus, ("stock SDK", "holdfast serve"), [start], check=check)


def seconds_of(command: list[str], cwd: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def seconds_to_answer(command: list[str], cwd: Path) -> float:
    client = Client(command, cwd)
    try:
        return client.initialize()
    finally:
        client.close()


def new_repository(path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", path], check=True)
    subprocess.run(
        [HOLDFAST, "send", "--file", "README.md", "--comment", "First"],
        cwd=path,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run([HOLDFAST, "inbox", "drain"], cwd=path, check=True, stdout=subprocess.DEVNULL)
    return path


if __name__ == "__main__":
    main()
