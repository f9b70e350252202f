"""Notices changes of any process; threads run only while somebody listens."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import InvalidArguments, Unavailable
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.watching import directory_watch, own_writes
from holdfast.storage.watching import watcher as watcher_module
from holdfast.storage.watching.topic_source import TopicSource, file_place
from holdfast.storage.watching.watcher import Watcher
from tests.storage.git_support import commit, git
from tests.storage.watching.probes import database_probe, file_probe, ref_probe
from tests.storage.watching.waiting import Counter

ROUNDS = 5
NEVER = 1e6


@pytest.fixture
def watcher() -> Iterator[Watcher]:
    watcher = Watcher(poll_seconds=0.01)
    yield watcher
    watcher.close()


@pytest.fixture
def value() -> dict[str, object]:
    return {"now": 1}


def polled(probe: Callable[[], object]) -> TopicSource:
    return TopicSource(probe, is_polled=True)


@pytest.fixture
def counter(watcher: Watcher, value: dict[str, object]) -> Counter:
    counter = Counter()
    watcher.subscribe("value", counter, polled(lambda: value["now"]))
    return counter


def check_all(watcher: Watcher) -> None:
    """Wait until the watcher has checked every topic several times."""
    checks = Counter()
    unsubscribe = watcher.subscribe(f"round {id(checks)}", Counter(), polled(checks))
    for _ in range(ROUNDS):
        before = checks.calls
        watcher.notify(None)
        assert checks.reaches(before + 1)
    unsubscribe()


def watching_threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name.startswith("holdfast-")]


def test_a_change_is_noticed_once(watcher, value, counter):
    check_all(watcher)
    assert counter.calls == 0
    value["now"] = 2
    assert counter.reaches(1)
    check_all(watcher)
    assert counter.calls == 1


def test_a_change_right_after_subscribing_is_not_missed(watcher, value):
    for round_number in range(20):
        counter = Counter()
        unsubscribe = watcher.subscribe("value", counter, polled(lambda: value["now"]))
        value["now"] = f"round {round_number}"
        assert counter.reaches(1)
        unsubscribe()


def test_threads_run_only_while_somebody_listens(watcher, tmp_path):
    before = watching_threads()
    source = TopicSource(int, (file_place(str(tmp_path / "file")),))
    assert not watcher.running
    first, second = (
        watcher.subscribe("topic", Counter(), source),
        watcher.subscribe("topic", Counter(), source),
    )
    started = [one for one in watching_threads() if one not in before]
    assert {one.name for one in started} == {"holdfast-watcher", "holdfast-inotify"}
    first()
    assert watcher.running
    second()
    second()
    assert not watcher.running
    for one in started:
        one.join(120)
        assert not one.is_alive()
    checks = Counter()
    watcher.subscribe("topic", Counter(), polled(checks))
    assert checks.reaches(3)


def test_an_unsubscribed_listener_is_not_called_again(watcher, value, counter):
    other = Counter()
    watcher.subscribe("value", other, polled(lambda: value["now"]))()
    value["now"] = 2
    assert counter.reaches(1)
    assert other.calls == 0


def test_a_listener_may_unsubscribe_itself_and_close_the_watcher(watcher, value):
    ended = Counter()

    def once() -> None:
        unsubscribe()
        watcher.close()
        ended()

    unsubscribe = watcher.subscribe("value", once, polled(lambda: value["now"]))
    value["now"] = 2
    assert ended.reaches(1)
    assert not watcher.running


def test_a_probe_that_raises_is_logged_once_and_stops_nothing(watcher, value, counter, caplog):
    trouble = {"raise": True}

    def probe() -> int:
        if trouble["raise"]:
            raise Unavailable("The store is away.")
        return 1

    checks = Counter()
    with caplog.at_level(logging.WARNING, "holdfast.storage.watching.topic"):
        watcher.subscribe("troubled", Counter(), polled(lambda: (checks(), probe())))
        assert checks.reaches(checks.calls + 5)
        value["now"] = 2
        assert counter.reaches(1)
        trouble["raise"] = False
        assert checks.reaches(checks.calls + 3)
        trouble["raise"] = True
        assert checks.reaches(checks.calls + 3)
    messages = [record.getMessage() for record in caplog.records]
    assert messages == ["watching troubled: unavailable"] * 2  # when it began, and when it began again


def test_a_listener_that_raises_does_not_silence_the_others(watcher, value, caplog):
    def broken() -> None:
        raise ValueError("stored text that must not be logged")

    counter = Counter()
    source = polled(lambda: value["now"])
    watcher.subscribe("value", broken, source)
    watcher.subscribe("value", counter, source)
    for number in (2, 3):
        value["now"] = number
        assert counter.reaches(number - 1)
    assert [record.getMessage() for record in caplog.records] == ["watching value: ValueError"]


def test_what_changed_while_a_probe_failed_is_noticed_when_it_works_again(watcher):
    state: dict[str, object] = {"now": 1, "raise": False}

    def probe() -> object:
        if state["raise"]:
            raise OSError
        return state["now"]

    counter = Counter()
    watcher.subscribe("topic", counter, TopicSource(probe))
    state["raise"] = True
    check_all(watcher)
    state.update({"now": 2, "raise": False})
    assert counter.reaches(1)


def test_every_one_of_many_listeners_is_called_and_no_topic_disturbs_another(watcher, tmp_path):
    place = tmp_path / "mine"
    source = TopicSource(file_probe(place), (file_place(str(place)),))
    mine, others = [Counter() for _ in range(500)], [Counter() for _ in range(200)]
    for one in mine:
        watcher.subscribe("mine", one, source)
    for number, one in enumerate(others):
        other = tmp_path / f"other {number}"
        watcher.subscribe(other.name, one, TopicSource(file_probe(other), (file_place(str(other)),)))
    place.touch()
    assert all(one.reaches(1) for one in mine)
    check_all(watcher)
    assert not any(one.calls for one in others)
    (tmp_path / "other 7").touch()
    assert others[7].reaches(1)
    assert {one.calls for one in mine} == {1}


def test_a_write_of_this_process_is_noticed_without_events_and_without_polling(tmp_path):
    watcher = Watcher(poll_seconds=NEVER)
    store, place = tmp_path / "store", tmp_path / "file"
    stored, written = Counter(), Counter()
    with Database(store, application_id=7, migrations=MIGRATIONS) as database:
        database_source = TopicSource(database_probe(database), (file_place(str(store)),), is_polled=True)
        watcher.subscribe("store", stored, database_source)
        watcher.subscribe(
            "file", written, TopicSource(file_probe(place), (file_place(str(place)),), is_polled=True)
        )
        with database.write() as connection:
            connection.execute("INSERT INTO item VALUES ('ours')")
        assert stored.reaches(1)
        place.touch()
        own_writes.announce(str(place))
        assert written.reaches(1)
        assert stored.calls == 1
        watcher.close()


def test_a_transaction_that_becomes_visible_after_its_event_is_noticed(watcher, tmp_path):
    checks = Counter()
    place = tmp_path / "store-wal"
    place.touch()

    def probe() -> bool:
        checks()
        return checks.calls > 5  # as if the writer were still waiting for its disk

    counter = Counter()
    watcher.subscribe(
        "store", counter, TopicSource(probe, (file_place(str(tmp_path / "store"), is_database=True),))
    )
    place.write_bytes(b"a frame")
    assert counter.reaches(1)


def test_a_change_that_time_alone_makes_is_noticed(watcher):
    ends = monotonic() + 0.05
    counter = Counter()
    source = TopicSource(
        lambda: monotonic() >= ends, seconds_left=lambda: ends - monotonic() if monotonic() < ends else None
    )
    watcher.subscribe("leases", counter, source)
    assert counter.reaches(1)


@pytest.mark.parametrize("cause", ["network", "limit", "system"])
def test_where_the_system_reports_nothing_topics_are_polled_and_that_is_logged_once(
    watcher, tmp_path, monkeypatch, caplog, cause
):
    if cause == "network":
        monkeypatch.setattr(watcher_module, "is_network_filesystem", lambda _path: True)
    elif cause == "limit":
        monkeypatch.setattr(directory_watch, "MAX_WATCHED_DIRECTORIES", 0)
    else:
        monkeypatch.setattr(sys, "platform", "sunos5")
    counters = {name: Counter() for name in ("one", "two")}
    with caplog.at_level(logging.WARNING, "holdfast.storage.watching.watcher"):
        for name, counter in counters.items():
            place = tmp_path / name
            watcher.subscribe(name, counter, TopicSource(file_probe(place), (file_place(str(place)),)))
            place.touch()
            assert counter.reaches(1)
    (record,) = caplog.records
    assert record.getMessage().startswith("polling every 0.01 s for changes: ")


def elsewhere(code: str, *arguments: object) -> None:
    """Run Python code in a process of its own."""
    subprocess.run([sys.executable, "-c", f"import sys\n{code}", *map(str, arguments)], check=True)


MIGRATIONS = ("CREATE TABLE item (text TEXT) STRICT;",)
ADD = (
    "from holdfast.storage.sql.sqlite import Database\n"
    f"with Database(sys.argv[1], application_id=7, migrations={MIGRATIONS!r}) as database:\n"
    "    with database.write() as connection:\n"
    "        connection.execute('INSERT INTO item VALUES (1)')\n"
)


def test_a_database_change_of_another_process_is_noticed(watcher, tmp_path):
    with Database(tmp_path / "store", application_id=7, migrations=MIGRATIONS) as database:
        counter = Counter()
        place = file_place(str(tmp_path / "store"), is_database=True)
        watcher.subscribe("store", counter, TopicSource(database_probe(database), (place,)))
        elsewhere(ADD, tmp_path / "store")
        assert counter.reaches(1)
        with database.write() as connection:
            connection.execute("INSERT INTO item VALUES ('ours')")
        assert counter.reaches(2)
        with database.read() as connection:
            connection.execute("SELECT * FROM item").fetchall()
        check_all(watcher)
        assert counter.calls == 2
        watcher.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda path: atomic_write(path, b"new"),
        lambda path: path.write_bytes(b"longer than before"),
        Path.unlink,
        lambda path: elsewhere("open(sys.argv[1], 'a').write('x')", path),
        lambda path: os.replace(path.with_name("other"), path),
    ],
    ids=["atomic", "in place", "removed", "another process", "renamed over"],
)
def test_a_file_change_of_any_kind_is_noticed(watcher, tmp_path, change):
    for name in ("file", "other"):
        (tmp_path / name).write_bytes(b"old")
    counter = Counter()
    place = tmp_path / "file"
    watcher.subscribe("file", counter, TopicSource(file_probe(place), (file_place(str(place)),)))
    change(tmp_path / "file")
    assert counter.reaches(1)


def test_a_file_that_appears_is_noticed(watcher, tmp_path):
    counter = Counter()
    place = tmp_path / "later" / "file"
    watcher.subscribe("file", counter, TopicSource(file_probe(place), (file_place(str(place)),)))
    place.parent.mkdir()
    place.touch()
    assert counter.reaches(1)


def test_ref_changes_are_noticed_loose_packed_and_removed(repository):
    first = commit(repository, {"a": "1"})
    probe = ref_probe(Repository.at(repository), "refs/holdfast/log")
    seen = [probe()]
    for arguments in (
        ("update-ref", "refs/holdfast/log/a1", first),
        ("update-ref", "refs/holdfast/log/a1", commit(repository, {"a": "2"})),
        ("update-ref", "refs/holdfast/log/deeper/b2", first),
        ("pack-refs", "--all"),
        ("update-ref", "-d", "refs/holdfast/log/a1"),
        ("update-ref", "refs/holdfast/log/deeper/b2", "HEAD"),
    ):
        git(repository, *arguments)
        seen.append(probe())
        assert seen[-1] != seen[-2]
        assert probe() == seen[-1]
    git(repository, "update-ref", "refs/elsewhere/x", first)
    assert probe() == seen[-1]


def test_refs_of_a_linked_worktree_are_those_of_its_repository(repository, tmp_path):
    first = commit(repository, {"a": "1"})
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "second"))
    probe = ref_probe(Repository.at(tmp_path / "second"), "refs/holdfast")
    before = probe()
    git(repository, "update-ref", "refs/holdfast/x", first)
    assert probe() != before


def test_refs_kept_in_tables_are_noticed_by_the_list_of_tables(repository):
    tables = repository / ".git" / "reftable"
    tables.mkdir()
    (tables / "tables.list").write_text("one.ref\n")
    probe = ref_probe(Repository.at(repository), "refs/holdfast")
    before = probe()
    atomic_write(tables / "tables.list", b"one.ref\ntwo.ref\n")
    assert probe() != before


@pytest.mark.parametrize("prefix", ["", "heads", "refs/../x", "/etc", "-x"])
def test_only_refs_are_looked_at_as_refs(repository, tmp_path, prefix):
    with pytest.raises(InvalidArguments):
        ref_probe(Repository.at(repository), prefix)
    with pytest.raises(InvalidArguments):
        ref_probe(Repository.at(tmp_path), "refs/heads")


def test_looking_again_and_again_finds_nothing_new(repository, tmp_path):
    first = commit(repository, {"a": "1"})
    for number in range(20):
        git(repository, "update-ref", f"refs/holdfast/log/{number}", first)
    with Database(tmp_path / "store", application_id=7, migrations=MIGRATIONS) as database:
        probes = [database_probe(database), ref_probe(Repository.at(repository), "refs/holdfast")]
        seen = [probe() for probe in probes]
        assert all([probe() for probe in probes] == seen for _ in range(100))
