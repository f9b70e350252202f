"""How often a note is where people would have kept it.

python -m bench.anchors DATA_DIRECTORY [--set NAME] [--no-peers] [--misses 20] [--check]

The directory holds the LHDiff benchmark, or label files in the form that README.md describes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from bench.anchors import labels, lhdiff
from bench.anchors.cases import Case
from bench.anchors.mine import sample
from bench.anchors.running import OURS, Miss, run
from bench.anchors.scoring import Score, by_bucket, table

BARS = {
    "lhdiff": (86.0, 100.0, 0.0),
    "release": (96.5, 2.5, 98.5),
    "one-commit": (98.0, 1.2, 98.5),
    "years": (90.0, 6.0, 98.5),
    "element-one-commit": (98.0, 1.2, 98.5),
    "element-years": (90.0, 6.0, 98.5),
}
"""For sets by the start of their name: the least correct, the most wrong, the least precision, in percent."""


SILENT = {"deleted-one-commit": 3.0, "deleted-years": 3.0}
"""For sets of deleted code: the most that is silent, in percent."""


def main() -> None:
    options = _options()
    held = True
    totals: dict[str, dict[str, Score]] = {}
    for name, cases in sets(options.folder, options.base_types):
        if not name.startswith(options.set):
            continue
        chosen = map(literally, cases) if options.literal else cases
        chosen = sample(chosen, options.most) if options.most else chosen
        outcome = run(chosen, peers=not options.no_peers and not options.served, served=options.served)
        if not options.sums:
            print(table(name, outcome.scores), by_bucket(outcome.scores), sep="\n\n", end="\n\n")
        show(outcome.misses[: options.misses])
        sums = totals.setdefault(kind(name), {})
        for tracker, score in outcome.scores.items():
            sums.setdefault(tracker, Score()).merge(score)
    for name, scores in totals.items():
        print(table(f"all of {name}", scores), by_bucket(scores), sep="\n\n", end="\n\n")
        held &= within(name, scores[OURS])
    sys.exit(options.check and not held)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="DATA_DIRECTORY")
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
    parser.add_argument("--check", action="store_true", help="exit with 1 when a bar is missed")
    return parser.parse_args()


def literally(case: Case) -> Case:
    """Return a case with the lines right below the comments as labels."""
    return replace(case, labels=tuple(label.literally() for label in case.labels))


def sets(folder: Path, base_types: bool) -> Iterator[tuple[str, Iterable[Case]]]:
    """Yield the sets of a folder with their names."""
    if lhdiff.is_here(folder):
        yield "lhdiff", lhdiff.load(folder, base_types)
    found = labels.files(folder)
    if not found and not lhdiff.is_here(folder):
        sys.exit(f"{folder} holds neither the LHDiff benchmark nor label files (*.jsonl)")
    for path in found:
        yield path.stem, labels.load(path)


def kind(name: str) -> str:
    """Return what kind of set a name speaks of: what stands before the first dot."""
    return name.split(".", 1)[0]


def within(name: str, score: Score) -> bool:
    """Print whether the bars of a kind of set hold, and return it."""
    if kind(name) in SILENT:
        held = score.share("silent") <= SILENT[kind(name)]
        print(f"{'PASS' if held else 'FAIL'} {name}: silent ≤ {SILENT[kind(name)]:g} %\n")
        return held
    if kind(name) not in BARS:
        return True
    correct, wrong, precision = BARS[kind(name)]
    held = score.correct >= correct and score.wrong <= wrong and (score.precision or 100) >= precision
    wanted = f"correct ≥ {correct:g} %, wrong ≤ {wrong:g} %" + (
        f", precision ≥ {precision:g} %" if precision else ""
    )
    print(f"{'PASS' if held else 'FAIL'} {name}: {wanted}\n")
    return held


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
    main()
