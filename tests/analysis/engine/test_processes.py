"""Scans in parallel: the same result, progress, cancellation, and failures that stay single."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from holdfast.analysis.engine.product import RECORDS
from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.engine.scanner import Scanner
from holdfast.kernel.call import Call, Listener, running
from holdfast.kernel.errors import Cancelled
from holdfast.storage.git.repository import Repository
from tests.analysis.engine.test_scanner import SKIPS, reasons, write

FILES = 150


@pytest.fixture
def tree(repository: Path) -> Path:
    """A repository with enough files for several batches."""
    write(repository, {name: content for name, (_, content) in SKIPS.items()})
    write(
        repository,
        {
            f"package{number % 7}/m{number}.py": f"import os\n\n\ndef f{number}():\n    return {number}\n"
            for number in range(FILES)
        },
    )
    return repository


def scanned(root: Path, workers: int | None = None) -> Scan:
    """Scan anew, with processes however small the tree."""
    scanner = Scanner(Repository.at(root), RECORDS, bytes_per_process=1)
    try:
        return scanner.scan(Project(), "force-refresh", workers)
    finally:
        scanner.close()


def children() -> set[str]:
    """Return the processes that this one has started and that still run."""
    threads = Path("/proc/self/task").glob("*/children")
    return {number for listed in threads for number in listed.read_text(encoding="ascii").split()}


def test_any_number_of_processes_or_threads_gives_the_same_survey(tree: Path, reader: str) -> None:
    one, eight = scanned(tree, 1), scanned(tree, 8)

    assert one == eight
    assert list(one.files) == list(eight.files) == sorted(one.files)
    assert len(one.files) == FILES
    assert reasons(one) == {name: reason for name, (reason, _) in SKIPS.items()}


class Steps(Listener):
    """Remembers how far it was, and cancels the call after so many files."""

    def __init__(self, until: int | None = None) -> None:
        self.steps: list[tuple[float, float | None]] = []
        self.call: Call | None = None
        self._until = until

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.steps.append((done, total))
        if done == self._until:
            assert self.call is not None
            self.call.cancel()


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_counts_the_files(tree: Path, workers: int, reader: str) -> None:
    listener = Steps()
    with running(Call(listener=listener)):
        scanned(tree, workers)

    assert [done for done, _ in listener.steps] == list(range(1, len(listener.steps) + 1))
    assert {total for _, total in listener.steps} == {float(len(listener.steps))}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are counted in /proc")
def test_cancelling_ends_the_survey_and_its_processes_and_keeps_what_was_read(
    tree: Path, reader: str
) -> None:
    before = children()
    listener = Steps(until=100)
    listener.call = call = Call(listener=listener)
    scanner = Scanner(Repository.at(tree), RECORDS, bytes_per_process=1)
    with running(call), pytest.raises(Cancelled):
        scanner.scan(Project(), "normal", 2)

    assert children() == before
    assert listener.steps[-1][0] == 100
    after = scanner.scan(Project(), "normal", 1)
    scanner.close()
    assert (len(after.files), after.hits + after.misses) == (FILES, FILES)
    assert after.hits > 0


def test_a_process_that_is_killed_costs_one_file(tree: Path, python_reader: None) -> None:
    killed: list[int] = []

    class Killer(Listener):
        def progress(self, done: float, total: float | None, message: str | None) -> None:
            if not killed and (found := children() - before):
                killed.append(int(min(found, key=int)))
                os.kill(killed[0], signal.SIGKILL)

    before = children()
    with running(Call(listener=Killer())):
        found = scanned(tree, 2)

    lost = [path for path, reason in reasons(found).items() if reason == "could not be analysed"]
    assert killed
    assert len(lost) <= 1
    assert len(found.files) + len(found.skipped) == FILES + len(SKIPS)
