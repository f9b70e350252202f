from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import Corrupted
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository
from tests.inbox.conftest import Reader, TurnableClock
from tests.reliability.evidence import Tally

NOTHING = "No new messages from lazygit"
LEASE = LIMITS.delivery_lease_seconds


def comments(room: Inbox, limit: int = 10) -> list[str]:
    return [message.comment for message in room.take(limit).messages]


def send_many(room: Inbox, count: int) -> list[str]:
    for number in range(count):
        room.send("a.py", f"Remark {number}")
    return [f"Remark {number}" for number in range(count)]


@pytest.mark.requirement("inbox-71")
def test_after_a_successful_call_the_queue_is_empty(room: Inbox, reader: Reader):
    room.send("a.py", "Hm")
    assert "Comment: Hm" in reader.check()
    assert reader.check() == NOTHING
    assert room.count("delivered") == 1


@pytest.mark.requirement("inbox-70", "inbox-62")
def test_ten_are_handed_over_and_the_rest_is_counted_and_kept(room: Inbox, reader: Reader):
    send_many(room, 25)
    first, second, third = reader.check(), reader.check(), reader.check()
    rule = "\n\n" + "-" * 50 + "\n\n"
    *messages, rest = first.split(rule)
    assert [message.splitlines()[2] for message in messages] == [f"Comment: Remark {n}" for n in range(10)]
    assert [message.splitlines()[0] for message in messages] == [f"Message {n}:" for n in range(1, 11)]
    assert rest == "15 more messages are waiting; call check_lazygit_messages again."
    assert second.endswith("5 more messages are waiting; call check_lazygit_messages again.")
    assert third.startswith("Message 1:\nFile: a.py\nComment: Remark 20\n")
    assert third.endswith("Please improve this code.")
    assert reader.check() == NOTHING


@pytest.mark.requirement("inbox-70")
def test_exactly_ten_come_without_a_word_more(room: Inbox, reader: Reader):
    send_many(room, 10)
    assert reader.check().endswith("Please improve this code.")


def test_one_more_is_said_in_the_singular(room: Inbox, reader: Reader):
    send_many(room, 11)
    assert reader.check().endswith("1 more message is waiting; call check_lazygit_messages again.")


@pytest.mark.requirement("inbox-81")
def test_a_reply_that_could_not_be_written_leaves_the_messages_queued(room: Inbox, reader: Reader):
    send_many(room, 3)
    lost = reader.check(answered=False)
    assert reader.check() == lost
    assert reader.check() == NOTHING


@pytest.mark.requirement("inbox-81")
def test_an_operation_that_fails_half_way_gives_its_messages_back(
    room: Inbox, reader: Reader, monkeypatch: pytest.MonkeyPatch
):
    room.send("a.py", "Hm")
    with monkeypatch.context() as broken:
        broken.setattr(Inbox, "store_changed_lines", lambda *_: 1 / 0)
        with pytest.raises(Exception, match="reference"):
            reader.run("check_lazygit_messages")
    assert "Comment: Hm" in reader.check()


@pytest.mark.requirement("inbox-82")
def test_two_servers_deliver_each_message_once(
    room: Inbox, repository: Path, open_inbox: Callable[[Path], Inbox]
):
    other = open_inbox(repository)
    sent = send_many(room, 25)
    mine, theirs = room.take(), other.take()
    assert [message.comment for message in mine.messages] == sent[:10]
    assert [message.comment for message in theirs.messages] == sent[10:20]
    assert mine.waiting == 15
    assert theirs.waiting == 5
    room.mark_delivered(mine.lease)
    other.mark_delivered(theirs.lease)
    assert comments(room) == sent[20:]
    assert comments(other) == []


@pytest.mark.requirement("inbox-82")
def test_many_readers_at_once_share_the_messages_without_overlap(
    room: Inbox, repository: Path, open_inbox: Callable[[Path], Inbox]
):
    sent = send_many(room, 100)
    taken: list[list[str]] = [[] for _ in range(4)]
    start = Barrier(4)

    def read(number: int, inbox: Inbox) -> None:
        start.wait()
        while delivery := inbox.take(3).messages:
            taken[number] += [message.comment for message in delivery]

    threads = [Thread(target=read, args=(number, open_inbox(repository))) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(comment for share in taken for comment in share) == sorted(sent)
    for share in taken:
        assert share == sorted(share, key=sent.index)


def test_the_lease_of_a_reader_that_vanished_runs_out(
    room: Inbox, repository: Path, open_inbox: Callable[[Path], Inbox], clock: TurnableClock
):
    other = open_inbox(repository)
    room.send("a.py", "Hm")
    vanished = other.take()
    clock.turn(LEASE - 1)
    assert comments(room) == []
    clock.turn(1)
    assert room.check()[0].text.startswith("Messages that a reader left undelivered: 1.")
    late = room.take()
    assert [message.comment for message in late.messages] == ["Hm"]
    other.mark_delivered(vanished.lease)
    assert room.count("pending") == 1, "the one who came too late settles nothing"
    room.mark_delivered(late.lease)
    assert room.count("pending") == 0


def test_a_late_answer_still_counts_while_nobody_else_took_the_message(room: Inbox, clock: TurnableClock):
    room.send("a.py", "Hm")
    delivery = room.take()
    clock.turn(LEASE * 2)
    room.mark_delivered(delivery.lease)
    assert comments(room) == []


@pytest.mark.evidence("C4", "inbox", "a clock set back by a year", every=True)
def test_a_clock_set_back_by_a_year_blocks_no_message(room: Inbox, clock: TurnableClock):
    room.send("a.py", "Hm")
    room.take()
    clock.turn(-365 * 86400)
    assert comments(room) == ["Hm"]


def test_giving_back_some_keeps_the_others(room: Inbox):
    sent = send_many(room, 4)
    delivery = room.take()
    room.release(delivery.lease, delivery.messages[2:])
    assert comments(room) == sent[2:]
    room.mark_delivered(delivery.lease)
    assert [message.comment for message in room.messages("delivered", limit=10)] == sent[:2]


@pytest.mark.evidence("C4", "inbox", "a clock that runs backwards", every=True)
@pytest.mark.evidence("C4", "inbox", control="orders by the time of day")
def test_order_is_that_of_arrival_whatever_the_clock_says(room: Inbox, clock: TurnableClock, tally: Tally):
    for number in range(5):
        room.send("a.py", f"Remark {number}")
        clock.turn(-3600)
    stored = list(room.messages("all", limit=10))
    tally(1, int(sorted(stored, key=lambda message: message.time) != stored), of="orders by the time of day")
    assert comments(room) == [f"Remark {number}" for number in range(5)]


@pytest.mark.requirement("inbox-78")
def test_a_hundred_quick_sends_with_no_server_arrive_in_order(repository: Path, reader: Reader):
    code = (
        "import sys; from holdfast.__main__ import main\n"
        "for number in range(100):\n"
        "    sys.argv = ['holdfast', 'send', '--file', '.', '--comment', f'Remark {number}']\n"
        "    assert main() == 0\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=repository, check=True, stdout=subprocess.DEVNULL)
    answers = [reader.check() for _ in range(11)]
    received = [line for answer in answers for line in answer.splitlines() if line.startswith("Comment:")]
    assert received == [f"Comment: Remark {number}" for number in range(100)]
    assert answers[-1] == NOTHING


def test_what_changed_shows_in_the_fingerprint(
    room: Inbox, repository: Path, open_inbox: Callable[[Path], Inbox], leave_legacy: Callable[..., Path]
):
    other = open_inbox(repository)
    seen = [room.fingerprint()]

    def has_changed() -> bool:
        seen.append(room.fingerprint())
        return seen[-1] != seen[-2]

    assert not has_changed()
    receipt = other.send("a.py", "Hm")
    assert has_changed()
    assert not has_changed()
    other.reply(other.find(receipt.id), "Done", "agent")
    assert has_changed()
    delivery = other.take()
    assert not has_changed(), "nothing a reader sees is different while a message is on its way"
    other.mark_delivered(delivery.lease)
    assert has_changed()
    leave_legacy()
    assert has_changed()


def test_damage_is_reported_and_left_as_it_is(
    room: Inbox, repository: Path, open_inbox: Callable[[Path], Inbox]
):
    room.send("a.py", "Hm")
    assert room.check() == []
    room.close()
    store = repository / ".git" / "holdfast" / "inbox.sqlite"
    damaged = b"not a database".ljust(8192, b"!")
    store.write_bytes(damaged)
    with pytest.raises(Corrupted) as failure:
        open_inbox(repository).take()
    assert os.fspath(repository) not in failure.value.sentence()
    assert store.read_bytes() == damaged


def test_a_reader_whose_clock_was_read_a_moment_earlier_does_not_take_what_another_holds(repository: Path):
    later = datetime(2026, 1, 1, 12, 0, 1, tzinfo=UTC)
    first = Inbox(Repository.at(repository), clock=lambda: later)
    second = Inbox(Repository.at(repository), clock=lambda: later - timedelta(seconds=1))
    first.send("a.py", "Once", None, None)
    assert len(first.take().messages) == 1
    assert not second.take().messages
    first.close()
    second.close()
