"""Noticing changes made by anybody, with one thread that runs only while somebody listens."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.kernel.errors import InvalidArguments, Unavailable
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.watching.watcher import Watcher
from tests.storage.git_support import commit, git
from tests.storage.watching.probes import database_probe, file_probe, ref_probe

SOON = 30.0
ROUNDS = 5


class Counter:
    """A listener that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1

    def reaches(self, calls: int) -> bool:
        return eventually(lambda: self.calls >= calls)


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


@pytest.fixture
def watcher():
    watcher = Watcher(interval=0.01)
    yield watcher
    watcher.close()


@pytest.fixture
def value() -> dict[str, object]:
    return {"now": 1}


@pytest.fixture
def counter(watcher, value) -> Counter:
    watcher.watch("value", lambda: value["now"])
    counter = Counter()
    watcher.subscribe("value", counter)
    return counter


def look_around(watcher: Watcher) -> None:
    """Wait until the watcher has looked at everything that somebody listens to, several times."""
    looks = Counter()
    topic = f"round of {threading.get_ident()} {id(looks)}"
    watcher.watch(topic, looks)
    unsubscribe = watcher.subscribe(topic, Counter())
    assert looks.reaches(ROUNDS)
    unsubscribe()


def test_a_change_is_noticed_once(watcher, value, counter):
    look_around(watcher)
    assert counter.calls == 0
    value["now"] = 2
    assert counter.reaches(1)
    look_around(watcher)
    assert counter.calls == 1


def test_a_change_right_after_subscribing_is_not_missed(watcher, value):
    watcher.watch("value", lambda: value["now"])
    for round_number in range(20):
        counter = Counter()
        unsubscribe = watcher.subscribe("value", counter)
        value["now"] = f"round {round_number}"
        assert counter.reaches(1)
        unsubscribe()


def test_the_thread_runs_only_while_somebody_listens(watcher):
    looks = Counter()
    watcher.watch("topic", looks)
    assert not watcher.running
    assert looks.calls == 0
    first, second = watcher.subscribe("topic", Counter()), watcher.subscribe("topic", Counter())
    assert watcher.running
    assert looks.reaches(3)
    first()
    assert watcher.running
    second()
    second()
    assert not watcher.running
    assert eventually(lambda: "holdfast-watcher" not in {thread.name for thread in threading.enumerate()})
    before = looks.calls
    watcher.subscribe("topic", Counter())
    assert looks.reaches(before + 3)


def test_only_topics_that_somebody_listens_to_are_looked_at(watcher, counter):
    looks = Counter()
    watcher.watch("unheard", looks)
    look_around(watcher)
    assert looks.calls == 0


def test_an_unsubscribed_listener_is_not_called_again(watcher, value, counter):
    other = Counter()
    watcher.subscribe("value", other)()
    value["now"] = 2
    assert counter.reaches(1)
    assert other.calls == 0


def test_a_listener_may_unsubscribe_itself_and_close_the_watcher(watcher, value):
    watcher.watch("value", lambda: value["now"])
    calls = []

    def once() -> None:
        calls.append(1)
        unsubscribe()
        watcher.close()

    unsubscribe = watcher.subscribe("value", once)
    value["now"] = 2
    assert eventually(lambda: not watcher.running)
    assert calls == [1]


def test_a_probe_that_raises_is_reported_once_and_stops_nothing(watcher, value, counter, caplog):
    trouble = {"raise": True}

    def probe() -> int:
        if trouble["raise"]:
            raise Unavailable("The store is away.")
        return 1

    looks = Counter()
    watcher.watch("troubled", lambda: (looks(), probe()))
    watcher.subscribe("troubled", Counter())
    with caplog.at_level(logging.WARNING, "holdfast.storage.watching.watcher"):
        assert looks.reaches(looks.calls + 5)
        value["now"] = 2
        assert counter.reaches(1)
        trouble["raise"] = False
        assert looks.reaches(looks.calls + 3)
        trouble["raise"] = True
        assert looks.reaches(looks.calls + 3)
    said = [record.getMessage() for record in caplog.records]
    assert said == ["watching troubled: unavailable"] * 2  # when it began, and when it began again


def test_a_listener_that_raises_does_not_silence_the_others(watcher, value, caplog):
    watcher.watch("value", lambda: value["now"])

    def broken() -> None:
        raise ValueError("stored text that must not be logged")

    counter = Counter()
    watcher.subscribe("value", broken)
    watcher.subscribe("value", counter)
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

    watcher.watch("topic", probe)
    counter = Counter()
    watcher.subscribe("topic", counter)
    state["raise"] = True
    look_around(watcher)
    state.update({"now": 2, "raise": False})
    assert counter.reaches(1)


def test_topics_are_known_by_one_name_each(watcher):
    watcher.watch("topic", int)
    with pytest.raises(InvalidArguments, match="'topic'"):
        watcher.watch("topic", int)
    with pytest.raises(InvalidArguments, match="'other'"):
        watcher.subscribe("other", Counter())


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
        watcher.watch("store", database_probe(database))
        counter = Counter()
        watcher.subscribe("store", counter)
        elsewhere(ADD, tmp_path / "store")
        assert counter.reaches(1)
        with database.write() as connection:
            connection.execute("INSERT INTO item VALUES ('ours')")
        assert counter.reaches(2)
        with database.read() as connection:
            connection.execute("SELECT * FROM item").fetchall()
        look_around(watcher)
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
    watcher.watch("file", file_probe(tmp_path / "file"))
    counter = Counter()
    watcher.subscribe("file", counter)
    change(tmp_path / "file")
    assert counter.reaches(1)


def test_a_file_that_appears_is_noticed(watcher, tmp_path):
    watcher.watch("file", file_probe(tmp_path / "later" / "file"))
    counter = Counter()
    watcher.subscribe("file", counter)
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "file").touch()
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
