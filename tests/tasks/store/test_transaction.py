"""One transaction for each operation: what it costs, what becomes of it when it fails or was only tried."""

from __future__ import annotations

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.tasks.errors import AlreadyClaimed
from holdfast.tasks.store.creation import create
from holdfast.tasks.store.records import CallerIdentity, Change, Draft
from holdfast.tasks.store.session import open_session
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.tasks.tools.claim import ClaimTask, claim
from tests.tasks import claims
from tests.tasks.conftest import ADA, BOB, TurnedClock, add
from tests.tasks.happenings import events_of


def test_a_claim_with_a_session_is_one_transaction_of_five_statements(repository):
    room = Tasks.open(Repository.at(repository))
    ensure_workspace(room, "Kelp", [], "criteria")
    add(room, "One", "Two")
    session, _ = open_session(room, "ada")
    claim(room, ClaimTask(session=session.id))
    seen: list[str] = []
    for lent in (room.store.read(), room.store.write()):
        with lent as connection:
            connection.set_trace_callback(seen.append)  # type: ignore[attr-defined]
    seen.clear()
    claim(room, ClaimTask(session=session.id))
    room.close()
    begun = [text for text in seen if text.startswith("BEGIN")]
    asked = [text for text in seen if text.startswith(("SELECT", "UPDATE", "INSERT", "WITH"))]
    assert (len(begun), len(asked)) == (1, 5), seen


def test_what_was_only_tried_leaves_nothing(room: Tasks):
    add(room, "One")
    with room.writing(ADA) as transaction:
        made = create(transaction, [Draft("Two"), Draft("Three")])
        transaction.discard()
    assert [task.id for task, _ in made] == ["TP-2", "TP-3"]
    assert [event.type for event in events_of(room)] == ["created"]
    assert add(room, "Two")[0].id == "TP-2"


def test_a_session_whose_call_is_refused_keeps_its_claims(room: Tasks, clock: TurnedClock):
    add(room, "One", "Two")
    session, _ = open_session(room, "ada")
    claim(room, ClaimTask(action="take", task_id="TP-1", session=session.id))
    clock.turn(minutes=20)
    claims.claim(room, "TP-2", BOB)
    with pytest.raises(AlreadyClaimed):
        claim(room, ClaimTask(action="take", task_id="TP-2", session=session.id))
    clock.turn(minutes=20)
    assert room.get("TP-1").claimed_by(room.now()) == "ada"


def test_a_task_that_was_related_to_another_waits_when_it_needs_it(room: Tasks):
    add(room, "One", "Two")
    for kind in ("related", "blocks"):
        room.update("TP-2", Change(add={"depends_on": [("TP-1", kind)]}), ADA)
    assert room.get("TP-2").waits == 1
    assert room.update("TP-1", Change(set={"status": "in-progress"}), ADA).unblocked == ()
    assert room.update("TP-1", Change(set={"status": "done"}), CallerIdentity("eve")).unblocked == ("TP-2",)


def test_a_handover_writes_the_note_with_the_release(room: Tasks):
    add(room, "One")
    session, _ = open_session(room, "ada")
    claim(room, ClaimTask(action="take", task_id="TP-1", session=session.id))
    claim(room, ClaimTask(action="handoff", task_id="TP-1", session=session.id, note="Half done"))
    assert [event.type for event in events_of(room, task="TP-1")] == [
        "created",
        "claimed",
        "handed-over",
        "updated",
    ]
    assert room.get("TP-1").notes == "Half done"
    assert open_session(room, "bob")[1] == "TP-1: Half done"


def test_a_note_with_a_release_is_recorded_as_released_and_not_as_handed_over(room: Tasks):
    add(room, "One")
    session, _ = open_session(room, "ada")
    claim(room, ClaimTask(action="take", task_id="TP-1", session=session.id))
    claim(room, ClaimTask(action="release", task_id="TP-1", session=session.id, note="Half done"))
    assert [(event.type, event.reason) for event in events_of(room, task="TP-1")[2:]] == [
        ("released", "Half done"),
        ("updated", "released"),
    ]
