"""Exact and renamed clones beside jscpd with renamed matching, on the same tree.

    python -m bench.duplicates [TREE] [--jscpd PROGRAM] [--rounds 3] [--save]

TREE is a folder of sources in Python, by default as in `bench.analysis`; it and a part of it are copied and
committed. Both kinds at once are what other analyses ask for; as a program that is this module
with `--both`, which starts, reads everything with an empty cache, finds both, and prints how many. The
command for renamed clones, which is what a user types, is measured too. Memory is that of a program and its
children together at most.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from bench._client import Client
from bench._comparison import Comparison, compare
from bench._results import Results, parser
from bench.analysis import (
    PART,
    REQUIRED,
    SERVER,
    SPECIFIED_SECONDS,
    Cost,
    ask,
    chosen,
    committed,
    corpus,
    cost,
    on_a_tree,
    sources,
)
from bench.commands import HOLDFAST, ROOT, prepare

RENAMED = [HOLDFAST, "analyze", "duplicates", "--detection-type", "renamed"]
BOTH = [sys.executable, "-m", "bench.duplicates", "--both"]
UNITS = ("wall", "processor", "memory")
TOOL = "analyze_duplicates"


def main() -> None:
    given = parser(__doc__, rounds=3)
    given.add_argument("--both", action="store_true", help="be our side, in the tree")
    options = on_a_tree(given, "jscpd")
    if options.both:
        both(options.tree)
        return
    with tempfile.TemporaryDirectory() as folder:
        prepare(home=folder)
        whole = committed(options.tree, Path(folder, "whole"), sources(options.tree))
        part = committed(options.tree, Path(folder, "part"), chosen(options.tree))
        comparisons = []
        if options.jscpd:
            theirs = [options.jscpd, "--ignore-identifiers", "--ignore-literals", "--silent", "."]
            for label, ours, bars in (
                ("exact and renamed clones", [*BOTH, str(whole)], (0.8, None, 0.5)),
                ("the command for renamed clones", RENAMED, (None, None, None)),
            ):
                comparisons += cold(label, theirs, ours, whole, bars, options.rounds)
        comparisons += [after_an_edit(whole, options.rounds), resident(part, options.rounds)]
    results = Results("bench.duplicates", corpus(options.tree), options.versions)
    compare(results, "clones", ("other", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def both(tree: Path) -> None:
    """Find exact and renamed clones, and say how much there is."""
    from holdfast.analysis.duplicates.clone import CloneQuery
    from holdfast.analysis.duplicates.clones import find_clones
    from holdfast.analysis.room import Analysis
    from holdfast.analysis.survey import Project
    from holdfast.storage.git.repository import Repository

    room = Analysis(Repository.discover(tree))
    found = find_clones(room, Project(), CloneQuery(frozenset({"exact", "renamed"})))
    print(f"{len(found.classes)} classes, {found.duplication:.1%} of {found.total_lines} lines")
    room.close()


def cold(
    label: str,
    theirs: list[str],
    ours: list[str],
    tree: Path,
    bars: tuple[float | None, ...],
    rounds: int,
) -> list[Comparison]:
    """Measure both sides in turn, ours with an empty cache."""
    rows = [
        Comparison(f"{label}, {unit}", bar, "MB" if unit == "memory" else "s")
        for unit, bar in zip(UNITS, bars, strict=True)
    ]
    for _ in range(rounds):
        for row, baseline, taken in zip(rows, cost(theirs, tree), uncached(ours, tree), strict=True):
            row.baseline.append(baseline)
            row.ours.append(taken)
    return rows


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
        with edited.open("a", encoding="utf-8") as file:
            file.write(f"\nEDITED = {number}\n")
        compared.ours.append(cost([*BOTH, str(tree)], ROOT, ours=True).wall)
    return compared


def resident(tree: Path, rounds: int) -> Comparison:
    """Ask a running server again for renamed clones of the part, one of its files edited each time."""
    label = f"renamed clones of {PART} files, resident, one edited, beside the 143 ms of the specification"
    compared = Comparison(label, None)
    REQUIRED[TOOL] = {"detection_type": "renamed"}
    client = Client(SERVER, tree)
    client.initialize()
    for number in range(rounds + 2):
        with (tree / chosen(tree)[0]).open("a", encoding="utf-8") as file:
            file.write(f"\nEDITED = {number}\n")
        began = time.perf_counter()
        ask(client, TOOL)
        if number >= 2:  # the first reads the files, the second what became old enough to be trusted
            compared.baseline.append(SPECIFIED_SECONDS)
            compared.ours.append(time.perf_counter() - began)
        else:
            time.sleep(2.1)
    client.close()
    return compared


if __name__ == "__main__":
    main()
