"""Milestones beside git-bug: the same issues in two repositories, written and listed by either program.

python -m bench.git_bug [--git-bug PATH] [--issues 1000] [--rounds 7] [--save]

`PATH` is an executable of git-bug, from version 0.5 on. Wall time of whole commands, taken in turn.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from bench._comparison import Comparison, compare
from bench._results import Results, absent, parser
from bench.milestones import filled, new_repository, prepare, timed


def main() -> None:
    given = parser(__doc__, rounds=7)
    given.add_argument("--git-bug", default=shutil.which("git-bug"), help="the program")
    given.add_argument("--issues", type=int, default=1000)
    options = given.parse_args()
    if options.git_bug is None:
        sys.exit(absent("git-bug"))
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        ours = filled(Path(folder, "ours"), options.issues)
        theirs = with_bugs(Path(folder, "theirs"), options.git_bug, options.issues)
        git_mile = str(Path(sys.executable).with_name("git-mile"))
        comparisons = commands(ours, theirs, git_mile, options.git_bug, options.rounds)
    told = subprocess.run([options.git_bug, "version"], capture_output=True, text=True).stdout.split()
    results = Results("bench.git_bug", f"{options.issues:,} issues", {"git-bug": told[-1]})
    compare(results, "commands", ("git-bug", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def with_bugs(path: Path, program: str, number: int) -> Path:
    new_repository(path)
    introduce(path, program)
    spent = timed(lambda: [add(path, program, f"Issue {place}") for place in range(number)])
    print(f"{number} bugs added within {spent:.1f} s, one command each\n")
    return path


def introduce(path: Path, program: str) -> None:
    """Answer the questions git-bug asks a new user; it reads only what comes after each."""
    command = [program, "user", "create"]
    with subprocess.Popen(command, cwd=path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        while process.poll() is None:
            time.sleep(0.2)
            with suppress(BrokenPipeError):
                os.write(process.stdin.fileno(), b"\n")


def add(path: Path, program: str, title: str) -> None:
    run(path, program, "add", "--title", title, "--message", "Some words. " * 20)


def run(path: Path, *command: str) -> None:
    subprocess.run(command, cwd=path, capture_output=True, check=True)


def commands(ours: Path, theirs: Path, git_mile: str, git_bug: str, rounds: int) -> list[Comparison]:
    """List what there is with a cache and without one, and add one more."""
    warm = Comparison("list all, with a cache")
    cold = Comparison("list all, the cache deleted")
    written = Comparison("add one")
    for number in range(rounds):
        warm.baseline.append(timed(lambda: run(theirs, git_bug, "ls")))
        warm.ours.append(timed(lambda: run(ours, git_mile, "list", "--limit", "500")))
        forget(theirs / ".git" / "git-bug")
        cold.baseline.append(timed(lambda: run(theirs, git_bug, "ls")))
        forget(ours / ".git" / "holdfast")
        cold.ours.append(timed(lambda: run(ours, git_mile, "list", "--limit", "500")))
        written.baseline.append(timed(lambda number=number: add(theirs, git_bug, f"New {number}")))
        written.ours.append(
            timed(lambda number=number: run(ours, git_mile, "create", "issue", f"New {number}"))
        )
    return [warm, cold, written]


def forget(folder: Path) -> None:
    """Remove what either program can make anew."""
    for file in folder.iterdir():
        if "cache" in file.name or ".sqlite" in file.name or file.name.endswith(".index"):
            shutil.rmtree(file) if file.is_dir() else os.unlink(file)


if __name__ == "__main__":
    main()
