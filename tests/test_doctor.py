"""The doctor finds what is wrong, and mends only what cannot hurt."""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.doctor import CheckStores, Finding, StoreRoom, StoresChecked, check_stores
from holdfast.doctor import toolset as stores
from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import Busy, Corrupted, HoldfastError
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX
from holdfast.storage.git.repository import Repository

NOTHING_YET = "Nothing has been stored yet."


@dataclass(frozen=True)
class Said:
    is_damage: bool
    text: str


@dataclass(frozen=True)
class Room:
    says: tuple[Said, ...] = ()
    fails: HoldfastError | None = None

    def check(self) -> tuple[Said, ...]:
        if self.fails is not None:
            raise self.fails
        return self.says


def examine(place: Path, *, fix: bool = False, **rooms: Room) -> StoresChecked:
    return check_stores(StoreRoom(Repository.discover(place), lambda: rooms), CheckStores(fix=fix))


def told(result: StoresChecked) -> list[tuple[str, str | None, str]]:
    return [(finding.severity, finding.path, finding.message) for finding in result.findings]


def store_of(repository: Path) -> Path:
    return Path(Repository.discover(repository).ensure_store())


def make_old(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (time.time() - 60, time.time() - 60))
    return path


def test_a_repository_without_a_store_is_well(repository: Path) -> None:
    result = examine(repository)
    assert told(result) == [("info", ".git/holdfast", NOTHING_YET)]
    assert (result.damaged, result.fixed, result.exit_code) == (0, 0, 0)


def test_a_sound_room_is_said_to_be_sound(repository: Path) -> None:
    (store_of(repository) / "inbox.sqlite").touch()
    assert told(examine(repository, inbox=Room())) == [
        ("ok", ".git/holdfast/inbox.sqlite", "No problems found.")
    ]


def test_damage_is_counted_and_asks_for_a_status_of_its_own(repository: Path) -> None:
    store_of(repository)
    result = examine(repository, inbox=Room((Said(True, "It is torn."), Said(False, "It is full."))))
    assert told(result) == [
        ("damaged", ".git/holdfast/inbox.sqlite", "It is torn."),
        ("info", ".git/holdfast/inbox.sqlite", "It is full."),
    ]
    assert (result.damaged, result.exit_code) == (1, Corrupted.exit_code)


@pytest.mark.parametrize(("failure", "severity"), [(Busy, "warning"), (Corrupted, "damaged")])
def test_a_room_that_cannot_be_examined_does_not_stop_the_others(
    repository: Path, failure: type[HoldfastError], severity: str
) -> None:
    (store_of(repository) / "second.sqlite").touch()
    result = examine(repository, first=Room(fails=failure("Not now.", hint="Later.")), second=Room())
    assert [(finding.store, finding.severity, finding.path) for finding in result.findings] == [
        ("first", severity, ".git/holdfast/first.sqlite"),
        ("second", "ok", ".git/holdfast/second.sqlite"),
    ]
    assert (result.findings[0].next_step == "Later.") == (severity == "warning")


def test_a_room_that_stored_nothing_is_not_mentioned(repository: Path) -> None:
    store_of(repository)
    assert examine(repository, inbox=Room()).findings == []


def test_a_store_open_to_others_is_closed_only_on_request(repository: Path) -> None:
    store = store_of(repository)
    store.chmod(0o755)
    [finding] = examine(repository).findings
    assert (finding.severity, finding.fixed, store.stat().st_mode & 0o777) == ("warning", False, 0o755)
    [finding] = examine(repository, fix=True).findings
    assert (finding.fixed, store.stat().st_mode & 0o777) == (True, 0o700)
    assert examine(repository, fix=True).findings == []


def test_leftovers_of_a_dead_writer_are_removed_only_on_request(repository: Path) -> None:
    store = store_of(repository)
    orphan = make_old(store / f".x.1{TEMPORARY_SUFFIX}")
    young = store / f".x.2{TEMPORARY_SUFFIX}"
    young.touch()
    [finding] = examine(repository).findings
    assert (finding.path, finding.fixed) == (f".git/holdfast/{orphan.name}", False)
    [finding] = examine(repository, fix=True).findings
    assert (finding.path, finding.fixed) == (f".git/holdfast/{orphan.name}", True)
    assert (orphan.exists(), young.exists()) == (False, True)


def test_leftovers_in_the_work_tree_are_reported_and_removed_only_on_request(repository: Path) -> None:
    store_of(repository)
    (repository / "src").mkdir()
    orphan = make_old(repository / f"src/.a.py.comments.0123456789abcdef{TEMPORARY_SUFFIX}")
    others = make_old(repository / f"src/notes{TEMPORARY_SUFFIX}")
    [finding] = examine(repository).findings
    assert (finding.path, finding.fixed) == (f"src/{orphan.name}", False)
    with orphan.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        [finding] = examine(repository, fix=True).findings
        assert (finding.fixed, orphan.exists()) == (False, True)
    [finding] = examine(repository, fix=True).findings
    assert (finding.path, finding.fixed) == (f"src/{orphan.name}", True)
    assert (orphan.exists(), others.exists()) == (False, True)


def test_an_old_lock_of_git_is_reported_and_left_alone(repository: Path) -> None:
    store_of(repository)
    locks = [
        make_old(repository / ".git/refs/heads/main.lock"),
        make_old(repository / ".git/packed-refs.lock"),
    ]
    (repository / ".git/refs/heads/young.lock").touch()
    result = examine(repository, fix=True)
    assert [(finding.severity, finding.path, finding.fixed) for finding in result.findings] == [
        ("warning", ".git/packed-refs.lock", False),
        ("warning", ".git/refs/heads/main.lock", False),
    ]
    assert all(lock.exists() for lock in locks)


@pytest.mark.parametrize("place", ["file", "link"])
def test_something_else_in_the_stores_place_is_damage(repository: Path, tmp_path: Path, place: str) -> None:
    store = repository / ".git/holdfast"
    if place == "file":
        store.touch()
    else:
        store.symlink_to(tmp_path)
    result = examine(repository, fix=True)
    assert told(result) == [("damaged", ".git/holdfast", "The store is not a directory.")]
    assert store.is_symlink() == (place == "link")


def test_a_network_file_system_is_a_warning(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.doctor.is_network_filesystem", lambda path: True)
    assert examine(repository).findings[0].severity == "warning"


def test_paths_are_told_from_the_root_in_a_linked_worktree_too(repository: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "-C", repository, "commit", "--quiet", "--allow-empty", "--message=x"], check=True)
    subprocess.run(["git", "-C", repository, "worktree", "add", "--quiet", tmp_path / "linked"], check=True)
    store_of(repository).chmod(0o755)
    [finding] = examine(tmp_path / "linked").findings
    assert finding.path == ".git/holdfast"


def test_outside_git_the_plain_store_is_examined(tmp_path: Path) -> None:
    assert told(examine(tmp_path)) == [("info", ".holdfast", NOTHING_YET)]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda file: file.write_bytes(b""), "is empty, although it contained data before"),
        (lambda file: file.write_bytes(b"not a database" * 100), "is not a database"),
        (lambda file: file.unlink(), "is missing, although it was created before"),
        (lambda file: file.write_bytes(file.read_bytes()[:4096]), "is damaged"),
    ],
)
def test_damage_of_a_real_store_is_named_and_left_as_it_is(
    repository: Path, harm: Callable[[Path], object], said: str
) -> None:
    found = Repository.discover(repository)
    with closing(Inbox(found)) as inbox:
        inbox.send("a.py", "Look here")
    file = Path(found.store_directory) / "inbox.sqlite"
    harm(file)
    before = file.read_bytes() if file.exists() else None
    with closing(Inbox(found)) as inbox:
        result = check_stores(StoreRoom(found, lambda: {"inbox": inbox}), CheckStores(fix=True))
    [finding] = result.findings
    assert (finding.severity, finding.path, finding.fixed) == ("damaged", ".git/holdfast/inbox.sqlite", False)
    assert said in finding.message
    if "missing" in said:
        assert finding.next_step is not None
        assert ".git/holdfast/inbox.sqlite'" in finding.next_step, "how to restore it"
        assert ".git/holdfast/inbox.sqlite.created" in finding.next_step, "how to begin anew"
    assert (file.read_bytes() if file.exists() else None) == before


def test_nobody_waits_for_the_copy_of_a_log_that_is_a_pipe(repository: Path) -> None:
    os.mkfifo(store_of(repository) / "inbox.sqlite-wal.damaged-0")
    [finding] = examine(repository).findings
    assert (finding.severity, finding.path) == ("warning", ".git/holdfast/inbox.sqlite-wal.damaged-0")


def test_messages_a_killed_reader_left_are_told(repository: Path) -> None:
    with closing(Inbox(Repository.discover(repository), lease_seconds=-1)) as inbox:
        inbox.send("a.py", "Look here")
        inbox.take()
        [abandoned, sound] = examine(repository, inbox=inbox).findings  # type: ignore[arg-type]
    assert (abandoned.severity, sound.severity) == ("info", "ok")
    assert "left undelivered: 1" in abandoned.message


def test_the_words_say_what_was_found_and_what_to_do() -> None:
    operation = next(item for item in stores.operations if item.name == "check_stores")
    finding = Finding(store="inbox", path="a/b", severity="warning", message="It leaks.", next_step="Mop.")
    done = finding.model_copy(update={"fixed": True})
    result = StoresChecked(damaged=0, fixed=1, findings=[finding, done], reader="python")
    assert operation.as_text(result).splitlines() == [
        "[warning] a/b: It leaks. Mop.",
        "[warning] a/b: It leaks. Fixed.",
        "Source files are read in Python, without the compiled core.",
        "No damage.",
    ]


def test_the_reader_of_source_files_is_named(repository: Path, reader: str) -> None:
    expected = {"python": "python", "compiled": "compiled core"}
    result = examine(repository)
    assert (result.reader, [finding for finding in result.findings if finding.store == "reader"]) == (
        expected[reader],
        [],
    )
