"""Many senders and readers at once, one reader killed on the way: every message arrives, in its order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
from tests.reliability.evidence import Tally
from tests.reliability.harness import Outcome, python, run_together

SENDERS, MESSAGES = 4, 250
LEASE_SECONDS = 1.0

QUICK_SENDER = """
from holdfast.__main__ import main
os.chdir(sys.argv[1])
name, count = sys.argv[2], int(sys.argv[3])
gather()
for number in range(count):
    sys.argv = ["holdfast", "send", "--file", ".", "--comment", f"{name}-{number}"]
    assert main() == 0
"""

WHOLE_SENDER = """
from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
room = Inbox.open(Repository.at(sys.argv[1]))
name, count = sys.argv[2], int(sys.argv[3])
gather()
for number in range(count):
    room.send("a.py", f"{name}-{number}")
"""

# A reader prints what it was handed, then says so to the store. One of them is killed after some
# batches, between taking and telling.
READER = f"""
import time
from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
room = Inbox(Repository.at(sys.argv[1]), lease_seconds={LEASE_SECONDS})
expected, dies_after = int(sys.argv[2]), int(sys.argv[3])
gather()
batches = 0
ends = time.monotonic() + 60
while room.count("delivered") < expected and time.monotonic() < ends:
    delivery = room.take()
    if not delivery.messages:
        time.sleep(0.01)
        continue
    batches += 1
    if batches == dies_after:
        os.kill(os.getpid(), 9)
    for message in delivery.messages:
        acknowledge(message.comment)
    room.mark_delivered(delivery.lease)
"""

DELETING_READER = READER.replace(
    "    batches += 1\n", "    batches += 1\n    room.mark_delivered(delivery.lease)\n"
)


def crowd(repository: Path, reader: str, *, messages: int) -> tuple[list[str], list[str]]:
    """Run all at once; return what the surviving reader and the killed one printed."""
    total = SENDERS * messages
    senders = [
        python(QUICK_SENDER if number % 2 else WHOLE_SENDER, repository, f"s{number}", messages)
        for number in range(SENDERS)
    ]
    readers = [python(reader, repository, total, 0), python(reader, repository, total, 4)]
    *sent, survivor, killed = run_together(senders + readers)
    assert [outcome.complaint for outcome in (*sent, survivor)] == [""] * (SENDERS + 1)
    assert killed.status == -9
    return received(survivor), received(killed)


def received(outcome: Outcome) -> list[str]:
    return outcome.output.split()


def all_messages(messages: int) -> set[str]:
    return {f"s{sender}-{number}" for sender in range(SENDERS) for number in range(messages)}


def keeps_order(comments: Iterable[str]) -> bool:
    last: dict[str, int] = {}
    for comment in comments:
        sender, number = comment.split("-")
        if int(number) <= last.get(sender, -1):
            return False
        last[sender] = int(number)
    return True


def in_order_but_for_one_batch(comments: Sequence[str]) -> bool:
    """Tell whether each sender's order holds, apart from at most ten that another reader took and lost."""
    return any(
        keeps_order(comments[start : start + size])
        and keeps_order([*comments[:start], *comments[start + size :]])
        for size in range(10, 0, -1)
        for start in range(len(comments))
    )


@pytest.mark.requirement("reliability-B4")
@pytest.mark.evidence("B4", "inbox", "4 senders of 250, 2 readers, one killed")
def test_b4_every_message_arrives_in_its_senders_order_although_a_reader_is_killed(
    repository: Path, tally: Tally
):
    survivor, killed = crowd(repository, READER, messages=MESSAGES)
    tally(SENDERS * MESSAGES, all_messages(MESSAGES) - set(survivor) - set(killed))
    assert set(survivor) | set(killed) == all_messages(MESSAGES)
    assert len(survivor) == len(set(survivor))
    assert not set(survivor) & set(killed), "only what was lost on the way is handed out again"
    assert keeps_order(killed)
    assert in_order_but_for_one_batch(survivor)
    room = Inbox.open(Repository.at(repository))
    assert room.count("pending") == 0
    assert room.check() == []
    room.close()


@pytest.mark.evidence("B4", "inbox", control="marks messages when they are taken")
def test_b4_control_marking_messages_when_they_are_taken_loses_some(repository: Path, tally: Tally):
    survivor, killed = crowd(repository, DELETING_READER, messages=50)
    tally(SENDERS * 50, all_messages(50) - set(survivor) - set(killed))
    assert set(survivor) | set(killed) < all_messages(50)
