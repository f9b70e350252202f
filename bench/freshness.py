"""How soon after a save an answer shows it: in a running server, and as a command.

    python -m bench.freshness [TREE] [--rounds 3] [--check] [--save]

TREE is as in `bench.analysis`, committed in a repository of its own. A round adds a function to a file and
asks at once: with the compiled core, if that is built, and with the Python reader.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench._client import Client, line
from bench._results import Results, parser
from bench.analysis import REQUIRED, SERVER, chosen, committed, corpus, cost, edit, on_a_tree, sources
from bench.commands import HOLDFAST, prepare
from holdfast.syntax.core import library

WHOLE = {"analyze_comprehensive": 0.35}
WHOLE_WITHOUT_BAR = (
    "analyze_dead_code",
    "analyze_defect_probability",
    "analyze_duplicates",
    "analyze_dependency_graph",
)
EDITED_FILE = {"analyze_name_similarity": 0.15, "analyze_dependency_graph": 0.15, "analyze_complexity": 0.15}
COMMANDS = ("comprehensive", "dead-code", "defects")


def main() -> None:
    options = on_a_tree(parser(__doc__, rounds=3))
    results = Results("bench.freshness", corpus(options.tree), options.versions)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    bars: dict[str, float] = {}
    readers = {"": {}, **({", Python reader": {library.VARIABLE: "python"}} if library.is_found() else {})}
    with tempfile.TemporaryDirectory() as folder:
        prepare(home=folder)
        tree = committed(options.tree, Path(folder, "tree"), sources(options.tree))
        for reader, variables in readers.items():
            with patch.dict(os.environ, variables):
                served(tree, options.rounds, reader, seconds, bars)
                commanded(tree, options.rounds, reader, seconds)
    rows = []
    for what, measured in seconds.items():
        median = statistics.median(measured)
        verdict = results.bar(f"{what}, seconds", median, bars[what]).verdict if what in bars else ""
        rows.append((what, median, f"{bars[what]:g} {verdict}" if what in bars else ""))
    results.table("freshness", ("from a save to the answer", "seconds", "allowed"), rows)
    sys.exit(results.finish(options))


def served(
    tree: Path, rounds: int, reader: str, seconds: dict[str, list[float]], bars: dict[str, float]
) -> None:
    """Ask a server that has answered before."""
    edited = chosen(tree)[0]
    client = Client(SERVER, tree)
    client.initialize()
    asked = [
        *((tool, ".", f"server, {tool}{reader}", bar) for tool, bar in WHOLE.items()),
        *((tool, ".", f"server, {tool}{reader}", None) for tool in WHOLE_WITHOUT_BAR),
        *(
            (tool, edited.as_posix(), f"server, {tool} of the edited file{reader}", bar)
            for tool, bar in EDITED_FILE.items()
        ),
    ]
    for tool, project, what, bar in asked:
        if bar is not None and not reader:
            bars[what] = bar
        for number in range(rounds + 2):
            name = f"edited_{len(seconds)}_{number}"
            edit(tree / edited, f"def {name}():\n    return {number}")
            began = time.perf_counter()
            answer = answered(client, tool, project, name)
            if number >= 2:  # the first reads the files, the second what became old enough to be trusted
                seconds[what].append(time.perf_counter() - began)
            else:
                time.sleep(2.1)
            if tool == "analyze_name_similarity" and answer["matches"][0]["name"] != name:
                sys.exit(f"{tool} does not show {name}")
    client.close()


def answered(client: Client, tool: str, project: str, name: str) -> dict[str, Any]:
    """Call a tool for a part of the tree and return what it says."""
    more = {"query": name} if tool == "analyze_name_similarity" else REQUIRED.get(tool, {})
    arguments = {"name": tool, "arguments": {"project_path": project, **more}}
    client.input.write(line({"id": tool, "method": "tools/call", "params": arguments}))
    while (answer := json.loads(client.answers.readline())).get("id") != tool:
        pass
    if "error" in answer or answer["result"].get("isError"):
        sys.exit(f"{tool} failed: {str(answer)[:500]}")
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def commanded(tree: Path, rounds: int, reader: str, seconds: dict[str, list[float]]) -> None:
    """Run commands, which take what they need from the store."""
    edited = tree / chosen(tree)[0]
    for command in COMMANDS:
        cost([HOLDFAST, "analyze", command], tree, ours=True)
        for number in range(rounds):
            edit(edited, f"BY_COMMAND_{len(seconds)} = {number}")
            taken = cost([HOLDFAST, "analyze", command], tree, ours=True)
            seconds[f"command, {command}{reader}"].append(taken.wall)


if __name__ == "__main__":
    main()
