"""Memories under kill -9, power cuts and failing disks: nothing acknowledged is lost.

Memories about code are comments, written in the same way as all others; those about folders and the whole
repository are in a document of their own. Both are written here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.comments.memory.record import record_of
from holdfast.comments.sidecar.source import REPOSITORY_NOTES
from holdfast.comments.store import Comments
from holdfast.storage.git.repository import Repository
from tests.reliability.evidence import Tally
from tests.reliability.harness import (
    Outcome,
    fail_at_every_syscall,
    kill_at_every_syscall,
    python,
    restoring,
    run_kill_trials,
)
from tests.reliability.power import CUTS, Disk, cut_again_and_again, disk_to_cut
from tests.reliability.samples import samples
from tests.reliability.test_comments_survive import NOT_FLUSHED

WRITING = """
from holdfast.comments.memory.subject import find_subject
from holdfast.comments.memory.memory_writer import MemoryWriter
from holdfast.comments.store import Comments
from holdfast.storage.git.repository import Repository
room = Comments.open(Repository.at(sys.argv[1]))
writing = MemoryWriter(room)
def remember(text, about=None):
    return writing.add(find_subject(room, about), text, "tests")
"""
OLD, NEW = "An old memory", "A new memory"

REMEMBER_FOREVER = """
name = sys.argv[2]
number = 0
while True:
    number += 1
    remember(f"{name}-{number}", (None, "a.txt:2", "src")[number % 3])
    acknowledge(f"{name}-{number}")
"""
ACKNOWLEDGE_EARLY = REMEMBER_FOREVER.replace(
    "    remember(", "    acknowledge(f'{name}-{number}')\n    remember("
)
REMEMBER_ONCE = f"""
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.errors import HoldfastError
room.history.head()
try:
    begin()
    run_guarded(remember, {NEW!r})
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""


def texts(repository: Path) -> list[str]:
    """Return what all memories say."""
    room = Comments.open(Repository.at(repository))
    try:
        notes = [*room.load("a.txt").comments, *room.load_owned(REPOSITORY_NOTES, None).comments]
        assert all(record_of(note) is not None for note in notes)
        return [note.text for note in notes]
    finally:
        room.close()


@pytest.fixture
def remembering(repository: Path) -> Path:
    """A repository with one memory about all of it."""
    prepare(repository)
    return repository


def prepare(repository: Path) -> None:
    (repository / "a.txt").write_text("one\ntwo\nthree\n")
    (repository / "src").mkdir()
    subprocess.run(python(WRITING + f"remember({OLD!r})", repository), check=True)


@pytest.mark.requirement("reliability-A1")
@pytest.mark.evidence("A1", "memories", "killed with signal 9 at random moments")
def test_a1_no_acknowledged_memory_is_lost_to_kills(remembering: Path, tally: Tally) -> None:
    report = run_kill_trials(
        lambda name: python(WRITING + REMEMBER_FOREVER, remembering, name),
        lambda: texts(remembering),
        kills=samples("kills"),
        at_once=4,
    )
    tally(report.kills, report.failures, report.summary())
    assert report.failures == []
    assert len(report.acknowledged) > report.kills / 6


@pytest.mark.evidence("A1", "memories", control="acknowledges before it stores")
def test_a1_control_acknowledging_before_the_memory_is_stored_is_caught(
    remembering: Path, tally: Tally
) -> None:
    report = run_kill_trials(
        lambda name: python(WRITING + ACKNOWLEDGE_EARLY, remembering, name),
        lambda: texts(remembering),
        kills=60,
        at_once=4,
    )
    tally(report.kills, report.failures, report.summary())
    assert report.lost


@pytest.fixture
def disk(home: Path, tmp_path: Path) -> Iterator[Disk]:
    with disk_to_cut(tmp_path) as disk:
        subprocess.run(["git", "init", "--quiet", str(disk.repository)], check=True)
        prepare(disk.repository)
        os.sync()
        yield disk


def cuts(disk: Disk, before: str, number: int) -> tuple[int, int]:
    def writer(name: str) -> list[str]:
        return python(before + WRITING + REMEMBER_FOREVER, disk.repository, name)

    return cut_again_and_again(disk, writer, texts, number)


@pytest.mark.requirement("reliability-A3")
@pytest.mark.evidence("A3", "memories", "power cut under a writer")
def test_a3_no_acknowledged_memory_is_lost_when_the_power_is_cut(disk: Disk, tally: Tally) -> None:
    acknowledged, losing = cuts(disk, "", CUTS)
    tally(CUTS, losing, f"{acknowledged} acknowledged")
    assert losing == 0


@pytest.mark.evidence("A3", "memories", control="flushes nothing")
def test_a3_control_memories_that_are_not_flushed_are_lost(disk: Disk, tally: Tally) -> None:
    acknowledged, losing = cuts(disk, NOT_FLUSHED, 5)
    tally(5, losing, f"{acknowledged} acknowledged")
    assert losing > 0


def old_or_new(repository: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        found = texts(repository)
        assert found[0] == OLD
        assert set(found[1:]) <= {NEW}
        assert NEW in found or not outcome.acknowledged, "acknowledged, but not stored"

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "memories", "killed at every system call of a write", every=True)
def test_a2_a_kill_at_every_system_call_leaves_the_memory_or_nothing(remembering: Path, tally: Tally) -> None:
    program = python(WRITING + REMEMBER_ONCE, remembering)
    report = kill_at_every_syscall(program, restoring(remembering), old_or_new(remembering))
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 10


@pytest.mark.strace
@pytest.mark.evidence("A2", "memories", control="acknowledges before it stores")
def test_a2_control_acknowledging_before_the_memory_is_stored_is_caught(
    remembering: Path, tally: Tally
) -> None:
    early = REMEMBER_ONCE.replace("    run_guarded(", "    acknowledge()\n    run_guarded(")
    program = python(WRITING + early, remembering)
    report = kill_at_every_syscall(
        program, restoring(remembering), old_or_new(remembering), calls=("fsync",), enough=3
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


FULL_DISK = {"write": "ENOSPC", "pwrite64": "ENOSPC", "fsync": "EIO"}


@pytest.mark.strace
@pytest.mark.requirement("reliability-A4")
@pytest.mark.evidence("A4", "memories", "ENOSPC and EIO at every call of a write", every=True)
def test_a4_a_full_disk_is_reported_and_never_acknowledged_in_vain(remembering: Path, tally: Tally) -> None:
    def check(outcome: Outcome) -> None:
        found = texts(remembering)
        old_or_new(remembering)(outcome)
        assert outcome.admits(NEW in found), f"stored, and told: {outcome.complaint}"

    program = python(WRITING + REMEMBER_ONCE, remembering)
    report = fail_at_every_syscall(program, restoring(remembering), check, errors=FULL_DISK)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []


@pytest.mark.strace
@pytest.mark.evidence("A4", "memories", control="swallows the error")
def test_a4_control_somebody_who_swallows_the_error_is_caught(remembering: Path, tally: Tally) -> None:
    program = python(WRITING + REMEMBER_ONCE.replace("sys.exit(failure.sentence())", "pass"), remembering)
    report = fail_at_every_syscall(
        program, restoring(remembering), old_or_new(remembering), errors={"fsync": "EIO"}, enough=1
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures
