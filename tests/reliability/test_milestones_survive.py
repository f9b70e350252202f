"""Milestones under kill -9, power cuts and failing disks: nothing acknowledged is lost, no manual step."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.milestones.index.query import EntityQuery
from tests.milestones.clones import git, issue, new_repository, opened
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

ROOM = """
from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.index.query import EntityQuery
from holdfast.milestones.store import Milestones
from holdfast.storage.git.repository import Repository
room = Milestones.open(Repository.at(sys.argv[1]))
"""

# What git does by itself: no flushing.
PLAIN_GIT = (
    ROOM
    + """
os.fsync = lambda descriptor: None
"""
)

OLD, NEW = "An old issue", "A new issue"


def titles(path: Path) -> list[str]:
    with opened(path) as room:
        assert room.check() == []
        return [item.title for item in room.find(EntityQuery("issue", limit=1_000_000)).items]


@pytest.fixture
def store(repository: Path) -> Path:
    """A repository with one issue."""
    with opened(repository) as room:
        issue(room, OLD)
        room.find(EntityQuery("issue"))
    return repository


# A1: killed at random moments.

WRITE_FOREVER = """
name, number = sys.argv[2], 0
while True:
    number += 1
    room.create(EntityDraft("issue", f"{name}-{number}"))
    acknowledge(f"{name}-{number}")
"""
ACKNOWLEDGE_EARLY = WRITE_FOREVER.replace(
    "    room.create", "    acknowledge(f'{name}-{number}')\n    room.create"
)


@pytest.mark.requirement("reliability-A1", "milestones-49")
@pytest.mark.evidence("A1", "milestones", "killed with signal 9 at random moments")
def test_a1_no_acknowledged_issue_is_lost_to_kills(store: Path, tally: Tally):
    report = run_kill_trials(
        lambda name: python(ROOM + WRITE_FOREVER, store, name),
        lambda: titles(store),
        kills=samples("kills"),
        at_once=6,
        working_seconds=0.3,
    )
    tally(report.kills, report.failures, report.summary())
    assert report.failures == []
    assert report.kills == samples("kills")
    assert len(report.acknowledged) > report.kills / 3
    assert git(store, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.evidence("A1", "milestones", control="acknowledges before it stores")
def test_a1_control_acknowledging_before_the_write_is_caught(store: Path, tally: Tally):
    report = run_kill_trials(
        lambda name: python(ROOM + ACKNOWLEDGE_EARLY, store, name), lambda: titles(store), kills=48, at_once=6
    )
    tally(report.kills, report.failures, report.summary())
    assert report.lost


# A2 and A4: one more issue in a store that holds one.

WRITE_ONCE = f"""
from holdfast.kernel.errors import HoldfastError
room.find(EntityQuery("issue"))
try:
    begin()
    room.create(EntityDraft("issue", {NEW!r}))
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""


def old_or_new(repository: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        found = titles(repository)
        assert OLD in found
        assert set(found) <= {OLD, NEW}
        assert NEW in found or not outcome.acknowledged, "acknowledged, but not stored"
        with opened(repository) as room:
            issue(room, "Afterwards")
            assert "Afterwards" in [item.title for item in room.find(EntityQuery("issue")).items]

    return check


A2_CALLS = ("write", "pwrite64", "fsync", "fdatasync", "rename", "link", "unlink", "mkdir")


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2", "milestones-49")
@pytest.mark.evidence("A2", "milestones", "killed at every system call of a write", every=True)
def test_a2_a_kill_at_every_system_call_leaves_the_issue_or_nothing(store: Path, tally: Tally):
    report = kill_at_every_syscall(
        python(ROOM + WRITE_ONCE, store), restoring(store / ".git"), old_or_new(store), calls=A2_CALLS
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 10


@pytest.mark.strace
@pytest.mark.evidence("A2", "milestones", control="acknowledges before it stores")
def test_a2_control_acknowledging_before_the_write_is_caught(store: Path, tally: Tally):
    program = python(ROOM + WRITE_ONCE.replace("    begin()", "    begin()\n    acknowledge()"), store)
    report = kill_at_every_syscall(
        program, restoring(store / ".git"), old_or_new(store), calls=("rename", "link"), enough=3
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


ERRORS = {"EIO": {"fsync": "EIO", "fdatasync": "EIO"}, "ENOSPC": {"write": "ENOSPC", "pwrite64": "ENOSPC"}}


@pytest.mark.strace
@pytest.mark.requirement("reliability-A4")
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.evidence("A4", "milestones", "{error} at every call of a write", every=True)
def test_a4_a_failing_call_is_reported_or_overcome_and_never_acknowledged_in_vain(
    store: Path, error: str, tally: Tally
):
    def check(outcome: Outcome) -> None:
        found = titles(store)
        assert OLD in found
        assert NEW in found or not outcome.acknowledged
        assert outcome.acknowledged == (outcome.status == 0)
        assert outcome.admits(NEW in found), f"stored, and told: {outcome.complaint}"
        assert "Traceback" not in outcome.complaint
        assert str(store) not in outcome.complaint

    program = python(ROOM + WRITE_ONCE, store)
    report = fail_at_every_syscall(program, restoring(store / ".git"), check, errors=ERRORS[error])
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 3


@pytest.mark.strace
@pytest.mark.evidence("A4", "milestones", control="swallows the error")
def test_a4_control_a_writer_that_swallows_the_error_is_caught(store: Path, tally: Tally):
    program = python(ROOM + WRITE_ONCE.replace("sys.exit(failure.sentence())", "pass"), store)
    report = fail_at_every_syscall(
        program, restoring(store / ".git"), old_or_new(store), errors={"fsync": "EIO"}, enough=3
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


# A5: what a killed git leaves behind.


@pytest.mark.requirement("reliability-A5")
@pytest.mark.evidence("A5", "milestones", "a lock of git that a killed writer left", every=True)
@pytest.mark.evidence("A5", "milestones", control="git writes the same ref itself")
def test_a5_a_stale_ref_lock_stops_nobody_is_left_alone_and_the_doctor_names_it(store: Path, run_holdfast):
    (ref,) = git(store, "for-each-ref", "--format=%(refname)", "refs/holdfast/log/").split()
    lock = store / ".git" / f"{ref}.lock"
    lock.touch()
    os.utime(lock, (time.time() - 60,) * 2)
    with opened(store) as room:
        issue(room, NEW)
    assert sorted(titles(store)) == [NEW, OLD]
    with pytest.raises(AssertionError, match="cannot lock ref"):
        git(store, "update-ref", ref, f"{ref}~0")
    found = run_holdfast("doctor", cwd=store)
    assert f"{ref}.lock" in found.stdout
    assert lock.exists()


# A3: the power is cut.


@pytest.fixture
def disk(home: Path, tmp_path: Path) -> Iterator[Disk]:
    with disk_to_cut(tmp_path) as disk:
        new_repository(disk.repository)
        os.sync()
        yield disk


def cuts(disk: Disk, program: str, number: int) -> tuple[int, int]:
    """Cut the power under a writer of issues; return acknowledgements, and cuts that lost some."""

    def writer(name: str) -> list[str]:
        return python(program + WRITE_FOREVER, disk.repository, name)

    return cut_again_and_again(disk, writer, titles, number)


@pytest.mark.requirement("reliability-A3")
@pytest.mark.evidence("A3", "milestones", "power cut under a writer")
def test_a3_no_acknowledged_issue_is_lost_when_the_power_is_cut(disk: Disk, tally: Tally):
    acknowledged, losing = cuts(disk, ROOM, CUTS)
    tally(CUTS, losing, f"{acknowledged} acknowledged")
    assert losing == 0


@pytest.mark.evidence("A3", "milestones", control="git as it comes")
def test_a3_control_git_as_it_comes_loses_acknowledged_issues(disk: Disk, tally: Tally):
    acknowledged, losing = cuts(disk, PLAIN_GIT, 5)
    tally(5, losing, f"{acknowledged} acknowledged")
    assert losing > 0
