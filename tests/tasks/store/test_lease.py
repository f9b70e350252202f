"""Claims on both engines: one holder at a time, leases that run out, tokens that fence."""

from __future__ import annotations

import pytest

from holdfast.tasks.errors import AlreadyClaimed, LeaseExpired
from holdfast.tasks.store import lease
from holdfast.tasks.store.lease import LEASE_SECONDS, ClaimFilter, release, take
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Draft, File
from holdfast.tasks.store.session import keep_alive, open_session, store_handoff_note
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.claim import ClaimTask, claim
from holdfast.tasks.tools.update import UpdateTask, update
from tests.tasks import claims
from tests.tasks.conftest import ADA, BOB, OpenTasks, TurnedClock, add
from tests.tasks.happenings import events_of


def test_taking_a_task_starts_it_and_keeps_others_away(room: Tasks):
    add(room, "One")
    taken = claims.claim(room, "TP-1", ADA).task
    assert (taken.status, taken.claim_agent, taken.version) == ("in-progress", "ada", 2)
    with pytest.raises(AlreadyClaimed) as refused:
        claims.claim(room, "TP-1", BOB)
    assert refused.value.data["claimed_by"] == "ada"
    assert not room.get("TP-1").is_ready(room.now())
    assert claims.claim_next(room, BOB) is None


def test_a_task_that_changed_since_it_was_read_is_not_taken(room: Tasks):
    [read] = add(room, "One")

    def take_twice() -> None:
        with room.writing(BOB) as transaction:
            take(transaction, read.id)
            lease.give_to_caller(transaction, read, LEASE_SECONDS)

    with pytest.raises(Exception, match=r"(?i)unique"):
        take_twice()
    assert (room.get(read.id).claim_agent, len(events_of(room))) == (None, 1)


def test_taking_it_again_renews_the_claim_and_nothing_else(room: Tasks, clock: TurnedClock):
    add(room, "One")
    first = claims.claim(room, "TP-1", ADA).task
    clock.turn(minutes=10)
    again = claims.claim(room, "TP-1", ADA).task
    assert again.claim_expires == (first.claim_expires or 0) + 600
    assert (again.version, again.claim_token) == (first.version, first.claim_token)
    assert claims.renew(room, "TP-1", ADA).version == first.version
    assert len(events_of(room, task="TP-1")) == 2


def test_a_claim_that_ran_out_goes_to_the_next_one_with_the_notes_of_the_last(
    room: Tasks, clock: TurnedClock
):
    add(room, "Fresh", "Left", priority="high")
    claims.claim(room, "TP-2", ADA)
    room.update("TP-2", Change(set={"notes": "Half of it works"}), ADA)
    clock.turn(seconds=LEASE_SECONDS - 1)
    assert claims.claim_next(room, BOB).task.id == "TP-1"  # type: ignore[union-attr]
    clock.turn(seconds=1)
    assert room.get("TP-2").is_ready(room.now())
    assert [task.id for task in room.find(Query(ready=True)).tasks] == ["TP-2"]
    taken = claims.claim_next(room, BOB)
    assert taken is not None
    assert (taken.task.id, taken.task.claim_agent) == ("TP-2", "bob")
    assert taken.previous is not None
    assert (taken.previous.claim_agent, taken.previous.notes) == ("ada", "Half of it works")


@pytest.mark.requirement("tasks-44")
def test_a_late_write_of_the_last_holder_is_refused_and_told_what_happened(room: Tasks, clock: TurnedClock):
    add(room, "One")
    token = claims.claim(room, "TP-1", ADA).task.claim_token
    clock.turn(seconds=LEASE_SECONDS)
    claims.claim(room, "TP-1", BOB)
    room.update("TP-1", Change(set={"progress": 40}), BOB)
    with pytest.raises(LeaseExpired) as refused:
        room.update("TP-1", Change(set={"progress": 90}), CallerIdentity("ada", token=token))
    assert refused.value.data["claimed_by"] == "bob"
    assert refused.value.data["since"] == ["claimed by bob", "updated by bob"]
    assert room.get("TP-1").progress == 40
    with pytest.raises(LeaseExpired):
        claims.renew(room, "TP-1", CallerIdentity("ada", token=token))
    with pytest.raises(LeaseExpired):
        claims.release(room, "TP-1", CallerIdentity("ada", token=token))


def test_a_late_write_goes_through_while_nobody_took_the_task(room: Tasks, clock: TurnedClock):
    add(room, "One")
    token = claims.claim(room, "TP-1", ADA).task.claim_token
    clock.turn(seconds=LEASE_SECONDS * 3)
    room.update("TP-1", Change(set={"progress": 90}), CallerIdentity("ada", token=token))
    assert claims.renew(room, "TP-1", CallerIdentity("ada", token=token)).claimed_by(room.now()) == "ada"


def test_a_session_may_not_write_to_what_another_one_holds(room: Tasks):
    add(room, "One", "Two")
    ada, _ = open_session(room, "ada")
    bob, _ = open_session(room, "bob")
    claims.claim(room, "TP-1", CallerIdentity("ada", ada.id))
    with pytest.raises(AlreadyClaimed):
        room.update("TP-1", Change(set={"progress": 1}), CallerIdentity("bob", bob.id))
    room.update("TP-1", Change(set={"progress": 1}), CallerIdentity("ada", ada.id))
    room.update("TP-2", Change(set={"progress": 1}), CallerIdentity("bob", bob.id))
    # A person at a board has neither session nor token, and may.
    room.update("TP-1", Change(set={"title": "Uno"}), CallerIdentity("grace"))


def test_a_new_session_goes_on_with_what_the_old_one_held_when_it_says_so(room: Tasks):
    add(room, "One")
    old, _ = open_session(room, "ada")
    new, _ = open_session(room, "ada")
    other, _ = open_session(room, "bob")
    held = claims.claim(room, "TP-1", CallerIdentity("ada", old.id)).task
    with pytest.raises(AlreadyClaimed, match="in another session") as refused:
        claims.claim(room, "TP-1", CallerIdentity("ada", new.id))
    assert "`resume`" in (refused.value.hint or "")
    with pytest.raises(AlreadyClaimed, match="in another session"):
        room.update("TP-1", Change(set={"progress": 5}), CallerIdentity("ada", new.id))
    with pytest.raises(AlreadyClaimed, match="held by ada"):
        claims.claim(room, "TP-1", CallerIdentity("bob", other.id), resume=True)
    taken = claims.claim(room, "TP-1", CallerIdentity("ada", new.id), resume=True).task
    assert (taken.claim_session, taken.claim_token != held.claim_token) == (new.id, True)
    room.update("TP-1", Change(set={"progress": 5}), CallerIdentity("ada", new.id))
    with pytest.raises(LeaseExpired):
        room.update("TP-1", Change(set={"progress": 9}), CallerIdentity("ada", None, held.claim_token))


def test_every_call_of_a_session_keeps_its_claims(room: Tasks, clock: TurnedClock):
    add(room, "One")
    session, _ = open_session(room, "ada")
    claims.claim(room, "TP-1", CallerIdentity("ada", session.id))
    for _ in range(10):
        clock.turn(minutes=20)
        keep_alive(room, session.id)
    assert room.get("TP-1").claimed_by(room.now()) == "ada"
    assert keep_alive(room, session.id) == "ada"
    assert room.get("TP-1").version == 2


def test_giving_a_task_back_makes_it_ready_and_finishing_it_ends_the_claim(room: Tasks):
    add(room, "One", "Two")
    claims.claim(room, "TP-1", ADA)
    freed = claims.release(room, "TP-1", ADA, kind="handed-over", reason="Lunch")
    assert (freed.status, freed.claim_agent) == ("backlog", None)
    assert events_of(room, task="TP-1")[-1].type == "handed-over"
    claims.claim(room, "TP-1", BOB)
    done = room.update("TP-1", Change(set={"status": "done"}), BOB).task
    assert done.claim_agent is None
    with pytest.raises(AlreadyClaimed, match="done"):
        claims.claim(room, "TP-1", ADA)
    with pytest.raises(LeaseExpired):
        claims.release(room, "TP-2", ADA)


def test_what_waits_cannot_be_taken(room: Tasks):
    add(room, "One", "Two")
    room.update("TP-2", Change(add={"depends_on": [("TP-1", "blocks")]}), ADA)
    with pytest.raises(AlreadyClaimed, match="waits for TP-1"):
        claims.claim(room, "TP-2", ADA)
    assert room.get("TP-2").version == 2


def test_the_next_task_can_be_wished_for(room: Tasks):
    drafts = [
        Draft("A", labels=["ui"]),
        Draft("B", files=[File("b.py")]),
        Draft("C", milestone="v2"),
        Draft("D", priority="low"),
    ]
    room.create(drafts, ADA)
    wishes = [
        ClaimFilter(label="ui"),
        ClaimFilter(file="b.py"),
        ClaimFilter(milestone="v2"),
        ClaimFilter(priority="low"),
        ClaimFilter(label="x"),
    ]
    taken = [claims.claim_next(room, ADA, wish) for wish in wishes]
    assert [claim and claim.task.title for claim in taken] == ["A", "B", "C", "D", None]


def test_a_note_for_the_next_session_is_found_by_it(room: Tasks, open_tasks: OpenTasks):
    session, note = open_session(room, "ada")
    assert note is None
    with room.writing() as transaction:
        store_handoff_note(transaction, session.id, "Look at TP-1 first")
    assert open_session(open_tasks(), "bob")[1] == "Look at TP-1 first"


def test_a_note_about_a_task_that_is_finished_is_not_told_any_more(room: Tasks):
    add(room, "One")
    session, _ = open_session(room, "ada")
    claim(room, ClaimTask(action="take", task_id="TP-1", session=session.id))
    claim(room, ClaimTask(action="handoff", task_id="TP-1", note="Half done", session=session.id))
    assert open_session(room, "bob")[1] == "TP-1: Half done"
    room.update("TP-1", Change(set={"status": "dropped"}), BOB)
    assert open_session(room, "eve")[1] is None


@pytest.mark.requirement("tasks-40")
def test_worktrees_share_tasks(room: Tasks, open_tasks: OpenTasks, repository, tmp_path):
    import subprocess

    for arguments in (
        ("commit", "--quiet", "--allow-empty", "-m", "x"),
        ("worktree", "add", "-q", str(tmp_path / "w")),
    ):
        subprocess.run(["git", "-C", str(repository), *arguments], check=True)
    add(room, "One")
    other = open_tasks(tmp_path / "w")
    if room.store.engine == "sqlite":
        assert other.get("TP-1").title == "One"
        claims.claim(other, "TP-1", BOB)
        with pytest.raises(AlreadyClaimed):
            claims.claim(room, "TP-1", ADA)


@pytest.mark.parametrize("seconds", [3, 45, 90, 600])
def test_a_short_claim_lives_as_long_as_calls_carry_its_session(
    room: Tasks, clock: TurnedClock, seconds: int
):
    add(room, "One", "Two")
    session, _ = open_session(room, "ada")
    clock.turn(seconds=30)
    update(room, UpdateTask(task_id="TP-2", add={"labels": ["seen"]}, session=session.id))
    claim(room, ClaimTask(action="take", task_id="TP-1", lease_seconds=seconds, session=session.id))
    for number in range(12):
        clock.turn(seconds=seconds / 3)
        update(room, UpdateTask(task_id="TP-1", set={"progress": number}, session=session.id))
        left = (room.get("TP-1").claim_expires or 0) - room.now()
        assert 0 < left <= seconds, "renewed for as long as it was taken for, and not longer"
    clock.turn(seconds=seconds + 1)
    assert room.get("TP-1").claimed_by(room.now()) is None, "without calls it ends as it should"


def test_long_claims_are_renewed_once_a_minute_and_not_with_every_call(room: Tasks, clock: TurnedClock):
    add(room, "One")
    session, _ = open_session(room, "ada")
    claim(room, ClaimTask(action="take", task_id="TP-1", session=session.id))
    ends = set()
    for _ in range(12):
        clock.turn(seconds=10)
        update(room, UpdateTask(task_id="TP-1", add={"labels": [str(clock.now)]}, session=session.id))
        ends.add(room.get("TP-1").claim_expires)
    assert len(ends) == 3, "as taken, after one minute, after two"


def test_giving_back_what_was_never_taken_is_told_as_such(room: Tasks):
    add(room, "Light the lamp")
    with pytest.raises(LeaseExpired, match="was never yours"), room.writing(BOB) as transaction:
        release(transaction, "TP-1")
