"""Sending under kill -9 and failing disks, the quick way and the whole way: nothing acknowledged is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
from tests.reliability.evidence import Tally
from tests.reliability.harness import (
    DATABASE_ERRORS,
    Outcome,
    fail_at_every_syscall,
    kill_at_every_syscall,
    python,
    restoring,
    run_kill_trials,
)
from tests.reliability.samples import samples

WHOLE = """
from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
room = Inbox.open(Repository.at(sys.argv[1]))
def send(comment): room.send("a.py", comment)
"""

# As the command does it: what the quick way leaves alone, such as a store that is busy for long, is for the
# whole program.
QUICK = (
    WHOLE
    + """
from holdfast.inbox.quick import send_ordinary
from holdfast.storage.sql.quick import NeedsFullProgram
send_slowly = send
def send(comment):
    try:
        send_ordinary(sys.argv[1], ".", comment, None)
    except NeedsFullProgram:
        send_slowly(comment)
"""
)

OLD, NEW = "An old remark", "A new remark"


def comments(repository: Path) -> list[str]:
    room = Inbox.open(Repository.at(repository))
    try:
        assert room.check() == []
        return [message.comment for message in room.messages("all", limit=1_000_000)]
    finally:
        room.close()


@pytest.fixture
def store(repository: Path) -> Path:
    """The store of a repository whose inbox holds one message."""
    room = Inbox.open(Repository.at(repository))
    room.send("a.py", OLD)
    room.close()
    return repository / ".git" / "holdfast"


# A1: killed at random moments, half of the senders in each way.

SEND_FOREVER = """
name = sys.argv[2]
number = 0
while True:
    number += 1
    send(f"{name}-{number}")
    acknowledge(f"{name}-{number}")
"""

ACKNOWLEDGE_EARLY = SEND_FOREVER.replace("    send(", "    acknowledge(f'{name}-{number}')\n    send(")


@pytest.mark.requirement("reliability-A1")
@pytest.mark.evidence("A1", "inbox", "killed with signal 9 at random moments")
def test_a1_no_acknowledged_message_is_lost_to_kills(repository: Path, store: Path, tally: Tally):
    def sender(name: str) -> list[str]:
        way = QUICK if int(name[1:]) % 2 else WHOLE
        return python(way + SEND_FOREVER, repository, name)

    report = run_kill_trials(
        sender, lambda: comments(repository), kills=samples("kills"), at_once=4, delay=(0.06, 0.3)
    )
    tally(report.kills, report.failures, report.summary())
    assert report.failures == []
    assert report.kills == samples("kills")
    assert len(report.acknowledged) > report.kills


@pytest.mark.evidence("A1", "inbox", control="acknowledges before it stores")
def test_a1_control_acknowledging_before_the_message_is_stored_is_caught(
    repository: Path, store: Path, tally: Tally
):
    report = run_kill_trials(
        lambda name: python(QUICK + ACKNOWLEDGE_EARLY, repository, name),
        lambda: comments(repository),
        kills=60,
        at_once=4,
    )
    tally(report.kills, report.failures, report.summary())
    assert report.lost


# A2 and A4: one more message in an inbox that holds one.

SEND_ONCE = f"""
from holdfast.kernel.errors import HoldfastError
try:
    begin()
    send({NEW!r})
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""

COMMAND = f"""
from holdfast.faces.cli import main as full_main
from holdfast.inbox import quick as express
from holdfast.__main__ import main
import holdfast.workspace, holdfast.faces.cli.application
os.chdir(sys.argv[1])
sys.argv = ["holdfast", "send", "--file", ".", "--comment", {NEW!r}]
begin()
status = main()
end()
sys.exit(status)
"""


def old_or_new(repository: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        found = comments(repository)
        assert found[0] == OLD
        assert set(found[1:]) <= {NEW}
        assert NEW in found or not outcome.acknowledged, "acknowledged, but not stored"

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.parametrize("way", ["quick", "whole"])
@pytest.mark.evidence("A2", "inbox", "killed at every system call, sending the {way} way", every=True)
def test_a2_a_kill_at_every_system_call_leaves_the_message_or_nothing(
    repository: Path, store: Path, way: str, tally: Tally
):
    program = python({"quick": QUICK, "whole": WHOLE}[way] + SEND_ONCE, repository)
    report = kill_at_every_syscall(program, restoring(store), old_or_new(repository))
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.missed == []
    assert len(report.points) >= 10


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "inbox", "killed at every system call of the first write of all", every=True)
def test_a2_a_kill_during_the_very_first_send_leaves_an_inbox_that_works(repository: Path, tally: Tally):
    def prepare() -> None:
        shutil.rmtree(repository / ".git" / "holdfast", ignore_errors=True)

    def check(outcome: Outcome) -> None:
        assert set(comments(repository)) <= {NEW}
        assert comments(repository) or not outcome.acknowledged
        room = Inbox.open(Repository.at(repository))
        room.send("a.py", "Another remark")
        room.close()
        assert comments(repository)[-1] == "Another remark"

    calls = ("pwrite64", "write", "fsync", "fdatasync", "rename", "mkdir", "unlink", "flock")
    report = kill_at_every_syscall(python(WHOLE + SEND_ONCE, repository), prepare, check, calls=calls)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []


@pytest.mark.strace
@pytest.mark.evidence("A2", "inbox", control="acknowledges before it stores")
def test_a2_control_acknowledging_before_the_message_is_stored_is_caught(
    repository: Path, store: Path, tally: Tally
):
    program = python(QUICK + SEND_ONCE.replace("    send(", "    acknowledge()\n    send("), repository)
    calls = ("pwrite64", "fdatasync")
    report = kill_at_every_syscall(program, restoring(store), old_or_new(repository), calls=calls, enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


@pytest.mark.strace
@pytest.mark.requirement("reliability-A4")
@pytest.mark.parametrize("error", DATABASE_ERRORS)
@pytest.mark.evidence("A4", "inbox", "{error} at every call of a write", every=True)
def test_a4_a_failing_call_is_reported_or_overcome_and_never_acknowledged_in_vain(
    repository: Path, store: Path, error: str, tally: Tally
):
    def check(outcome: Outcome) -> None:
        old_or_new(repository)(outcome)
        assert outcome.acknowledged == (outcome.status == 0)
        assert outcome.admits(NEW in comments(repository)), f"stored, and told: {outcome.complaint}"
        assert outcome.acknowledged or "inbox.sqlite" in outcome.complaint
        assert "Traceback" not in outcome.complaint
        assert str(repository) not in outcome.complaint

    report = fail_at_every_syscall(
        python(COMMAND, repository), restoring(store), check, errors=DATABASE_ERRORS[error]
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 4


@pytest.mark.strace
@pytest.mark.evidence("A4", "inbox", control="swallows the error")
def test_a4_control_a_sender_that_swallows_the_error_is_caught(repository: Path, store: Path, tally: Tally):
    program = python(WHOLE + SEND_ONCE.replace("sys.exit(failure.sentence())", "pass"), repository)
    report = fail_at_every_syscall(
        program, restoring(store), old_or_new(repository), errors={"pwrite64": "EIO"}, enough=3
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures
