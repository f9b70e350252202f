"""The tasks themselves, on both engines: states, dependencies, versions and what follows from them."""

from __future__ import annotations

import time

import pytest
from pydantic import TypeAdapter

from holdfast.kernel.errors import InvalidArguments, InvalidCursor, NotFound, OutOfDate
from holdfast.tasks.errors import DependencyCycle, NotInitialized
from holdfast.tasks.inputs import AnyStatus
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import Change, Draft, File, TaskLink, new_uid, task_number
from holdfast.tasks.store.states import STATUSES, TRANSITIONS
from holdfast.tasks.store.tasks import Tasks
from tests.reliability.evidence import Tally
from tests.tasks.claims import claim_next
from tests.tasks.conftest import ADA, BOB, OpenTasks, TurnedClock, add
from tests.tasks.happenings import events_of


def move(room: Tasks, task: str, *states: str) -> None:
    for state in states:
        room.update(task, Change(set={"status": state}, reason="because"), ADA)


def needs(room: Tasks, task: str, *others: str) -> None:
    room.update(task, Change(add={"depends_on": [(other, "blocks") for other in others]}), ADA)


def test_tasks_are_numbered_from_one_and_found_however_their_id_is_spelled(room: Tasks):
    first, second = add(room, "One", "Two")
    assert [first.id, second.id] == ["TP-1", "TP-2"]
    for spelled in ("TP-2", "tp-2", "TP-002", "2", second.uid, second.uid.lower()):
        assert room.get(spelled).uid == second.uid
    with pytest.raises(NotFound):
        room.get("TP-3")
    with pytest.raises(InvalidArguments):
        task_number("TP-x")


def test_names_for_ever_sort_by_the_time_they_were_made(clock: TurnedClock):
    early = new_uid(clock())
    clock.turn(milliseconds=1)
    late = new_uid(clock())
    assert early < late
    assert len({len(early), len(late), 26}) == 1


@pytest.mark.requirement("reliability-C4")
@pytest.mark.evidence("C4", "tasks in {engine}", "a clock that jumps, and stands still", every=True)
@pytest.mark.evidence("C4", "tasks in {engine}", control="orders by the time of day")
def test_a_clock_that_jumps_changes_neither_the_order_of_events_nor_the_uniqueness_of_names(
    room: Tasks, clock: TurnedClock, tally: Tally
):
    made = []
    for days in (0, -365, 3650, -3650, 0):
        clock.turn(days=days)
        made += add(room, f"After {days}", "In the same millisecond")
    events = list(events_of(room, limit=100))
    assert [event.seq for event in events] == list(range(1, 11))
    assert [event.task for event in events] == [task.uid for task in made]
    assert len({task.id for task in made}) == 10
    tally(1, int(sorted(events, key=lambda event: event.at) != events), of="orders by the time of day")


def test_there_is_nothing_before_a_workspace_begins(open_tasks: OpenTasks):
    room = open_tasks()
    with pytest.raises(NotInitialized):
        room.get("TP-1")
    with pytest.raises(NotInitialized):
        room.create([Draft("One")], ADA)


@pytest.mark.parametrize("before", STATUSES)
@pytest.mark.parametrize("after", STATUSES)
@pytest.mark.requirement("tasks-42")
def test_only_the_specified_transitions_are_possible(room: Tasks, before: str, after: str):
    ways = {
        "backlog": (),
        "in-progress": ("in-progress",),
        "blocked": ("blocked",),
        "review": ("in-progress", "review"),
        "done": ("in-progress", "done"),
        "dropped": ("dropped",),
    }
    add(room, "One")
    move(room, "TP-1", *ways[before])
    if after == before or after in TRANSITIONS[before]:
        move(room, "TP-1", after)
        assert room.get("TP-1").status == after
    else:
        with pytest.raises(InvalidArguments, match="cannot go from"):
            move(room, "TP-1", after)
        assert room.get("TP-1").status == before


@pytest.mark.parametrize(("way", "status"), [((), "blocked"), (("in-progress", "done"), "in-progress")])
def test_blocking_and_reopening_need_a_reason(room: Tasks, way: tuple[str, ...], status: str):
    add(room, "One")
    move(room, "TP-1", *way)
    with pytest.raises(InvalidArguments, match="needs a reason"):
        room.update("TP-1", Change(set={"status": status}), ADA)
    room.update("TP-1", Change(set={"status": status}, reason="The door is locked"), ADA)
    assert events_of(room, task="TP-1")[-1].reason == "The door is locked"


@pytest.mark.parametrize("spelled", ["Done", "DONE", " done ", "In-Progress", "in_progress", "In Progress"])
def test_states_are_understood_in_any_spelling(spelled: str):
    assert TypeAdapter(AnyStatus).validate_python(spelled) in ("done", "in-progress")


def test_a_task_waits_for_what_it_needs_and_for_what_its_ancestors_need(room: Tasks):
    add(room, "Need", "Parent", "Other")
    room.create([Draft("Child", parent="TP-2"), Draft("Grandchild", parent="TP-2")], ADA)
    needs(room, "TP-2", "TP-1")
    assert [room.get(f"TP-{n}").waits for n in range(1, 6)] == [0, 1, 0, 1, 1]
    assert room.get("TP-1").unblocks == 1
    assert [task.id for task in room.find(Query(ready=True)).tasks] == ["TP-1", "TP-3"]
    assert [task.id for task in room.find(Query(blocked=True)).tasks] == ["TP-2", "TP-4", "TP-5"]
    move(room, "TP-1", "in-progress")
    done = room.update("TP-1", Change(set={"status": "done"}), ADA)
    assert done.unblocked == ("TP-2", "TP-4", "TP-5")
    assert [room.get(f"TP-{n}").waits for n in range(1, 6)] == [0, 0, 0, 0, 0]
    move(room, "TP-1", "in-progress")
    assert [room.get(f"TP-{n}").waits for n in range(1, 6)] == [0, 1, 0, 1, 1]


def test_what_was_dropped_is_not_waited_for(room: Tasks):
    add(room, "Need", "Task")
    needs(room, "TP-2", "TP-1")
    move(room, "TP-1", "dropped")
    assert room.get("TP-2").is_ready(room.now())


def test_only_blocking_dependencies_are_waited_for(room: Tasks):
    add(room, "One", "Two")
    room.update("TP-2", Change(add={"depends_on": [("TP-1", "related"), ("TP-1", "discovered_from")]}), ADA)
    assert room.get("TP-2").waits == 0


def test_ready_tasks_come_by_priority_then_by_how_many_they_free_then_by_age(room: Tasks):
    room.create(
        [Draft("Low", priority="low"), Draft("Plain"), Draft("Frees two"), Draft("High", priority="high")],
        ADA,
    )
    room.create(
        [Draft("A", depends_on=[("TP-3", "blocks")]), Draft("B", depends_on=[("TP-3", "blocks")])], ADA
    )
    ready = room.find(Query(ready=True, sort="ready")).tasks
    assert [task.title for task in ready] == ["High", "Frees two", "Plain", "Low"]
    room.update("TP-2", Change(set={"rank": -1.0}), ADA)
    taken = [claim_next(room, ADA) for _ in range(5)]
    assert [claim and claim.task.title for claim in taken] == ["High", "Frees two", "Plain", "Low", None]


@pytest.mark.parametrize("length", [2, 3, 6])
@pytest.mark.requirement("tasks-43")
def test_a_circle_of_dependencies_is_refused_and_named(room: Tasks, length: int):
    add(room, *(f"Task {n}" for n in range(1, length + 1)))
    for number in range(1, length):
        needs(room, f"TP-{number}", f"TP-{number + 1}")
    with pytest.raises(DependencyCycle) as refused:
        needs(room, f"TP-{length}", "TP-1")
    way = [f"TP-{length}", *(f"TP-{n}" for n in range(1, length + 1))]
    assert " → ".join(way) in refused.value.message
    assert refused.value.data["cycle"] == way
    assert room.get(f"TP-{length}").waits == 0
    assert room.get(f"TP-{length}").version == 1


def test_a_circle_through_a_parent_is_refused(room: Tasks):
    add(room, "Parent")
    room.create([Draft("Child", parent="TP-1")], ADA)
    with pytest.raises(DependencyCycle, match="TP-1 → TP-2 → TP-1"):
        needs(room, "TP-1", "TP-2")
    with pytest.raises(DependencyCycle):
        room.update("TP-1", Change(set={"parent": "TP-2"}), ADA)
    with pytest.raises(InvalidArguments, match="itself"):
        needs(room, "TP-1", "TP-1")


def test_a_batch_may_depend_on_itself_and_is_added_whole_or_not_at_all(room: Tasks):
    drafts = [
        Draft("B", ref="b", depends_on=[("#a", "blocks")]),
        Draft("A", ref="a"),
        Draft("C", parent="#b"),
    ]
    tasks = [task for task, _ in room.create(drafts, ADA)]
    assert [task.waits for task in tasks] == [1, 0, 1]
    with pytest.raises(DependencyCycle):
        room.create(
            [
                Draft("X", ref="x", depends_on=[("#y", "blocks")]),
                Draft("Y", ref="y", depends_on=[("#x", "blocks")]),
            ],
            ADA,
        )
    with pytest.raises(InvalidArguments, match="#z"):
        room.create([Draft("X"), Draft("Y", depends_on=[("#z", "blocks")])], ADA)
    assert room.find(Query()).total == 3
    assert add(room, "Next")[0].id == "TP-4"


def test_a_retry_with_the_same_key_adds_nothing(room: Tasks):
    [(first, is_new)] = room.create([Draft("One", client_key="k")], ADA)
    [(again, is_new_again), (other, _)] = room.create([Draft("One", client_key="k"), Draft("Two")], BOB)
    assert (is_new, is_new_again) == (True, False)
    assert again.uid == first.uid
    assert other.id == "TP-2"


def test_a_repeated_draft_can_be_named_by_the_others_of_its_batch(room: Tasks):
    [(first, _)] = room.create([Draft("One", ref="one", client_key="k")], ADA)
    batch = [
        Draft("One", ref="one", client_key="k"),
        Draft("Two", depends_on=[("#one", "blocks")]),
        Draft("Three", parent="#one"),
    ]
    [(again, is_new), (second, _), (third, _)] = room.create(batch, ADA)
    assert (again.uid, is_new) == (first.uid, False)
    assert (second.waits, third.parent) == (1, first.uid)
    assert room.get(first.id).unblocks == 1


def test_a_client_key_that_a_batch_repeats_creates_one_task(room: Tasks):
    batch = [Draft("One", client_key="k"), Draft("Two", client_key="k"), Draft("Three", client_key="j")]
    created = room.create(batch, ADA)
    assert [(task.id, is_new) for task, is_new in created] == [
        ("TP-1", True),
        ("TP-1", False),
        ("TP-2", True),
    ]


def test_a_change_raises_the_version_and_one_that_changes_nothing_does_not(room: Tasks):
    add(room, "One")
    changed = room.update("TP-1", Change(set={"title": "Uno", "priority": "high"}), ADA)
    assert changed.task.version == 2
    assert changed.changed == {"title": ("One", "Uno"), "priority": ("medium", "high")}
    again = room.update("TP-1", Change(set={"title": "Uno"}, add={"labels": []}), ADA)
    assert (again.task.version, again.changed) == (2, {})
    assert len(events_of(room)) == 2


def test_a_change_of_another_version_than_was_seen_is_refused(room: Tasks):
    add(room, "One")
    room.update("TP-1", Change(set={"title": "Uno"}), ADA, if_version=1)
    with pytest.raises(OutOfDate) as refused:
        room.update("TP-1", Change(set={"title": "Eins"}), BOB, if_version=1)
    assert refused.value.data == {"expected": 1, "version": 2}
    assert room.get("TP-1").title == "Uno"


def test_lists_are_added_to_and_taken_from(room: Tasks):
    add(room, "One", "Two")
    room.update(
        "TP-1",
        Change(
            add={
                "labels": ["a", "b", "a"],
                "files": [File("src/a.py", line_start=1, line_end=2)],
                "links": [TaskLink("url", "x", "https://example.org")],
                "criteria": ["First", "Second"],
                "depends_on": [("TP-2", "related")],
            }
        ),
        ADA,
    )
    room.update(
        "TP-1",
        Change(
            add={"labels": ["c"], "files": [File("src/a.py")]},
            remove={"labels": ["a", "zzz"], "links": ["x"], "criteria": ["First"], "depends_on": ["TP-2"]},
            check=["1"],
        ),
        ADA,
    )
    after = events_of(room, task="TP-1")[-1].after
    assert after == {
        "labels": ["b", "c"],
        "files": [["src/a.py", "", None, None]],
        "links": [],
        "criteria": [{"checked": True, "text": "Second"}],
        "depends_on": [],
    }
    with pytest.raises(InvalidArguments, match="criterion"):
        room.update("TP-1", Change(check=["Third"]), ADA)


def test_pages_hold_every_task_once_in_every_order(room: Tasks, clock: TurnedClock):
    for number in range(23):
        clock.turn(seconds=1)
        add(room, f"Task {number % 7}", priority=("high", "medium", "low")[number % 3])
    for sort in ("priority", "number", "updated", "ready"):
        seen, cursor = [], None
        while True:
            page = room.find(Query(sort=sort, limit=5, cursor=cursor))  # type: ignore[arg-type]
            assert page.total == 23
            seen += page.tasks
            if (cursor := page.next_cursor) is None:
                break
        assert len({task.n for task in seen}) == len(seen) == 23
    with pytest.raises(InvalidCursor):
        room.find(Query(sort="number", cursor=room.find(Query(sort="updated", limit=1)).next_cursor))


def test_tasks_are_found_by_state_label_file_words_parent_and_milestone(room: Tasks):
    room.create(
        [
            Draft("Größe 100%", labels=["ui"], files=[File("a.py")], milestone="v1"),
            Draft("Other", description="with a_b inside", parent="TP-1"),
            Draft("axb"),
            Draft("ÄUSSERSTES", milestone="v2"),
        ],
        ADA,
    )
    move(room, "TP-3", "in-progress")

    def found(**wanted: object) -> list[str]:
        return [task.id for task in room.find(Query(**wanted)).tasks]  # type: ignore[arg-type]

    assert found(status=["in-progress"]) == ["TP-3"]
    assert found(label="ui") == found(file="a.py") == found(milestone="v1") == ["TP-1"]
    assert found(text="100%") == ["TP-1"]
    assert found(text="A_B") == ["TP-2"]
    assert found(text="größe") == ["TP-1"]
    assert found(text="ÄUSS") == ["TP-4"]
    assert found(text="ÄUSS", milestone="v1") == []
    assert found(parent=room.get("TP-1").uid) == ["TP-2"]
    assert found(text="nothing") == []


def test_text_of_every_kind_comes_back_as_it_was(room: Tasks):
    text = "Ünïcode 🌊 'quotes' \"double\" %s :name ? \\ \x1b[31m \u202e\nline"
    add(room, "One", description=text, notes=text, labels=[text])
    assert room.get("TP-1").description == room.get("TP-1").notes == text
    assert room.find(Query(label=text)).total == 1


def test_a_reopened_task_forgets_that_it_was_complete(room: Tasks):
    add(room, "One", criteria=["a", "b"])
    move(room, "TP-1", "in-progress")
    room.update("TP-1", Change(set={"status": "done"}, check=["1", "2"]), ADA)
    assert (room.get("TP-1").progress, room.get("TP-1").completed_at is None) == (100, False)
    room.update("TP-1", Change(set={"status": "in-progress"}, add={"criteria": ["c"]}, reason="More"), ADA)
    assert (room.get("TP-1").progress, room.get("TP-1").completed_at) == (66, None)


def test_events_are_numbered_in_order_and_read_from_any_of_them(room: Tasks, open_tasks: OpenTasks):
    add(room, "One", "Two")
    room.update("TP-1", Change(set={"title": "Uno"}), BOB)
    events = events_of(open_tasks())
    assert [event.type for event in events] == ["created", "created", "updated"]
    assert [event.seq for event in events] == sorted({event.seq for event in events})
    assert events_of(room, after=events[0].seq, limit=1) == events[1:2]
    assert [event.version for event in events_of(room, task="TP-1")] == [1, 2]
    assert events[2].actor == "bob"
    assert (events[2].before, events[2].after) == ({"title": "One"}, {"title": "Uno"})


def test_another_process_sees_that_something_changed(room: Tasks, open_tasks: OpenTasks):
    other = open_tasks()
    before = other.fingerprint()
    assert other.fingerprint() == before
    add(room, "One")
    deadline = time.monotonic() + 10
    while other.fingerprint() == before:  # PostgreSQL tells of a change a moment after it is stored
        assert time.monotonic() < deadline
