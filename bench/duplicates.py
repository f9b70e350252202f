"""Exact and renamed clones beside jscpd with renamed matching, on the same tree.

    python -m bench.duplicates [TREE] [--jscpd PROGRAM] [--rounds 3] [--save]

TREE is a folder of sources in Python, by default as in `bench.analysis`; it and a part of it are copied and
committed. Both kinds at once are what other analyses ask for; as a program that is `bench._both_kinds`,
which starts, reads everything with an empty cache, finds both, and prints how many. The
command for renamed clones, which is what a user types, is measured too, and either with the compiled core, if
that is built, and with the Python reader. Memory is that of a program and its children together at most.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench._comparison import Comparison, compare
from bench._results import Results, parser
from bench.analysis import (
    PART,
    REQUIRED,
    SPECIFIED,
    Cost,
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
from bench.commands import HOLDFAST, ROOT, prepare

RENAMED = [HOLDFAST, "analyze", "duplicates", "--detection-type", "renamed"]
BOTH = [sys.executable, "-m", "bench._both_kinds"]
TOOL = "analyze_duplicates"


def main() -> None:
    options = on_a_tree(parser(__doc__, rounds=3), "jscpd")
    with tempfile.TemporaryDirectory() as folder:
        prepare(home=folder)
        whole = committed(options.tree, Path(folder, "whole"), sources(options.tree))
        part = committed(options.tree, Path(folder, "part"), chosen(options.tree))
        comparisons = []
        if options.jscpd:
            jscpd = [options.jscpd, "--ignore-identifiers", "--ignore-literals", "--silent", "."]
            theirs = partial(cost, jscpd, whole)
            for label, ours, bars in (
                ("exact and renamed clones", [*BOTH, str(whole)], (0.8, None, 0.5)),
                ("the command for renamed clones", RENAMED, (None, None, None)),
            ):
                comparisons += in_turn(label, theirs, partial(uncached, ours, whole), bars, options.rounds)
        REQUIRED[TOOL] = {"detection_type": "renamed"}
        again = Comparison(f"renamed clones of {PART} files, resident, one edited, {SPECIFIED}")
        edited = part / chosen(part)[0]
        comparisons.append(after_an_edit(whole, options.rounds))
        comparisons.append(resident(again, part, options.rounds, TOOL, edited=edited))
    results = Results("bench.duplicates", corpus(options.tree), options.versions)
    compare(results, "clones", ("other", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def uncached(command: list[str], tree: Path) -> Cost:
    """Run ours with an empty cache."""
    shutil.rmtree(tree / ".git" / "holdfast", ignore_errors=True)
    where = ROOT if command[0] == sys.executable else tree
    return cost(command, where, ours=True)


def after_an_edit(tree: Path, rounds: int) -> Comparison:
    """Find both kinds with an empty cache, then again after one file was edited."""
    compared = Comparison("exact and renamed after one edit beside an empty cache, wall", None)
    edited = tree / chosen(tree)[0]
    for number in range(rounds):
        compared.baseline.append(uncached([*BOTH, str(tree)], tree).wall)
        time.sleep(2.1)  # files that were written a moment ago are never trusted; that is not measured here
        cost([*BOTH, str(tree)], ROOT, ours=True)
        edit(edited, f"EDITED = {number}")
        compared.ours.append(cost([*BOTH, str(tree)], ROOT, ours=True).wall)
    return compared


if __name__ == "__main__":
    main()
