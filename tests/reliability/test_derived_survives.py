"""Indexes killed while they are built: the next reader gets the whole answer, and needs no hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.milestones.clones import issue, opened
from tests.reliability.evidence import Tally
from tests.reliability.harness import WRITE_CALLS, Outcome, kill_at_every_syscall, python
from tests.reliability.samples import SCALE
from tests.reliability.test_milestones_survive import ROOM, titles

ISSUES = [f"Issue {number}" for number in range(6)]

BUILD = """
begin()
room.find(EntityQuery("issue"))
end()
acknowledge()
"""

# The file counts before it is whole, and says from the first moment that it is of this version.
BUILT_IN_PLACE = """
from contextlib import closing
from holdfast.storage.sql import derived
def rebuild(self, fill):
    name = f"{self._name}-{'0' * 16}.sqlite"
    derived.atomic_write(self._pointer, f"{name}\\n".encode())
    path = os.path.join(self._directory, name)
    open(path, "xb").close()
    with closing(derived.open_store(path, 1)) as connection:
        connection.execute(f"PRAGMA application_id = {self._application_id:d}")
        connection.execute(f"PRAGMA user_version = {self._version:d}")
        self._prepare(connection)
        fill(connection)
    return True
derived.DerivedDatabase.rebuild = rebuild
"""


@pytest.fixture
def store(repository: Path) -> Path:
    """A repository with issues and no index of them."""
    with opened(repository) as room:
        for title in ISSUES:
            issue(room, title)
    return repository


def forget(store: Path) -> Callable[[], None]:
    """Return what removes every index."""

    def prepare() -> None:
        for path in (store / ".git" / "holdfast").glob("milestones*"):
            if path.name != "milestones.replica":
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    return prepare


def whole(store: Path) -> Callable[[Outcome], None]:
    def check(_outcome: Outcome) -> None:
        assert sorted(titles(store)) == ISSUES

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "derived indexes", "killed at every system call of a build", every=True)
def test_a2_an_index_killed_at_any_moment_of_its_build_is_built_by_the_next_reader(
    store: Path, tally: Tally
) -> None:
    calls = WRITE_CALLS if SCALE else ("pwrite64", "fsync", "rename")
    report = kill_at_every_syscall(python(ROOM + BUILD, store), forget(store), whole(store), calls=calls)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 5


@pytest.mark.strace
@pytest.mark.evidence("A2", "derived indexes", control="the file counts before it is whole")
def test_a2_control_an_index_that_counts_before_it_is_whole_is_caught(store: Path, tally: Tally) -> None:
    program = python(BUILT_IN_PLACE + ROOM + BUILD, store)
    report = kill_at_every_syscall(program, forget(store), whole(store), calls=("pwrite64",), enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures
