"""How many labelled clones are found in a scan of all functions, by their type, and how many others.

    python -m bench.clones [FOLDER] [--jscpd PROGRAM] [--threshold 0.85]

FOLDER, or the one that `HOLDFAST_CLONES` names, has `functions.zip`, functions one a file, and `pairs.csv`
with id1, id2 and type: T1 exact, T2 renamed, ST3 and MT3 strongly and moderately alike, T4 alike in what they
do, none for labelled non-clones.
All files are put into one repository, and all its clones are found with the default arguments; nothing tells
which pairs are labelled. A pair counts as reported where fragments of one class cover 70 % of the lines of
both functions. jscpd reports pairs of fragments; what they join, however indirectly, counts for it, and for
exact and renamed classes alone, as equal code is in one class with each of its other copies only once. The
labelled pairs are also shown in two halves, by a hash of their numbers.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from bench._peers import Peers, folders
from bench._results import Results, absent, parser
from holdfast.analysis.duplicates.clone import CLONE_KINDS, CloneQuery
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.duplicates.clones import project_clones
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from holdfast.syntax.record import Record

TYPES = ("T1", "T2", "ST3", "MT3", "T4", "none")
COVERED = 0.7
JSCPD = ("-k", "30", "-l", "5", "--silent", "--reporters", "json")
THEIRS: dict[str, tuple[str, ...]] = {
    "jscpd `-k 30 -l 5`": (),
    "jscpd, renamed": ("--ignore-identifiers", "--ignore-literals"),
    "jscpd, `--similarity=0.6`": ("--similarity=0.6",),
}
OURS = "ours, default arguments"
BARS = {"T1": 100.0, "T2": 99.5, "ST3": 92.0, "MT3": 25.0, "none": 0.5}
"""The least that is to be reported of each type, and the most of what is no clone, in percent."""
CORPUS = "A part of a typed sample of BigCloneBench: Java functions, one a file, and {:,} labelled pairs"

Span = tuple[str, int, int]
Reported = Callable[[str, str], bool]


class Label(NamedTuple):
    """A pair of functions and what people say of it."""

    first: str
    second: str
    type: str

    @property
    def half(self) -> int:
        """Return 0 or 1."""
        return blake2b(f"{self.first} {self.second}".encode()).digest()[0] & 1


def unpacked(folder: Path, scratch: Path) -> Path:
    """Put all functions into a repository of their own."""
    tree = scratch / "functions"
    with zipfile.ZipFile(folder / "functions.zip") as packed:
        packed.extractall(tree)
    subprocess.run(["git", "init", "-q", tree], check=True)
    subprocess.run(["git", "-C", tree, "add", "-A"], check=True)
    return tree


def longest(record: Record) -> tuple[int, int]:
    """Return the lines of the longest function of a file."""
    _, first, last = max((each.end_line - each.line, each.line, each.end_line) for each in record.functions)
    return first, last


def covering(spans: Iterable[Span], functions: Mapping[str, tuple[int, int]]) -> set[str]:
    """Return the functions that one of the spans covers well enough."""
    found = set()
    for file, start, end in spans:
        first, last = functions.get(file, (1, 10**9))
        if min(end, last) - max(start, first) + 1 >= COVERED * (last - first + 1):
            found.add(Path(file).stem)
    return found


def by_class(groups: Iterable[set[str]]) -> Reported:
    """Return who is in one class with whom."""
    classes: dict[str, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        for name in group:
            classes[name].add(number)
    return lambda first, second: bool(classes[first] & classes[second])


def joined(pairs: Iterable[set[str]]) -> Reported:
    """Return who is joined with whom by pairs, however indirectly."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        while (parent := parents.setdefault(name, name)) != name:
            parents[name] = name = parents[parent]
        return name

    for pair in pairs:
        first, *others = sorted(pair)
        for other in others:
            parents[root(other)] = root(first)
    return lambda first, second: root(first) == root(second)


def jscpd(
    program: str, tree: Path, scratch: Path, functions: Mapping[str, tuple[int, int]], *more: str
) -> Reported:
    """Run jscpd over the functions."""
    subprocess.run(
        [program, *JSCPD, *more, "--output", scratch, "."], cwd=tree, check=False, stdout=subprocess.DEVNULL
    )
    report = json.loads((scratch / "jscpd-report.json").read_text(encoding="utf-8"))
    pairs = []
    for one in report["duplicates"]:
        sides = [one[side] for side in ("firstFile", "secondFile")]
        covered = covering(
            [(Path(side["name"]).name, side["start"], side["end"]) for side in sides], functions
        )
        if len(covered) > 1:
            pairs.append(covered)
    return joined(pairs)


def shares(labels: Iterable[Label], reported: Reported) -> dict[str, float]:
    """Return the share of each type that is reported, in percent."""
    total: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for label in labels:
        total[label.type] += 1
        found[label.type] += reported(label.first, label.second)
    return {each: 100 * found[each] / max(1, total[each]) for each in TYPES}


def measured(tree: Path, threshold: float) -> tuple[CloneReport, dict[str, tuple[int, int]]]:
    """Find all clones of the tree, and where its functions are."""
    room = Analysis(Repository.at(tree))
    try:
        start, began = time.perf_counter(), time.process_time()
        query = CloneQuery(threshold=threshold)
        report = project_clones(room, room.scan_tokens(Project()), Project(), query)
        took, processor = time.perf_counter() - start, time.process_time() - began
        scan = room.scan(Project())
    finally:
        room.close()
    print(
        f"{len(scan.files)} files, skipped {dict(scan.counts.files_skipped)};",
        f"{took:.1f} s, {processor:.1f} CPU s",
    )
    print(f"groups: {dict(Counter(one.kind for one in report.groups))}\n")
    return report, {path: longest(record) for path, record in scan.files.items() if record.functions}


def compared(
    labels: Sequence[Label], options: argparse.Namespace, scratch: Path
) -> dict[str, dict[str, float]]:
    """Return the shares of ours, of parts of ours, and of jscpd."""
    tree = unpacked(options.folder, scratch)
    report, functions = measured(tree, options.threshold)

    def covered(kinds: Iterable[str]) -> Iterator[set[str]]:
        for group in report.groups:
            if group.kind in kinds and (found := covering([each[:3] for each in group.fragments], functions)):
                yield found

    def ours(kinds: Iterable[str]) -> Reported:
        return by_class(covered(kinds))

    halves = [[each for each in labels if each.half == half] for half in (0, 1)]
    found = {
        OURS: shares(labels, ours(CLONE_KINDS)),
        "a half of the labels, by a hash of their numbers": shares(halves[0], ours(CLONE_KINDS)),
        "the other half": shares(halves[1], ours(CLONE_KINDS)),
        "exact and renamed classes alone": shares(labels, joined(covered(CLONE_KINDS[:2]))),
        "gapped classes alone": shares(labels, ours(["gapped"])),
        "semantic leads alone": shares(labels, ours(["semantic"])),
    }
    for name, more in THEIRS.items():
        found[name] = shares(labels, jscpd(options.jscpd, tree, scratch, functions, *more))
    return found


def main() -> int:
    """Find clones, compare them with the labels, and publish the shares."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "folder", type=Path, nargs="?", default=next(iter(folders("HOLDFAST_CLONES")), None)
    )
    arguments.add_argument("--jscpd", help="the program; by default it is installed into the cache")
    arguments.add_argument("--threshold", type=float, default=CloneQuery().threshold)
    options = arguments.parse_args()
    if options.folder is None:
        return absent("a folder with functions.zip and pairs.csv (HOLDFAST_CLONES)")
    with (options.folder / "pairs.csv").open(encoding="utf-8", newline="") as source:
        labels = [Label(line["id1"], line["id2"], line["type"]) for line in csv.DictReader(source)]
    peers = Peers("clones", ["jscpd"])
    options.jscpd = options.jscpd or peers.program("jscpd")
    with tempfile.TemporaryDirectory() as scratch:
        found = compared(labels, options, Path(scratch))
    counts = Counter(label.type for label in labels)
    results = Results("bench.clones", CORPUS.format(len(labels)), peers.versions())
    columns = ("% reported", *(f"{each} ({counts[each]:,})" for each in TYPES))
    rows = [(name, *(f"{row[each]:.2f}" for each in TYPES)) for name, row in found.items()]
    results.table("types", columns, rows)
    for kind, bar in BARS.items():
        better, best = ("lower", min) if kind == "none" else ("higher", max)
        theirs = best(THEIRS, key=lambda name: found[name][kind])
        told = "labelled non-clones" if kind == "none" else kind
        against = f"{theirs}: {found[theirs][kind]:.1f}"
        results.bar(f"clones: % of {told} reported", found[OURS][kind], bar, better=better, against=against)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
