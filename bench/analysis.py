"""Analyses beside the programs that do a part of them: lizard, radon and jscpd on the same tree.

    python -m bench.analysis [TREE] [--lizard PROGRAM] [--radon PROGRAM] [--jscpd PROGRAM] [--rounds 3]
                             [--check] [--save]

TREE is a folder of sources in Python, by default what BENCH_TREE names, or our own. It is copied and
committed, and so is a part of it: 200 files, chosen by the hash of their paths among those of two kilobytes
and more that are no tests.
Our side is what a user has: a command that starts with an empty cache, and a server on a pipe. Times are of
whole commands, wall and processor, with all their children; memory is what a program and its children hold
together at most. A program that is neither named nor found is left out. With an empty cache, ours is measured
with the compiled core, if that is built, and with the Python reader.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from bench._client import Client, line
from bench._comparison import Comparison, compare
from bench._results import Results, absent, parser
from bench.commands import HOLDFAST, ROOT, prepare
from holdfast.syntax.core import library

PART = 200
MIN_BYTES = 2_000
SPECIFIED_SECONDS = 0.143
SPECIFIED = "beside the 143 ms of the specification"
FOUR = ("analyze_complexity", "analyze_debt", "analyze_dead_code", "analyze_dependency_graph")
REQUIRED = {"analyze_complexity": {"toolchain": "auto"}}
TWO = ("analyze_complexity", "analyze_dead_code")
COMPLEXITY = [HOLDFAST, "analyze", "complexity"]
SERVER = [HOLDFAST, "serve"]
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Cost(NamedTuple):
    """What a program took: seconds, seconds of processors, and bytes at most."""

    wall: float
    processor: float
    memory: float


def main() -> None:
    options = on_a_tree(parser(__doc__, rounds=3), "lizard", "radon", "jscpd")
    with tempfile.TemporaryDirectory() as folder:
        prepare(home=folder)
        whole = committed(options.tree, Path(folder, "whole"), sources(options.tree))
        part = committed(options.tree, Path(folder, "part"), chosen(options.tree))
        comparisons = cold(whole, options, "")
        comparisons += cold(part, options, f", {PART} files")
        again = Comparison(f"complexity and dead code of {PART} files, resident, {SPECIFIED}", 1.0)
        comparisons.append(after_an_edit(whole, options.rounds))
        comparisons.append(resident(again, part, options.rounds, *TWO))
    results = Results("bench.analysis", corpus(options.tree), options.versions)
    compare(results, "analyses", ("other", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def on_a_tree(given: argparse.ArgumentParser, *peers: str) -> argparse.Namespace:
    """Read the options of a comparison with other programs on a tree; it saves where all are there."""
    public = os.environ.get("BENCH_TREE")
    given.add_argument("tree", type=Path, nargs="?", default=Path(public) if public else ROOT / "src")
    for name in peers:
        given.add_argument(f"--{name}", default=shutil.which(name), help="the program")
    options = given.parse_args()
    programs = {name: getattr(options, name) for name in peers}
    missing = [name for name, program in programs.items() if program is None]
    if options.save and (missing or options.tree == ROOT / "src"):
        absent(" or ".join(missing) or "a public tree (BENCH_TREE)")
        options.save = False
    told = {name: [program, "--version"] for name, program in programs.items() if program}
    options.versions = {
        name: subprocess.run(command, capture_output=True, text=True).stdout.split()[-1]
        for name, command in told.items()
    }
    return options


def corpus(tree: Path) -> str:
    """Return what a tree is."""
    reader = "by the compiled core" if library.is_found() else "in Python"
    return f"The Python files of {tree.name} ({len(sources(tree)):,}), and {PART} of them, read {reader}"


def sources(tree: Path) -> list[Path]:
    """Return the files of a tree, without what git would not take."""
    return sorted(path.relative_to(tree) for path in tree.rglob("*.py") if path.is_file())


def chosen(tree: Path) -> list[Path]:
    """Return the part."""
    worth = [
        path
        for path in sources(tree)
        if (tree / path).stat().st_size >= MIN_BYTES and not any("test" in name for name in path.parts)
    ]
    return sorted(worth, key=lambda path: hashlib.sha256(path.as_posix().encode()).digest())[:PART]


def committed(tree: Path, place: Path, paths: list[Path]) -> Path:
    """Copy files into a repository of their own."""
    for path in paths:
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree / path, place / path)
    identity = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    for arguments in (("init", "--quiet"), ("add", "--all"), (*identity, "commit", "--quiet", "-m", "All")):
        subprocess.run(["git", *arguments], cwd=place, check=True)
    return place


def cold(tree: Path, options: argparse.Namespace, of: str) -> list[Comparison]:
    """Measure ours with an empty cache beside each of the others, in turn."""
    beside: dict[str, tuple[list[list[str]], Callable[[], Cost], tuple[float | None, ...]]] = {}
    once = lambda: complexity(tree)  # noqa: E731 - a name for the table below
    if options.lizard:
        beside["lizard"] = ([[options.lizard, "-l", "python", "."]], once, (0.35, 0.35, None))
    if options.radon:
        cc, hal = [options.radon, "cc", "-j", "."], [options.radon, "hal", "-j", "."]
        beside["radon cc"] = ([cc], once, (0.35, 0.35, None))
        beside["radon cc and hal"] = ([cc, hal], once, (0.35, 0.35, None))
    if options.jscpd:
        beside["jscpd"] = ([[options.jscpd, "--dashboard", "."]], lambda: four(tree), (0.8, None, 0.5))
    found = []
    for peer, (commands, ours, bars) in beside.items():
        label = f"{'four analyses' if peer == 'jscpd' else 'complexity'} beside {peer}{of}"
        found += in_turn(label, partial(costs, commands, tree), ours, bars, options.rounds)
    return found


def in_turn(
    label: str,
    theirs: Callable[[], Cost],
    ours: Callable[[], Cost],
    bars: tuple[float | None, ...],
    rounds: int,
) -> list[Comparison]:
    """Measure both sides in turn. Where the core is built, ours is measured with the Python reader as well.

    The bars are for the reader that is used; the other one's figures are there to be compared.
    """
    readers: dict[str, dict[str, str]] = {"": {}}
    if library.is_found():
        readers[", Python reader"] = {library.VARIABLE: "python"}
    rows = {
        reader: [
            Comparison(f"{label}, {unit}{reader}", None if reader else bar, "MB" if unit == "memory" else "s")
            for unit, bar in zip(Cost._fields, bars, strict=True)
        ]
        for reader in readers
    }
    for _ in range(rounds):
        baseline = theirs()
        for reader, variables in readers.items():
            with patch.dict(os.environ, variables):
                taken = ours()
            for row, other, own in zip(rows[reader], baseline, taken, strict=True):
                row.baseline.append(other)
                row.ours.append(own)
    return [row for compared in rows.values() for row in compared]


def costs(commands: list[list[str]], tree: Path) -> Cost:
    """Run commands one after the other, and return what they took together."""
    taken = [cost(command, tree) for command in commands]
    return Cost(
        sum(one.wall for one in taken), sum(one.processor for one in taken), max(one.memory for one in taken)
    )


def complexity(tree: Path) -> Cost:
    """Run the command with an empty cache."""
    shutil.rmtree(tree / ".git" / "holdfast", ignore_errors=True)
    return cost(COMPLEXITY, tree, ours=True)


def four(tree: Path) -> Cost:
    """Ask a new server with an empty cache for four analyses, and end it."""
    shutil.rmtree(tree / ".git" / "holdfast", ignore_errors=True)
    before, began = os.times(), time.perf_counter()
    client = Client(SERVER, tree)
    with peak_memory(client.process.pid) as peak:
        client.initialize()
        for tool in FOUR:
            ask(client, tool)
        client.close()
    after = os.times()
    processor = sum(after[2:4]) - sum(before[2:4])
    return Cost(time.perf_counter() - began, processor, peak.most)


def after_an_edit(tree: Path, rounds: int) -> Comparison:
    """Run the command on an empty cache, then again after one file was edited."""
    compared = Comparison("complexity after one edit beside an empty cache, wall", 0.1)
    edited = tree / chosen(tree)[0]
    for number in range(rounds):
        compared.baseline.append(complexity(tree).wall)
        edit(edited, f"EDITED = {number}")
        time.sleep(2.1)  # files that were written a moment ago are never trusted; that is not measured here
        cost(COMPLEXITY, tree, ours=True)
        edit(edited, f"EDITED_AGAIN = {number}")
        compared.ours.append(cost(COMPLEXITY, tree, ours=True).wall)
    return compared


def resident(
    compared: Comparison, tree: Path, rounds: int, *tools: str, edited: Path | None = None
) -> Comparison:
    """Ask a running server again for what tools say of the part, a file edited each time if one is given."""
    client = Client(SERVER, tree)
    client.initialize()
    for number in range(rounds + 2):
        if edited is not None:
            edit(edited, f"EDITED = {number}")
        began = time.perf_counter()
        for tool in tools:
            ask(client, tool)
        if number >= 2:  # the first reads the files, the second what became old enough to be trusted
            compared.baseline.append(SPECIFIED_SECONDS)
            compared.ours.append(time.perf_counter() - began)
        else:
            time.sleep(2.1)
    client.close()
    return compared


def edit(path: Path, line: str) -> None:
    """Add a line to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")


def ask(client: Client, tool: str) -> None:
    """Call a tool and look that it did not fail."""
    arguments = {"name": tool, "arguments": {"project_path": ".", **REQUIRED.get(tool, {})}}
    client.input.write(line({"id": tool, "method": "tools/call", "params": arguments}))
    while (answer := json.loads(client.answers.readline())).get("id") != tool:
        pass
    if "error" in answer or answer["result"].get("isError"):
        sys.exit(f"{tool} failed: {str(answer)[:500]}")


def cost(command: list[str], tree: Path, *, ours: bool = False) -> Cost:
    """Run a command to its end and return what it took; one of ours must succeed."""
    before, began = os.times(), time.perf_counter()
    process = subprocess.Popen(
        command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with peak_memory(process.pid) as peak:
        status = process.wait()
    wall, after = time.perf_counter() - began, os.times()
    if ours and status not in (0, 1):  # 1 says that something was found
        sys.exit(f"{' '.join(command)} ended with {status}")
    return Cost(wall, sum(after[2:4]) - sum(before[2:4]), peak.most)


class peak_memory:  # noqa: N801 - used like a function
    """Looks every few milliseconds how much a process and its children hold."""

    def __init__(self, process: int) -> None:
        self.most = 0.0
        self._process = process
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> peak_memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.02):
            self.most = max(self.most, held(self._process))


def held(process: int) -> float:
    """Return the megabytes in memory of a process and those that it started, shared ones counted for each."""
    total = 0.0
    with suppress(OSError, ValueError):
        total += int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * PAGE_BYTES / 1e6
        for task in Path(f"/proc/{process}/task").iterdir():
            total += sum(map(held, map(int, (task / "children").read_text("ascii").split())))
    return total


if __name__ == "__main__":
    main()
