"""What is remembered of all tasks, on both engines: always what a fresh look would find."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.tasks.store import census
from holdfast.tasks.store.creation import create
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import Change, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from tests.tasks.conftest import ADA, OpenTasks, add


def known(room: Tasks) -> tuple[int, list[tuple[int, str]]]:
    with room.reading() as transaction:
        return census.task_count(transaction), list(census.open_titles(transaction).items())


def test_what_is_remembered_follows_what_others_add_rename_finish_and_open_again(
    room: Tasks, open_tasks: OpenTasks
):
    other = open_tasks()
    assert known(room) == (0, [])
    add(other, "Mend the roof", "Paint the Door")
    assert known(room) == (2, [(2, "door paint the"), (1, "mend roof the")])
    other.update("TP-1", Change(set={"title": "Mend it"}), ADA)
    other.update("TP-2", Change(set={"status": "dropped"}), ADA)
    add(other, "Third")
    assert known(room) == (3, [(3, "third"), (1, "it mend")]) == known(open_tasks())
    other.update("TP-2", Change(set={"status": "backlog"}), ADA)
    assert known(room) == (3, [(3, "third"), (2, "door paint the"), (1, "it mend")]) == known(open_tasks())


def test_what_was_undone_is_not_remembered(room: Tasks):
    add(room, "One")
    assert known(room)[0] == 1
    with room.writing(ADA) as transaction:
        create(transaction, [Draft("Undone")])
        transaction.discard()
    assert known(room) == (1, [(1, "one")])
    add(room, "Two")
    assert known(room) == (2, [(2, "two"), (1, "one")])


def test_after_very_many_events_everything_is_looked_up_again(
    room: Tasks, open_tasks: OpenTasks, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(census, "MAX_EVENTS_APPLIED", 3)
    add(room, "One")
    assert known(room)[0] == 1
    add(open_tasks(), "Two", "Three", "Four", "Five")
    assert known(room) == known(open_tasks())
    assert known(room)[0] == 5


def test_only_the_newest_open_titles_are_remembered_and_older_ones_come_up_again(
    room: Tasks, open_tasks: OpenTasks, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(census, "MAX_CACHED_TITLES", 2)
    add(room, "One", "Two", "Three")
    assert known(room)[1] == [(3, "three"), (2, "two")]
    room.update("TP-1", Change(set={"title": "First"}), ADA)
    add(room, "Four")
    assert known(room)[1] == [(4, "four"), (3, "three")] == known(open_tasks())[1]
    room.update("TP-4", Change(set={"status": "dropped"}), ADA)
    room.update("TP-3", Change(set={"status": "dropped"}), ADA)
    assert known(room)[1] == [(2, "two"), (1, "first")] == known(open_tasks())[1]


def test_another_store_in_the_place_of_the_first_is_looked_at_afresh(tmp_path: Path, repository: Path):
    store = Path(Repository.at(repository).store_directory)
    with closing(Tasks(Repository.at(repository))) as room:
        ensure_workspace(room, "Kelp", [], "criteria")
        add(room, "One", "Two")
    shutil.copytree(store, tmp_path / "kept")
    with closing(Tasks(Repository.at(repository))) as room:
        add(room, "Three")
        assert known(room) == (3, [(3, "three"), (2, "two"), (1, "one")])
        memory = room.cache
    shutil.rmtree(store)
    shutil.copytree(tmp_path / "kept", store)
    with closing(Tasks(Repository.at(repository))) as room:
        room.cache = memory
        assert known(room) == (2, [(2, "two"), (1, "one")])
        add(room, "Another third", "And a fourth")
        room.cache = memory
        assert known(room)[0] == 4


def test_the_total_of_a_list_is_that_of_the_moment(room: Tasks, open_tasks: OpenTasks):
    other = open_tasks()
    add(room, *(f"Task {number}" for number in range(5)))
    assert room.find(Query(limit=2)).total == 5
    add(other, "Sixth")
    page = room.find(Query(limit=2))
    assert page.total == 6
    assert room.find(Query(limit=2, cursor=page.next_cursor)).total == 6
    assert room.find(Query(limit=2, status=("done",))).total == 0
