"""Comments under kill -9 and failing disks: nothing acknowledged is lost, and nothing is on a wrong line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.comments.store import Comments
from holdfast.storage.git.repository import Repository
from tests.reliability.evidence import Tally
from tests.reliability.harness import (
    Outcome,
    fail_at_every_syscall,
    kill_at_every_syscall,
    python,
    run_kill_trials,
)
from tests.reliability.power import CUTS, Disk, cut_again_and_again, disk_to_cut
from tests.reliability.samples import samples

WRITING = """
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.store import Comments
from holdfast.storage.files.repo_path import RepoPath
from holdfast.comments.comment_writer import CommentWriter
from holdfast.storage.git.repository import Repository
room = Comments.open(Repository.at(sys.argv[1]))
writing = CommentWriter(room)
def add(text, file="a.txt", line=2):
    return writing.add(RepoPath.parse(file), CommentDraft(line, text, "tests", "TODO")).note.id
"""

SOURCE = "one\ntwo\nthree\n"
OLD, NEW = "An old comment", "A new comment"


def texts(repository: Path, file: str = "a.txt") -> list[str]:
    """Return what the comments of a file say, after checking that each is on its line."""
    room = Comments.open(Repository.at(repository))
    try:
        found = room.load(file).comments
        assert {note.line for note in found} <= {2}, "misplaced"
        assert room.archive.verify() == []
        return [note.text for note in found]
    finally:
        room.close()


@pytest.fixture
def annotated(repository: Path) -> Path:
    """A repository with one comment."""
    (repository / "a.txt").write_text(SOURCE)
    (repository / "b.txt").write_text(SOURCE)
    run = python(WRITING + f"add({OLD!r})", repository)
    subprocess.run(run, check=True)
    return repository


# A1: killed at random moments.

ADD_FOREVER = """
name = sys.argv[2]
number = 0
while True:
    number += 1
    add(f"{name}-{number}", "a.txt" if number % 2 else "b.txt")
    acknowledge(f"{name}-{number}")
"""
ACKNOWLEDGE_EARLY = ADD_FOREVER.replace("    add(", "    acknowledge(f'{name}-{number}')\n    add(")


@pytest.mark.requirement("reliability-A1")
@pytest.mark.evidence("A1", "comments", "killed with signal 9 at random moments")
def test_a1_no_acknowledged_comment_is_lost_to_kills(annotated: Path, tally: Tally) -> None:
    report = run_kill_trials(
        lambda name: python(WRITING + ADD_FOREVER, annotated, name),
        lambda: [*texts(annotated), *texts(annotated, "b.txt")],
        kills=samples("kills"),
        at_once=4,
    )
    tally(report.kills, report.failures, report.summary())
    assert report.failures == []
    assert report.kills == samples("kills")
    assert len(report.acknowledged) > report.kills / 6


@pytest.mark.evidence("A1", "comments", control="acknowledges before it stores")
def test_a1_control_acknowledging_before_the_comment_is_stored_is_caught(
    annotated: Path, tally: Tally
) -> None:
    report = run_kill_trials(
        lambda name: python(WRITING + ACKNOWLEDGE_EARLY, annotated, name),
        lambda: [*texts(annotated), *texts(annotated, "b.txt")],
        kills=60,
        at_once=4,
    )
    tally(report.kills, report.failures, report.summary())
    assert report.lost


# A3: the power is cut.

# What SQLite flushes for the index takes the sidecars of the same file system along.
NOT_FLUSHED = """
os.fsync = os.fdatasync = lambda descriptor: None
from holdfast.storage.sql import derived as derived_database, sqlite as database
database.SETTINGS = derived_database.SETTINGS = ("PRAGMA synchronous = OFF",)
"""


@pytest.fixture
def disk(home: Path, tmp_path: Path) -> Iterator[Disk]:
    with disk_to_cut(tmp_path) as disk:
        subprocess.run(["git", "init", "--quiet", str(disk.repository)], check=True)
        (disk.repository / "a.txt").write_text(SOURCE)
        (disk.repository / "b.txt").write_text(SOURCE)
        subprocess.run(python(WRITING + f"add({OLD!r})", disk.repository), check=True)
        os.sync()
        yield disk


def cuts(disk: Disk, program: str, number: int) -> tuple[int, int]:
    """Cut the power under somebody who comments; return acknowledgements, and cuts that lost some."""

    def writer(name: str) -> list[str]:
        return python(program + WRITING + ADD_FOREVER, disk.repository, name)

    def read(path: Path) -> list[str]:
        return [*texts(path), *texts(path, "b.txt")]

    return cut_again_and_again(disk, writer, read, number)


@pytest.mark.requirement("reliability-A3")
@pytest.mark.evidence("A3", "comments", "power cut under a writer")
def test_a3_no_acknowledged_comment_is_lost_when_the_power_is_cut(disk: Disk, tally: Tally) -> None:
    acknowledged, losing = cuts(disk, "", CUTS)
    tally(CUTS, losing, f"{acknowledged} acknowledged")
    assert losing == 0


@pytest.mark.evidence("A3", "comments", control="flushes nothing")
def test_a3_control_a_sidecar_that_is_not_flushed_loses_acknowledged_comments(
    disk: Disk, tally: Tally
) -> None:
    acknowledged, losing = cuts(disk, NOT_FLUSHED, 5)
    tally(5, losing, f"{acknowledged} acknowledged")
    assert losing > 0


# A2 and A4: one more comment in a sidecar that holds one. What is loaded when it is first needed is not yet
# compiled, as in a fresh clone, so that the disk can fail there too; the dispatcher answers for it.

ADD_ONCE = f"""
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.errors import HoldfastError
room.history.head()
sys.pycache_prefix, sys.dont_write_bytecode = "/not-compiled", True
try:
    begin()
    run_guarded(add, {NEW!r})
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""

MOVE_ONCE = """
from holdfast.kernel.errors import HoldfastError
room.history.head()
name = room.load("a.txt").comments[0].id if room.load("a.txt").comments else None
if name is None:
    acknowledge()
    sys.exit(0)
try:
    begin()
    writing.move(RepoPath.parse("a.txt"), RepoPath.parse("b.txt"), name, 2)
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""


def restore(repository: Path) -> Callable[[], None]:
    kept = repository.with_name("kept")
    shutil.copytree(repository, kept)

    def prepare() -> None:
        shutil.rmtree(repository)
        shutil.copytree(kept, repository)

    return prepare


def old_or_new(repository: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        document = json.loads((repository / "a.txt.comments").read_bytes())
        assert len(document["comments"]) == len(document["ghostMarkers"])
        found = texts(repository)
        assert found[0] == OLD
        assert set(found[1:]) <= {NEW}
        assert NEW in found or not outcome.acknowledged, "acknowledged, but not stored"

    return check


def somewhere(repository: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        left, arrived = texts(repository), texts(repository, "b.txt")
        assert OLD in [*left, *arrived], "lost"
        if outcome.acknowledged:
            assert (left, arrived) == ([], [OLD])

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "comments", "killed at every system call of a write", every=True)
def test_a2_a_kill_at_every_system_call_leaves_the_comment_or_nothing(annotated: Path, tally: Tally) -> None:
    program = python(WRITING + ADD_ONCE, annotated)
    report = kill_at_every_syscall(program, restore(annotated), old_or_new(annotated))
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.missed == []
    assert len(report.points) >= 15


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "comments", "killed at every system call of a move between files", every=True)
def test_a2_a_kill_while_a_comment_moves_leaves_it_in_one_file_or_in_both(
    annotated: Path, tally: Tally
) -> None:
    calls = ("write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2")
    program = python(WRITING + MOVE_ONCE, annotated)
    report = kill_at_every_syscall(program, restore(annotated), somewhere(annotated), calls=calls)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []


@pytest.mark.strace
@pytest.mark.evidence("A2", "comments", control="acknowledges before it stores")
def test_a2_control_acknowledging_before_the_comment_is_stored_is_caught(
    annotated: Path, tally: Tally
) -> None:
    program = python(
        WRITING + ADD_ONCE.replace("    run_guarded(", "    acknowledge()\n    run_guarded("), annotated
    )
    report = kill_at_every_syscall(
        program, restore(annotated), old_or_new(annotated), calls=("fsync",), enough=3
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


ERRORS = {
    "EIO": {"write": "EIO", "fsync": "EIO", "pwrite64": "EIO", "fdatasync": "EIO"},
    "ENOSPC": {"write": "ENOSPC", "pwrite64": "ENOSPC", "openat": "ENOSPC"},
}


@pytest.mark.strace
@pytest.mark.requirement("reliability-A4")
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.evidence("A4", "comments", "{error} at every call of a write", every=True)
def test_a4_a_failing_call_is_reported_or_overcome_and_never_acknowledged_in_vain(
    annotated: Path, error: str, tally: Tally
) -> None:
    unloaded = 0

    def check(outcome: Outcome) -> None:
        nonlocal unloaded
        found = texts(annotated)
        assert found[0] == OLD
        assert NEW in found or not outcome.acknowledged, "acknowledged, but not stored"
        assert outcome.admits(NEW in found), f"stored, and told: {outcome.complaint}"
        unloaded += "could not be loaded" in outcome.complaint
        if not outcome.acknowledged:
            assert "Traceback" not in outcome.complaint, outcome.complaint[-600:]

    report = fail_at_every_syscall(
        python(WRITING + ADD_ONCE, annotated), restore(annotated), check, errors=ERRORS[error]
    )
    tally(len(report.points), report.failed, f"{report.summary()}; not loaded {unloaded} times")
    assert report.failures == []
    assert bool(unloaded) == ("openat" in ERRORS[error])


@pytest.mark.strace
@pytest.mark.evidence("A4", "comments", control="a record beside the comment may fail the write")
def test_a4_control_a_record_that_may_fail_once_the_comment_is_there_is_caught(
    annotated: Path, tally: Tally
) -> None:
    unforgiving = WRITING + "from holdfast.comments.sidecar import archive\narchive.IGNORED_FAILURES = ()\n"

    def check(outcome: Outcome) -> None:
        assert outcome.admits(NEW in texts(annotated))

    program = python(unforgiving + ADD_ONCE, annotated)
    report = fail_at_every_syscall(program, restore(annotated), check, errors={"pwrite64": "ENOSPC"})
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


@pytest.mark.strace
@pytest.mark.evidence("A4", "comments", control="swallows the error")
def test_a4_control_somebody_who_swallows_the_error_is_caught(annotated: Path, tally: Tally) -> None:
    program = python(WRITING + ADD_ONCE.replace("sys.exit(failure.sentence())", "pass"), annotated)
    errors = {"fsync": "EIO"}
    report = fail_at_every_syscall(
        program, restore(annotated), old_or_new(annotated), errors=errors, enough=1
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures
