"""Out of one database and into another: ids and history are kept, and nothing is lost on the way."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from holdfast.kernel.errors import Conflict, Invalid
from holdfast.storage.git.repository import Repository
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.imports.archive import export_lines, parse_export
from holdfast.tasks.imports.restoration import RestoreResult, restore_export
from holdfast.tasks.store.history import record, state_of
from holdfast.tasks.store.records import Change, Draft, File, TaskLink
from holdfast.tasks.store.rows import task_by_uid
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace, join, write_marker
from holdfast.tasks.tools.export import ExportTasks, RestoreTasks, export, restore
from tests.tasks.claims import claim
from tests.tasks.conftest import ADA, BOB, TurnedClock, add
from tests.tasks.happenings import events_of, replayed
from tests.tasks.postgres import Server


def exported(room: Tasks) -> list[str]:
    with room.reading() as connection:
        return list(export_lines(connection, room.workspace_in(connection)))


def taken_in(room: Tasks, lines: list[str]) -> RestoreResult:
    now = room.clock().timestamp()
    with room.store.write() as connection:
        return restore_export(
            room.store, connection, room.find_workspace(connection), parse_export(lines), now
        )


def filled(room: Tasks, clock: TurnedClock) -> None:
    drafts = [
        Draft(
            "One", "Größe 🌊", labels=["a"], criteria=["x"], files=[File("a.py", "", 1, 2)], client_key="k"
        ),
        Draft("Two", parent="TP-1", links=[TaskLink("url", "r", "https://example.org", "T")]),
        Draft("Three", depends_on=[("TP-2", "blocks"), ("TP-1", "related")]),
    ]
    for draft in drafts:
        clock.turn(seconds=1)
        room.create([draft], ADA)
    room.update("TP-1", Change(set={"title": "Uno"}, check=["1"], reason="Better"), BOB)
    claim(room, "TP-2", BOB)
    with room.writing(ADA) as transaction:
        record(transaction, None, "document-written", after={"document": "project.md"})


def clone_of(repository: Path, folder: Path, clock: TurnedClock) -> Tasks:
    """A clone with the marker of its origin, as git would bring it, and a database of its own."""
    subprocess.run(["git", "clone", "--quiet", str(repository), str(folder)], check=True, capture_output=True)
    marker = Tasks(Repository.at(repository)).workspace()
    write_marker(Repository.at(folder), marker.id)
    return Tasks(Repository.at(folder), clock=clock)


def histories(room: Tasks) -> list[tuple[object, ...]]:
    return [
        (e.at, e.actor, e.task, e.version, e.type, e.before, e.after, e.reason)
        for e in events_of(room, limit=1000)
    ]


def test_an_export_is_the_same_text_every_time_and_holds_no_token(room: Tasks, clock: TurnedClock):
    filled(room, clock)
    lines = exported(room)
    assert exported(room) == lines
    token = room.get("TP-2").claim_token
    assert token is not None
    assert token not in "".join(lines)


@pytest.mark.postgres
@pytest.mark.parametrize("upwards", [True, False], ids=["to postgresql", "to sqlite"])
@pytest.mark.requirement("tasks-41")
def test_a_workspace_moves_between_the_engines_with_ids_and_history(
    repository: Path, tmp_path: Path, postgres_server: Server, clock: TurnedClock, upwards: bool
):
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    databases = [None, postgres_server.new_database()]
    source = Tasks(Repository.at(repository), database=databases[not upwards], clock=clock)
    target = Tasks(Repository.at(other), database=databases[upwards], clock=clock)
    ensure_workspace(source, "Kelp", ["python"], "evidence")
    filled(source, clock)
    report = taken_in(target, exported(source))
    assert (report.added, report.conflicts, report.renumbered) == (3, [], {})
    write_marker(target.repository, source.workspace().id)
    join(target.repository, source.workspace().id)
    assert exported(target) == exported(source)
    assert histories(target) == histories(source)
    assert target.workspace().gate == "evidence"
    assert [target.get(f"TP-{n}").waits for n in (1, 2, 3)] == [0, 0, 1]
    with target.reading() as connection:
        for uid, state in replayed(events_of(target, limit=1000)).items():
            assert state_of(connection, task_by_uid(connection, uid)) == state
    assert add(target, "Four")[0].id == "TP-4"
    assert target.create([Draft("Again", client_key="k")], ADA)[0][1] is False
    source.close()
    target.close()


def test_taking_the_same_in_again_changes_nothing(room: Tasks, clock: TurnedClock):
    filled(room, clock)
    before = exported(room)
    report = taken_in(room, before)
    assert (report.added, report.advanced, report.unchanged) == (0, 0, 3)
    assert exported(room) == before


@pytest.mark.requirement("tasks-40")
def test_clones_take_in_what_the_other_did_and_keep_both_numbers(
    repository: Path, tmp_path: Path, clock: TurnedClock
):
    first = Tasks(Repository.at(repository), clock=clock)
    ensure_workspace(first, "Kelp", [], "criteria")
    add(first, "Shared")
    second = clone_of(repository, tmp_path / "clone", clock)
    taken_in(second, exported(first))
    add(first, "Mine")
    [theirs] = add(second, "Theirs")
    second.update("TP-1", Change(set={"title": "Shared, changed there"}), BOB)
    report = taken_in(first, exported(second))
    assert (report.added, report.advanced, report.conflicts) == (1, 1, [])
    assert report.renumbered == {"TP-2": "TP-3"}
    assert first.get("TP-1").title == "Shared, changed there"
    assert first.get("TP-2").title == "Mine"
    assert first.get("TP-3").uid == theirs.uid
    again = taken_in(first, exported(second))
    assert (again.added, again.advanced, again.unchanged) == (0, 0, 2)
    assert add(first, "Next")[0].id == "TP-4"


def test_a_task_that_went_two_ways_is_left_alone_and_named(
    repository: Path, tmp_path: Path, clock: TurnedClock
):
    first = Tasks(Repository.at(repository), clock=clock)
    ensure_workspace(first, "Kelp", [], "criteria")
    add(first, "Shared")
    second = clone_of(repository, tmp_path / "clone", clock)
    taken_in(second, exported(first))
    first.update("TP-1", Change(set={"title": "Mine"}), ADA)
    second.update("TP-1", Change(set={"title": "Theirs"}), BOB)
    report = taken_in(first, exported(second))
    assert (report.added, report.advanced, report.conflicts) == (0, 0, ["TP-1"])
    assert first.get("TP-1").title == "Mine"


def test_clones_whose_dependencies_make_a_circle_together_are_refused_whole(
    repository: Path, tmp_path: Path, clock: TurnedClock
):
    first = Tasks(Repository.at(repository), clock=clock)
    ensure_workspace(first, "Kelp", [], "criteria")
    add(first, "One", "Two")
    second = clone_of(repository, tmp_path / "clone", clock)
    taken_in(second, exported(first))
    first.update("TP-1", Change(add={"depends_on": [("TP-2", "blocks")]}), ADA)
    second.update("TP-2", Change(add={"depends_on": [("TP-1", "blocks")]}), BOB)
    before = exported(first)
    with pytest.raises(DependencyCycle):
        taken_in(first, exported(second))
    assert exported(first) == before


def test_what_is_no_export_or_of_another_workspace_is_refused_and_nothing_happens(
    room: Tasks, clock: TurnedClock
):
    filled(room, clock)
    lines = exported(room)
    head = json.loads(lines[0])
    other = json.dumps({**head, "workspace": {**head["workspace"], "id": "other-123456"}})
    broken = [
        [],
        ["[]"],
        ["{}"],
        ["nonsense"],
        [lines[0], "nonsense"],
        [lines[0], '{"neither": 1}'],
        [json.dumps({**head, "format": 2})],
        [line for line in lines if '"event"' not in line],
        [line.replace('"uid"', '"iud"') for line in lines],
    ]
    for text in broken:
        with pytest.raises(Invalid):
            taken_in(room, text)
    with pytest.raises(Conflict):
        taken_in(room, [other, *lines[1:]])
    assert exported(room) == lines


def test_texts_with_odd_ends_of_lines_come_back_from_a_file(
    room: Tasks, repository: Path, tmp_path: Path, clock: TurnedClock
):
    odd = "one\u2028two\u2029three\x85four\x0bfive\x0csix\x1eseven\r\neight"
    room.create([Draft("Odd", odd, notes=odd)], ADA)
    export(room, ExportTasks(file="tasks.jsonl"))
    subprocess.run(
        ["git", "clone", "-q", str(repository), str(tmp_path / "c")], check=True, capture_output=True
    )
    write_marker(Repository.at(tmp_path / "c"), room.workspace().id)
    (tmp_path / "c" / "tasks.jsonl").write_bytes((repository / "tasks.jsonl").read_bytes())
    elsewhere = Tasks(Repository.at(tmp_path / "c"), clock=clock)
    assert restore(elsewhere, RestoreTasks(file="tasks.jsonl")).added == 1
    assert (elsewhere.get("TP-1").description, elsewhere.get("TP-1").notes) == (odd, odd)
    elsewhere.close()


def test_a_task_that_somebody_holds_here_is_left_alone_until_then(
    repository: Path, tmp_path: Path, clock: TurnedClock
):
    first = Tasks(Repository.at(repository), clock=clock)
    ensure_workspace(first, "Kelp", [], "criteria")
    add(first, "Shared")
    claim(first, "TP-1", ADA)
    second = clone_of(repository, tmp_path / "clone", clock)
    taken_in(second, exported(first))
    second.update("TP-1", Change(set={"title": "Changed there"}), ADA)

    report = taken_in(first, exported(second))

    assert (report.advanced, report.conflicts, report.held) == (0, [], ["TP-1"])
    assert first.get("TP-1").title == "Shared"
    clock.turn(days=2)
    assert taken_in(first, exported(second)).advanced == 1
    assert first.get("TP-1").title == "Changed there"
