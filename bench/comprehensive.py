"""The comprehensive analysis beside `jscpd --dashboard`, after an edit, and in a running server.

    python -m bench.comprehensive [TREE] [--jscpd PROGRAM] [--rounds 3] [--check] [--save]

TREE is a folder of sources in Python, by default as in `bench.analysis`. It is copied and committed, and so
is a part of it. Times are of whole commands, wall and processor, with all their children. Beside jscpd, ours
is measured with the compiled core, if that is built, and with the Python reader.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench._client import Client
from bench._comparison import Comparison, compare
from bench._results import Results, parser
from bench.analysis import (
    PART,
    SERVER,
    SPECIFIED,
    Cost,
    ask,
    chosen,
    committed,
    corpus,
    cost,
    edit,
    in_turn,
    on_a_tree,
    resident,
    sources,
)
from bench.commands import HOLDFAST, prepare

TOOL = "analyze_comprehensive"
COMMAND = [HOLDFAST, "analyze", "comprehensive"]


def main() -> None:
    options = on_a_tree(parser(__doc__, rounds=3), "jscpd")
    with tempfile.TemporaryDirectory() as folder:
        prepare(home=folder)
        whole = committed(options.tree, Path(folder, "whole"), sources(options.tree))
        part = committed(options.tree, Path(folder, "part"), chosen(options.tree))
        label, bars = "comprehensive beside jscpd --dashboard", (0.9, None, None)
        dashboard = partial(cost, [options.jscpd, "--dashboard", "."], whole)
        ours = partial(cold, whole)
        comparisons = in_turn(label, dashboard, ours, bars, options.rounds) if options.jscpd else []
        comparisons += after_an_edit(whole, options.rounds)
        again = Comparison(f"comprehensive, {PART} files, resident, {SPECIFIED}", 1.0)
        comparisons += [in_brief(whole, options.rounds), resident(again, part, options.rounds, TOOL)]
    results = Results("bench.comprehensive", corpus(options.tree), options.versions)
    compare(results, "comprehensive", ("other", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def cold(tree: Path) -> Cost:
    """Run the command with an empty cache."""
    shutil.rmtree(tree / ".git" / "holdfast", ignore_errors=True)
    return cost(COMMAND, tree, ours=True)


def after_an_edit(tree: Path, rounds: int) -> list[Comparison]:
    """Run the command on an empty cache, then the command and a running server after one file was edited."""
    command = Comparison("after one edit, as a command, beside an empty cache, processor", 0.1)
    server = Comparison("after one edit, in a running server, beside an empty cache, wall", 0.1)
    edited = tree / chosen(tree)[0]
    for number in range(rounds):
        empty = cold(tree)
        command.baseline.append(empty.processor)
        server.baseline.append(empty.wall)
        edit(edited, f"EDITED = {number}")
        time.sleep(2.1)  # files that were written a moment ago are never trusted; that is not measured here
        client = Client(SERVER, tree)
        client.initialize()
        ask(client, TOOL)
        edit(edited, f"EDITED_AGAIN = {number}")
        began = time.perf_counter()
        ask(client, TOOL)
        server.ours.append(time.perf_counter() - began)
        client.close()
        edit(edited, f"EDITED_ONCE_MORE = {number}")
        command.ours.append(cost(COMMAND, tree, ours=True).processor)
    return [command, server]


def in_brief(tree: Path, rounds: int) -> Comparison:
    """Compare the executive summary with the whole answer, with the files read before."""
    compared = Comparison("executive summary beside the whole answer, processor", 1.0)
    cost(COMMAND, tree, ours=True)
    for _ in range(rounds):
        compared.baseline.append(cost(COMMAND, tree, ours=True).processor)
        compared.ours.append(cost([*COMMAND, "--executive-summary"], tree, ours=True).processor)
    return compared


if __name__ == "__main__":
    main()
