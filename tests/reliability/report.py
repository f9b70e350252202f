"""The page about reliability, from what the tests wrote down: `python -m tests.reliability.report RECORDS`.

A family of promises without a test, a test without a control, a control that saw nothing go wrong, a failure,
and a test that this machine could not run are told, and make the program end with status 1. What was found
is saved all the same: a report that shows only good days is none.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import _results, pages
from tests.reliability.samples import SCALE

SQLITE_TASKS, POSTGRES_TASKS = "tasks in sqlite", "tasks in postgresql"
ROOMS = ("comments", "inbox", SQLITE_TASKS, "milestones")
FLOORS = ("files", "SQLite")

FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "A1": ("killed with signal 9 at random moments", (*FLOORS, *ROOMS, POSTGRES_TASKS)),
    "A2": ("killed at every system call of one write", (*FLOORS, *ROOMS, "installer", "derived indexes")),
    "A3": ("power cut", (*FLOORS, *ROOMS)),
    "A4": ("every write or flush fails in turn", (*FLOORS, *ROOMS, "installer", "program parts")),
    "A5": ("what killed writers leave behind", ("files", "milestones")),
    "A6": ("a change of the schema is killed", ("SQLite", SQLITE_TASKS, POSTGRES_TASKS)),
    "B1": ("many processes write one file", ("files", "comments")),
    "B2": ("many processes write one log in git", ("milestones",)),
    "B3": ("many processes write one database", ("SQLite", SQLITE_TASKS, POSTGRES_TASKS)),
    "B4": ("many senders and readers, one killed", ("inbox",)),
    "B5": ("server, REST and commands on one repository", (SQLITE_TASKS,)),
    "B6": ("an editor or git works meanwhile", ("comments", "all rooms")),
    "B7": ("clones that went different ways are merged", ("milestones",)),
    "C1": ("a stored file is damaged", ("comments", "installer", "templates")),
    "C2": ("a ref, an object or an operation is damaged", ("milestones",)),
    "C3": (
        "a database is damaged, empty, foreign, missing or newer",
        ("SQLite", SQLITE_TASKS, "inbox", "comments", "derived indexes"),
    ),
    "C4": ("the clock jumps, or stands still", ("milestones", SQLITE_TASKS, "inbox")),
    "D1": ("mutated lines", ()),
    "D2": ("lines around the limit and far beyond", ()),
    "D3": ("deep, huge, doubled and malformed messages", ()),
    "D4": ("a client that does not read", ()),
    "D5": ("closed output, end of input, SIGTERM", ()),
    "D6": ("foreign bytes on the wire", ()),
    "D7": ("a ping and a cancellation during a long call", ()),
    "D8": ("more requests than are allowed", ()),
    "D9": ("the official conformance suite", ()),
    "E1": ("hostile paths", ()),
    "E2": ("a link swapped in between check and use", ()),
    "E3": ("hostile arguments for git", ()),
    "E4": ("hostile configuration of a repository", ()),
    "E5": ("patterns that take for ever", ()),
    "E6": ("hostile templates", ()),
    "E7": ("parsers on hostile input", ()),
    "E8": ("hostile source trees", ()),
    "F1": ("DNS rebinding", ()),
    "F2": ("requests forged by other sites", ()),
    "F3": ("other users of the machine", ()),
    "F4": ("markup in stored text", ()),
    "F5": ("large, slow and many connections", ()),
    "G1": ("instructions in stored text", ()),
    "G2": ("invisible text", ()),
    "G3": ("marked boundaries of stored text", ()),
    "G4": ("who wrote it, and where from", ()),
    "G5": ("secrets", ()),
    "G6": ("static checks", ()),
    "G7": ("dependencies", ()),
}
"""Each family: what is done to the program, and the stores that it must have been done to."""

NOT_HERE: dict[str, str] = {}
"""Families that no test of this suite has, each with the reason."""

Record = dict[str, Any]


@dataclass
class Row:
    """One harness on one store: all tests that share the same words."""

    records: list[Record] = field(default_factory=list)

    def sum(self, what: str) -> int:
        return sum(record[what] for record in self.records if record["outcome"] != "skipped")

    @property
    def skipped(self) -> list[str]:
        return [record["reason"] for record in self.records if record["outcome"] == "skipped"]

    @property
    def bound(self) -> str:
        """How often it may still happen, at 95 %, when it was seen never."""
        if self.sum("failures") or not self.sum("samples"):
            return "–"
        if any(record["every"] for record in self.records):
            return "every one"
        return f"≤ {min(300 / self.sum('samples'), 100):.2g} %"


def newest(lines: Iterable[str]) -> list[Record]:
    """Return the last record of each test in each family: a piece that ran again counts once."""
    found = {}
    for record in map(json.loads, lines):
        found[record["test"], record["family"], record["store"], record["control"]] = record
    return list(found.values())


class Report:
    """Everything that was written down, by family and store."""

    def __init__(self, records: list[Record]) -> None:
        self.rows: dict[tuple[str, str, str], Row] = defaultdict(Row)
        self.controls: dict[tuple[str, str], dict[str, Row]] = defaultdict(lambda: defaultdict(Row))
        for record in records:
            key = record["family"], record["store"]
            place = (
                self.controls[key][record["control"]]
                if record["control"]
                else self.rows[*key, record["harness"]]
            )
            place.records.append(record)

    def control_of(self, family: str, store: str) -> dict[str, Row]:
        """Return the weakened programs of a store, or those that stand for all stores of the family."""
        return self.controls.get((family, store)) or self.controls.get((family, "any")) or {}

    def table(self) -> Iterator[list[str | int]]:
        for family, store, harness in sorted(self.rows):
            row, controls = self.rows[family, store, harness], self.control_of(family, store)
            seen = [
                f"{words}: {control.sum('failures')} of {control.sum('samples')}"
                for words, control in controls.items()
            ]
            done = "skipped" if row.skipped and not row.sum("samples") else row.sum("samples")
            yield [family, store, harness, done, row.sum("failures"), row.bound, "; ".join(seen)]

    def summary(self) -> Iterator[list[str | int]]:
        for family, (words, _) in FAMILIES.items():
            rows = [row for key, row in self.rows.items() if key[0] == family]
            controls = [
                row for key, found in self.controls.items() if key[0] == family for row in found.values()
            ]
            yield [
                family,
                words + (f" (not here: {NOT_HERE[family]})" if family in NOT_HERE else ""),
                len({key[1] for key in self.rows if key[0] == family}),
                sum(row.sum("samples") for row in rows),
                sum(row.sum("failures") for row in rows),
                sum(row.sum("failures") for row in controls),
            ]

    def problems(self) -> Iterator[str]:
        """Yield why this is not the evidence that was promised."""
        there = {key[:2] for key in self.rows}
        for family, (_, stores) in FAMILIES.items():
            missing = [store for store in stores if (family, store) not in there]
            if family not in NOT_HERE and family not in {key[0] for key in there}:
                yield f"{family}: no test is evidence of it"
            elif missing:
                yield f"{family}: no test is evidence of it for {', '.join(missing)}"
        for (family, store, harness), row in sorted(self.rows.items()):
            name = f"{family} {store}, {harness}"
            if family not in FAMILIES:
                yield f"{name}: there is no such family"
            if row.skipped:
                yield f"{name}: {len(row.skipped)} skipped: {row.skipped[0]}"
            if row.sum("failures"):
                yield f"{name}: {row.sum('failures')} failures in {row.sum('samples')}"
            if not self.control_of(family, store):
                yield f"{name}: nothing shows that it could fail"
        for (family, store), controls in sorted(self.controls.items()):
            for words, row in controls.items():
                if not row.sum("failures"):
                    yield f"{family} {store}, control {words}: nothing failed, so the test proves nothing"


def save(report: Report, problems: list[str]) -> None:
    """Write the results and fill the page with them."""
    command = "./scripts/slow --long" if SCALE == "3000" else "./scripts/slow"
    results = _results.Results("tests.reliability", command=command)
    columns = ("Family", "What is done", "Stores", "Samples", "Failures", "Seen by controls")
    results.table("families", columns, list(report.summary()))
    columns = ("Family", "Store", "How", "Samples", "Failures", "Bound", "Control, and what failed under it")
    results.table("harnesses", columns, list(report.table()))
    results.table("problems", ("Problem",), [[problem] for problem in problems] or [["none"]])
    results.bar("what falls short of the promised evidence", len(problems), 0)
    results.save()
    pages.main(["--write"])


def main(path: str) -> int:
    """Save what was found; return 1 when there is something to tell."""
    report = Report(newest(Path(path).read_text(encoding="utf-8").splitlines()))
    problems = list(report.problems())
    save(report, problems)
    for problem in problems:
        print(f"reliability: {problem}")
    print(f"reliability: {len(report.rows)} harnesses, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
