"""What one operation costs as a store grows: 10 to 100,000 notes, issues, tasks, messages and files.

    python -m bench.growth [--rounds 7] [--up-to 100000] [--check] [--save]

One repository for each room grows from size to size. At each size every operation is run as a server runs it,
from its arguments to what is sent, warm; the median counts. The figure is processor time, that of git and of
workers included: wall time on a shared machine measures the neighbours. Filling goes the quickest way there
is: issues as an import brings them in, tasks 500 in a transaction, messages in one transaction of their
store, notes as sidecar files, as a checkout would bring them. Measured writes are single and durable.

The exponent is the slope of the logarithm of the cost over that of the size, from 1,000 on: 0 is flat, 1 is
linear. An operation that looks at one thing or a page should stay flat; one that looks at everything may grow
with it.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from math import log10
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from bench._client import processor_seconds
from bench._results import Results, arguments
from bench.milestones import git, new_repository, prepare
from bench.search import comment, marker
from bench.tasks import ME, draft
from holdfast.inbox.envelope import digest_of
from holdfast.inbox.schema import INSERT_MESSAGE
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.milestones.entity import EntityDraft
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

SIZES = (10, 100, 1_000, 10_000, 100_000)
FROM = 1_000
"""Smaller ones are left out of the exponent: there, what every call costs hides the growth."""
FLAT, LINEAR = 0.2, 1.1
MAX_SECONDS = 4.0
"""An operation is not begun once more after this."""
YOUNG_SECONDS = 2.1
"""A file that is younger is read each time."""
CHANCE = random.Random(4)
IN_A_FILE = 50
IN_A_FOLDER = 100
MODULE = """import os


def hold_{0}(value):
    if value > {0}:
        return os.sep
    return value
"""


class Operation(NamedTuple):
    """What is measured, and the exponent that its cost may have."""

    label: str
    most: float
    run: Callable[[], object]


class Growing:
    """A repository that grows, and the operations that are asked of it."""

    name = ""
    largest = SIZES[-1]

    def __init__(self, place: Path) -> None:
        self.place = new_repository(place)
        git(
            place, "config", "gc.auto", "0"
        )  # which would go on after this ended, in a folder that is removed
        self.workspace = Workspace(Repository.at(place))
        self._dispatcher = Dispatcher(full_registry(), self.workspace.room)
        self._turn = 0
        self.size = 0

    def ask(self, name: str, **given: Any) -> dict[str, Any]:
        """Run an operation as a server does, up to what follows its answer."""
        operation = self._dispatcher.registry.operation(name)
        call = self._dispatcher.new_call(operation)
        answer = self._dispatcher.run(operation, given, call).wire()
        call.settle(answered=True)
        return answer

    def another(self) -> int:
        """Return a number that no operation had before."""
        self._turn += 1
        return self._turn

    def grow(self, more: range) -> float | None:
        """Have those, too; return the seconds where that went through what a user has."""
        raise NotImplementedError

    def operations(self) -> Iterator[Operation]:
        """Yield what is measured, the room being as large as it is."""
        raise NotImplementedError

    def close(self) -> None:
        """End what was started."""
        self._dispatcher.close()
        self.workspace.close()


class Notes(Growing):
    """Notes on many files."""

    name = "notes"

    def grow(self, more: range) -> None:
        each = min(IN_A_FILE, more.stop // 2)
        for number in range(more.start // each, more.stop // each):
            write_notes(self.place / f"src/part{number % 40}/file{number}.txt", number, each)

    def operations(self) -> Iterator[Operation]:
        other = "src/part1/file1.txt"
        yield Operation("add one", FLAT, self.add)
        yield Operation("read those of a file", FLAT, lambda: self.ask("get_file_comments", filePath=other))
        yield Operation("search a phrase", LINEAR, self.search)
        yield Operation("add one, then search", LINEAR, lambda: (self.add(), self.search()))

    def add(self, path: str = "src/part0/file0.txt") -> None:
        """Add a note."""
        self.ask("add_comment", filePath=path, line=3, tag="NOTE", text=f"Number {self.another()}")

    def search(self) -> None:
        """Look for what few notes have."""
        self.ask("search_comments", query="rate limit")


class NotesInOneFile(Notes):
    """Notes on one file; a sidecar may have 16 MiB, which some 30,000 notes fill."""

    name = "notes in one file"
    largest = 10_000

    def grow(self, more: range) -> None:
        write_notes(self.place / "all.txt", 0, more.stop)

    def operations(self) -> Iterator[Operation]:
        yield Operation("add one", LINEAR, lambda: self.add("all.txt"))
        yield Operation("read them", LINEAR, lambda: self.ask("get_file_comments", filePath="all.txt"))


class Issues(Growing):
    """Issues in git refs."""

    name = "issues"

    def grow(self, more: range) -> float:
        room = self.workspace.room("milestones")
        drafts = [
            EntityDraft(
                "issue", f"Issue {n}", description="Some words. " * 20, labels=(f"area-{n % 20}", "bug")
            )
            for n in more
        ]
        began = processor()
        room.import_drafts(drafts)
        return processor() - began

    def operations(self) -> Iterator[Operation]:
        issue = self.ask("git_mile.list", entity="issue")["items"][-1]["id"]
        yield Operation("create one", FLAT, self.create)
        yield Operation("a page of the list", FLAT, lambda: self.ask("git_mile.list", entity="issue"))
        yield Operation("show one", FLAT, lambda: self.ask("git_mile.show", entity="issue", id=issue))
        yield Operation("what is ready", LINEAR, lambda: self.ask("git_mile.ready"))

    def create(self) -> None:
        """Create an issue."""
        self.ask("git_mile.create", entity="issue", title=f"New {self.another()}")


class Tasks(Growing):
    """Tasks in SQLite."""

    name = "tasks"

    def grow(self, more: range) -> float:
        room = self.workspace.room("tasks")
        if more.start == 0:
            ensure_workspace(room, "bench", [], "criteria")
        drafts = [draft(number) for number in more]
        began = processor()
        for at in range(0, len(drafts), 500):
            room.create(drafts[at : at + 500], ME)
        return processor() - began

    def operations(self) -> Iterator[Operation]:
        yield Operation("add one", FLAT, lambda: self.ask("taskpilot_add", title=f"New {self.another()}"))
        yield Operation("a page of the list", FLAT, lambda: self.ask("taskpilot_list"))
        yield Operation("next: take one", FLAT, lambda: self.ask("taskpilot_claim", action="next", agent="a"))
        yield Operation("focus on one", FLAT, lambda: self.ask("taskpilot_focus", task_id="TP-3", peek=True))
        yield Operation("the board", LINEAR, lambda: self.ask("taskpilot_board"))
        yield Operation("the status of all", LINEAR, lambda: self.ask("taskpilot_status"))


class Messages(Growing):
    """Messages that wait in the inbox."""

    name = "messages"

    def grow(self, more: range) -> None:
        room = self.workspace.inbox
        room.send("README.md", f"Before {more}")
        at = "2026-01-01T00:00:00Z"
        rows = (
            (digest_of("a.py", str(n), at), "a.py", str(n), None, None, at, str(self.place)) for n in more
        )
        with room._database.get().write() as connection:
            connection.executemany(INSERT_MESSAGE, rows)

    def operations(self) -> Iterator[Operation]:
        yield Operation("send one", FLAT, self.send)
        yield Operation("a page of the list", LINEAR, lambda: self.ask("list_messages"))
        yield Operation("send one, hand over some", LINEAR, lambda: (self.send(), self.drain()))

    def send(self) -> None:
        """Send a message."""
        self.ask("send_message", file="a.py", comment=f"New {self.another()}")

    def drain(self) -> None:
        """Have a few messages handed over, so that most keep waiting."""
        self.ask("drain_messages", max_characters=1000)


class Files(Growing):
    """Files of a work tree, 100 in a folder."""

    name = "files"
    analysed = 10_000
    """Analyses go up to so many."""

    def grow(self, more: range) -> None:
        for number in more:
            path = self.place / f"part{number // IN_A_FOLDER}" / f"module{number}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(MODULE.format(number), encoding="utf-8")
        git(self.place, "add", "--all")
        git(self.place, "commit", "--quiet", "--message", str(more))

    def operations(self) -> Iterator[Operation]:
        yield Operation("list a folder", LINEAR, lambda: self.ask("list_files", folder="part0"))
        yield Operation("list the root", LINEAR, lambda: self.ask("list_files"))
        yield Operation("find one by its name", LINEAR, lambda: self.ask("find_files", query="module7"))
        if self.size <= self.analysed:
            yield Operation("deep context, nothing kept", LINEAR, self._cold)
            yield Operation("deep context, once more", LINEAR, lambda: self.ask("analyze_deep_context"))

    def _cold(self) -> None:
        self.workspace.close()
        for path in Path(self.workspace.repository.store_directory).glob("*"):
            path.unlink()
        self.workspace = Workspace(Repository.at(self.place))
        self._dispatcher = Dispatcher(full_registry(), self.workspace.room)
        self.ask("analyze_deep_context")


def write_notes(path: Path, number: int, count: int) -> None:
    """Write a text and its sidecar with so many notes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"value {line}\n" for line in range(1, 2 * count + 1)), encoding="utf-8")
    words = [f"word{at}" for at in range(300)]
    notes = [comment(CHANCE, words, number * count + at, 2 * at + 1) for at in range(count)]
    value = {"file": path.name, "version": "2.1.0", "ghostMarkers": [*map(marker, notes)], "comments": notes}
    Path(f"{path}.comments").write_text(json.dumps(value), encoding="utf-8")


def processor() -> float:
    """Return the seconds that this process and those it started, living or not, have had of processors."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    total = sum(one.ru_utime + one.ru_stime for one in used)
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # a thread or a process that ended just now
            total += sum(map(processor_seconds, map(int, (task / "children").read_text("ascii").split())))
    return total


def cost(run: Callable[[], object], rounds: int) -> float:
    """Return the median seconds of processors that an operation takes, once it is warm."""
    run()
    times: list[float] = []
    while len(times) < rounds and sum(times) < MAX_SECONDS:
        began = processor()
        run()
        times.append(processor() - began)
    return median(times)


def grown(
    kind: type[Growing], place: Path, sizes: list[int], rounds: int
) -> dict[Operation, dict[int, float]]:
    """Return what each operation of a room took at each size."""
    taken: dict[str, tuple[Operation, dict[int, float]]] = {}
    with closing(kind(place)) as room:
        for before, size in zip([0, *sizes], sizes, strict=False):
            began = time.perf_counter()
            filling = room.grow(range(before, size))
            room.size = size
            time.sleep(YOUNG_SECONDS)
            for operation in room.operations():
                taken.setdefault(operation.label, (operation, {}))[1][size] = cost(operation.run, rounds)
            if filling is not None:
                bulk = Operation("to bring in many, each", FLAT, room.close)
                taken.setdefault(bulk.label, (bulk, {}))[1][size] = filling / (size - before)
            print(f"{room.name}, {size:,}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return dict(taken.values())


def exponent(points: dict[int, float]) -> float | None:
    """Return the slope of a line through the logarithms, from 1,000 on."""
    far = [(log10(size), log10(seconds)) for size, seconds in points.items() if size >= FROM]
    if len(far) < 2:
        return None
    across, up = (fmean(values) for values in zip(*far, strict=True))
    spread = sum((x - across) ** 2 for x, _ in far)
    return sum((x - across) * (y - up) for x, y in far) / spread


def verdict(slope: float | None, most: float) -> str:
    """Return what an exponent means, and whether that is what the operation should have."""
    if slope is None:
        return "too few sizes"
    found = "flat" if slope < FLAT else "linear at most" if slope <= LINEAR else "**worse than linear**"
    return found if slope <= most or slope > LINEAR else f"{found}, **should be flat**"


def add_curves(results: Results, kind: type[Growing], curves: dict[Operation, dict[int, float]]) -> None:
    """Add the table of a room, in milliseconds of processors, and a bar for each exponent."""
    sizes = sorted({size for points in curves.values() for size in points})
    rows = []
    for operation, points in curves.items():
        slope = exponent(points)
        if slope is not None:
            results.bar(f"{kind.name}, {operation.label}: exponent of growth", slope, operation.most)
        milliseconds = (points[size] * 1e3 if size in points else None for size in sizes)
        rows.append((operation.label, *milliseconds, slope, verdict(slope, operation.most)))
    columns = ("ms of processors", *(f"{size:,}" for size in sizes), "exponent", "verdict")
    results.table(kind.name.replace(" ", "-"), columns, rows)


def main() -> int:
    options = arguments(__doc__, rounds=7, **{"up-to": SIZES[-1]})
    results = Results("bench.growth")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        prepare(folder)
        for kind in (Notes, NotesInOneFile, Issues, Tasks, Messages, Files):
            sizes = [size for size in SIZES if size <= min(options.up_to, kind.largest)]
            place = Path(folder, kind.name.replace(" ", "-"))
            add_curves(results, kind, grown(kind, place, sizes, options.rounds))
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
