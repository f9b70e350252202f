"""How often a note is where people would have kept it.

python -m bench.anchors [DATA_DIRECTORY]... [--set NAME] [--served] [--no-peers] [--misses 20] [--check]

A directory holds the LHDiff benchmark, or label files in the form that README.md describes; the variable
`HOLDFAST_ANCHORS` names some too. In the tables that are kept, sets of a kind are together.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench._peers import folders
from bench._results import absent
from bench._results import parser as shared_options
from bench.anchors import labels, lhdiff
from bench.anchors.cases import Case
from bench.anchors.mine import sample
from bench.anchors.published import Sums, published
from bench.anchors.running import Miss, Outcome, run
from bench.anchors.scoring import Score, by_bucket, table

SERVED = ("release", "one-commit", "deleted-years")
"""The kinds of sets that go the server's own way by default: others would take an hour."""


def main() -> int:
    options = _options()
    wanted = options.set or (SERVED if options.served else "")
    chosen = [each for each in _named(options.folder, options.base_types) if each[0].startswith(wanted)]
    if not chosen:
        return absent("a folder with labelled lines (HOLDFAST_ANCHORS)")
    totals: Sums = {}
    with ProcessPoolExecutor() as pool:
        for (name, _, _), outcome in zip(chosen, pool.map(partial(_measured, options), chosen), strict=True):
            if not options.sums:
                print(table(name, outcome.scores), by_bucket(outcome.scores), sep="\n\n", end="\n\n")
            show(outcome.misses[: options.misses])
            sums = totals.setdefault(kind(name), {})
            for tracker, score in outcome.scores.items():
                sums.setdefault(tracker, Score()).merge(score)
    return published(totals, options.served).finish(options)


def _named(folders: list[Path], base_types: bool) -> list[tuple[str, Path, bool]]:
    """Return the sets of folders: what each is called, where it is, and whether all of LHDiff is meant."""
    return [
        (name, path, base_types)
        for folder in folders
        for name, path in (
            *((("lhdiff", folder),) if lhdiff.is_here(folder) else ()),
            *((path.stem, path) for path in labels.files(folder) if not path.stem.startswith("moved")),
        )
    ]


def _measured(options: argparse.Namespace, one: tuple[str, Path, bool]) -> Outcome:
    name, path, base_types = one
    cases: Iterable[Case] = lhdiff.load(path, base_types) if name == "lhdiff" else labels.load(path)
    cases = map(literally, cases) if options.literal else cases
    cases = sample(cases, options.most) if options.most else cases
    peers = not options.no_peers and not options.served and not name.startswith("deleted")
    return run(cases, peers=peers, served=options.served)


def _options() -> argparse.Namespace:
    parser = shared_options(__doc__)
    known = folders("HOLDFAST_ANCHORS")
    parser.add_argument("folder", type=Path, metavar="DATA_DIRECTORY", nargs="*", default=known)
    parser.add_argument("--set", default="", help="only the sets whose names begin so")
    parser.add_argument("--no-peers", action="store_true", help="only our own tracker")
    parser.add_argument("--served", action="store_true", help="only ours, through the server's own way")
    parser.add_argument("--sums", action="store_true", help="only the sums over all sets of a kind")
    parser.add_argument(
        "--literal", action="store_true", help="anchors right below comments, be they annotations"
    )
    parser.add_argument("--most", type=int, default=0, help="labels of each set, chosen by their hash")
    parser.add_argument("--base-types", action="store_true", help="with BaseTypes of the LHDiff benchmark")
    parser.add_argument("--misses", type=int, default=0, help="how many of our misses to show in each set")
    return parser.parse_args()


def literally(case: Case) -> Case:
    """Return a case with the lines right below the comments as labels."""
    return replace(case, labels=tuple(label.literally() for label in case.labels))


def kind(name: str) -> str:
    """Return what kind of set a name speaks of: what stands before the first dot."""
    return name.split(".", 1)[0]


def show(misses: list[Miss]) -> None:
    """Print misses with the lines in question."""
    for miss in misses:
        old, new = miss.case.old.text.split("\n"), miss.case.new.text.split("\n")
        label, placement = miss.label, miss.placement
        print(f"{miss.verdict} [{label.bucket}] {miss.case.name}", placement.method, placement.confidence)
        print(f"  then {label.line:5}: {old[label.line - 1].strip()}")
        for word, line in (("true", label.truth), ("ours", placement.line)):
            print(f"  {word} {line or 0:5}: {new[line - 1].strip() if line else '(gone)'}")


if __name__ == "__main__":
    sys.exit(main())
