"""Writes down where the time of the tests goes: docs/results/test_durations.json from a file of JUnit.

    ./scripts/test
    python -m bench.test_durations --before earlier.xml --save

Each case reports the CPU seconds that it took, including those of the processes it waited for; these depend
on the machine's other work far less than the time on the clock does. Set-up that several cases share counts
for the first of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from bench._results import ROOT, Results, absent

SHOWN = 20
LAST = ROOT / ".cache" / "tests.xml"
"""What the last run of `./scripts/test` wrote."""


@dataclass
class Spent:
    """What the cases of one file took, in seconds."""

    cases: int = 0
    clock: float = 0.0
    cpu: float = 0.0

    def add(self, clock: float, cpu: float) -> None:
        self.cases += 1
        self.clock += clock
        self.cpu += cpu


def by_file(junit: Path) -> dict[str, Spent]:
    """Return what each file of tests took."""
    found: dict[str, Spent] = {}
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        found.setdefault(file_of(case.attrib["classname"]), Spent()).add(
            float(case.attrib["time"]), sum(cpu_seconds(case))
        )
    return found


def file_of(classname: str) -> str:
    """Return the file of a test from the dotted name that JUnit has, which a class may end."""
    parts = classname.split(".")
    last = next(number for number, part in enumerate(parts) if part.startswith("test_")) + 1
    while last < len(parts) and parts[last].startswith("test_"):
        last += 1
    return "/".join(parts[:last]) + ".py"


def cpu_seconds(case: ElementTree.Element) -> Iterator[float]:
    """Yield what `tests/conftest.py` noted of a case."""
    for item in case.iter("property"):
        if item.attrib["name"] == "cpu_seconds":
            yield float(item.attrib["value"])


def table(results: Results, name: str, spent: dict[str, Spent]) -> None:
    """Add the files that took most, then all others together, then the whole."""
    ordered = sorted(spent.items(), key=lambda pair: -pair[1].cpu)
    rest, whole = Spent(), Spent()
    for position, (_, one) in enumerate(ordered):
        for group in (whole, *([rest] if position >= SHOWN else [])):
            group.cases += one.cases
            group.clock += one.clock
            group.cpu += one.cpu
    rows = [*ordered[:SHOWN], (f"{len(ordered[SHOWN:])} other files", rest), ("all", whole)]
    columns = ("file", "cases", "seconds of CPU", "seconds on the clock")
    results.table(
        name, columns, [(file, one.cases, round(one.cpu, 1), round(one.clock, 1)) for file, one in rows]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("junit", type=Path, nargs="?", default=LAST, help="what pytest --junitxml wrote")
    parser.add_argument("--before", type=Path, help="the same of an earlier run")
    parser.add_argument("--save", action="store_true", help="write docs/results/test_durations.json")
    given = parser.parse_args()
    if not given.junit.exists():
        return absent(given.junit.name)
    results = Results("bench.test_durations")
    if given.before:
        table(results, "before", by_file(given.before))
    table(results, "now", by_file(given.junit))
    return results.finish(argparse.Namespace(save=given.save, check=False))


if __name__ == "__main__":
    sys.exit(main())
