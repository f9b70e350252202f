"""What happened is told newest first, page by page, of one task, one actor, one file, or since a number."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.kernel.errors import InvalidArguments, InvalidCursor
from holdfast.tasks.store import lease
from holdfast.tasks.store.records import Draft, File
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.status import (
    EventPage,
    ReadEvents,
    ShowStatus,
    events,
    events_text,
    status,
    status_text,
)
from holdfast.tasks.tools.update import UpdateTask, update
from tests.tasks.conftest import ADA, BOB


def told(room: Tasks, **arguments: Any) -> EventPage:
    page: EventPage = events(room, ReadEvents(**arguments))
    return page


@pytest.fixture
def busy(room: Tasks) -> Tasks:
    room.create([Draft("Light the lamp", files=[File("src/lamp.py")], criteria=["It burns"])], ADA)
    room.create([Draft("Trim the wick")], BOB)
    with room.writing(BOB) as transaction:
        lease.take(transaction, "TP-1")
    return room


def test_the_newest_events_come_first_and_cursors_lead_to_the_oldest(busy: Tasks):
    seen, cursor = [], None
    while True:
        page = told(busy, limit=1, cursor=cursor)
        seen += [(item.actor, item.type, item.task_id, item.status) for item in page.events]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [
        ("bob", "claimed", "TP-1", "in-progress"),
        ("bob", "created", "TP-2", "backlog"),
        ("ada", "created", "TP-1", "backlog"),
    ]


def test_events_are_chosen_by_task_actor_file_and_number(busy: Tasks):
    of_task = told(busy, task_id="TP-1").events
    assert [item.type for item in of_task] == ["claimed", "created"]
    assert {item.title for item in of_task} == {"Light the lamp"}
    assert told(busy, connected_file="src/lamp.py").events == of_task
    assert [item.task_id for item in told(busy, actor="ada").events] == ["TP-1"]
    newest = of_task[0].seq
    assert told(busy, after=newest).events == []
    assert [item.seq for item in told(busy, after=newest - 1).events] == [newest]
    cursor = told(busy, limit=1).next_cursor
    with pytest.raises(InvalidCursor):
        told(busy, limit=1, actor="ada", cursor=cursor)


def test_the_status_names_what_each_agent_holds_and_until_when(busy: Tasks):
    found = status(busy, ShowStatus(include=["agents"]))
    (bob,) = found.agents
    (held,) = bob.tasks
    assert (bob.agent, bob.claims, held.id, held.title) == ("bob", 1, "TP-1", "Light the lamp")
    assert held.since < held.expires_at


def test_evidence_keeps_the_text_of_the_criterion_that_it_shows(busy: Tasks):
    shown = {"kind": "test", "ref": "pytest", "exit_status": 0}
    with pytest.raises(InvalidArguments, match='no criterion "2"'):
        update(busy, UpdateTask(task_id="TP-1", evidence=[{**shown, "criterion": 2}]))
    update(busy, UpdateTask(task_id="TP-1", agent="bob", check=[1], evidence=[{**shown, "criterion": 1}]))
    with busy.reading() as transaction:
        kept = transaction.execute("SELECT evidence FROM task WHERE n = 1").fetchone()[0]
    assert '"It burns"' in kept


def test_a_new_task_is_told_by_its_title_and_the_next_page_without_an_option(busy: Tasks):
    first, created, last = events_text(told(busy, limit=2)).splitlines()
    assert first.endswith("bob claimed TP-1 claimed_by, status")
    assert created.endswith("bob created TP-2 Trim the wick")
    assert last.startswith("Older events with the cursor ")


def test_the_words_of_a_status_count_all_that_is_ready_or_waits_and_not_what_is_listed(room: Tasks):
    room.create([Draft(f"Lamp {number}") for number in range(12)], ADA)
    room.create([Draft(f"Wick {number}", depends_on=[("TP-1", "blocks")]) for number in range(9)], ADA)
    found = status(room, ShowStatus())
    assert len(found.ready) < 12
    assert status_text(found).endswith("12 ready, 9 blocked or waiting.")
