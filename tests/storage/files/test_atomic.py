"""Atomic writes, locks, bounded reads and the sweeping of what killed writers left."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from holdfast.kernel import machine
from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import (
    Busy,
    Cancelled,
    Denied,
    HoldfastError,
    InvalidPath,
    NotFound,
    TooLarge,
    Unavailable,
)
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import StripedLocks, locked
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX, sweep_orphans
from holdfast.storage.git.repository import Repository
from tests.waiting import LeavingCall, wait_until


def temporaries(directory: Path) -> list[str]:
    return [name for name in os.listdir(directory) if name.endswith(TEMPORARY_SUFFIX)]


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_write_replaces_the_content_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "data.json"
    for content in (b"old", b"", b"x" * 300_000):
        atomic_write(target, content)
        assert target.read_bytes() == content
    assert os.listdir(tmp_path) == ["data.json"]


def test_a_relative_name_is_written_in_the_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    atomic_write("here", b"x")
    assert (tmp_path / "here").read_bytes() == b"x"


def test_a_file_keeps_its_permissions_and_a_new_one_gets_the_usual_ones(tmp_path):
    target = tmp_path / "script"
    atomic_write(target, b"1")
    assert mode_of(target) == 0o644
    target.chmod(0o750)
    atomic_write(target, b"2")
    assert mode_of(target) == 0o750
    atomic_write(target, b"3", mode=0o600)
    assert mode_of(target) == 0o600


def test_the_longest_name_a_file_system_takes_can_be_written(tmp_path):
    for name in ("a" * 255, "é" * 127, "\U0001f600" * 63):
        atomic_write(tmp_path / name, b"x")
        assert (tmp_path / name).read_bytes() == b"x"


def test_a_link_is_replaced_and_not_written_through(tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to("elsewhere")
    atomic_write(tmp_path / "link", b"ours")
    assert (tmp_path / "elsewhere").read_bytes() == b"theirs"
    assert not (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("call", ["write", "fsync", "replace", "fchmod"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_failing_disk_leaves_the_old_content_and_no_temporary_file(tmp_path, monkeypatch, call, number):
    target = tmp_path / "data.json"
    atomic_write(target, b"old")

    def fail(*_arguments, **_options):
        raise OSError(number, "failed", str(target))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(Unavailable) as caught:
        atomic_write(target, b"new")
    monkeypatch.undo()
    assert "'data.json'" in caught.value.message
    assert str(tmp_path) not in caught.value.sentence()
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["data.json"]


def test_an_interruption_leaves_no_temporary_file(tmp_path, monkeypatch):
    def interrupt(_descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        atomic_write(tmp_path / "data", b"x")
    assert os.listdir(tmp_path) == []


def test_short_writes_of_the_system_are_continued(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    atomic_write(tmp_path / "data", bytes(range(200)))
    assert (tmp_path / "data").read_bytes() == bytes(range(200))


def test_a_write_to_a_missing_directory_or_onto_a_directory_says_so(tmp_path):
    with pytest.raises(NotFound, match="'data'"):
        atomic_write(tmp_path / "missing" / "data", b"x")
    (tmp_path / "directory").mkdir()
    with pytest.raises(InvalidPath, match="is a directory"):
        atomic_write(tmp_path / "directory", b"x")
    assert temporaries(tmp_path) == []


def test_every_reason_of_the_system_has_a_sentence_and_a_next_step():
    for number in (*machine.FILE_REASONS, *machine.MACHINE_REASONS, errno.ETXTBSY, 9999):
        failure = machine.disk_failure(OSError(number, "x", "/secret/place"), "notes.json")
        assert "'notes.json'" in failure.message
        assert failure.hint
        assert "/secret" not in failure.sentence()


def test_the_limit_of_a_read_is_exact(tmp_path):
    target = tmp_path / "data"
    target.write_bytes(b"x" * 100_000)
    assert len(read_limited(target, 100_001)) == len(read_limited(target, 100_000)) == 100_000
    with pytest.raises(TooLarge, match="'data' is larger than 99999 bytes"):
        read_limited(target, 99_999)


def test_an_empty_file_fits_into_no_room_at_all(tmp_path):
    (tmp_path / "empty").touch()
    assert read_limited(tmp_path / "empty", 0) == b""


def test_a_file_that_lies_about_its_size_is_still_bounded():
    with pytest.raises(TooLarge):
        read_limited("/proc/self/maps", 100)


def test_reading_other_than_a_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "target").write_bytes(b"x")
    (tmp_path / "link").symlink_to("target")
    for path in (tmp_path / "fifo", tmp_path / "link", tmp_path, Path("/dev/zero")):
        with pytest.raises(InvalidPath, match=path.name):
            read_limited(path, 10)
    with pytest.raises(NotFound):
        read_limited(tmp_path / "missing", 10)


def test_a_file_without_permission_is_denied(tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise PermissionError(errno.EACCES, "refused", "closed")  # permissions do not bind the super-user

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Denied, match="'closed'"):
        read_limited(tmp_path / "closed", 10)


def test_a_held_lock_is_busy_for_threads_of_the_same_process(tmp_path):
    with (
        locked(tmp_path / "data"),
        pytest.raises(Busy, match="'data' is in use"),
        locked(tmp_path / "data", wait=0.1),
    ):
        pass
    with locked(tmp_path / "data", wait=0):
        pass


def test_a_held_lock_is_waited_for(tmp_path):
    order: list[str] = []

    class WaitingCall(Call):
        def check(self) -> None:
            order.append("waits")

    def wait() -> None:
        with running(WaitingCall()), locked(tmp_path / "data", wait=60):
            order.append("holds it")

    with locked(tmp_path / "data"):
        waiting = threading.Thread(target=wait)
        waiting.start()
        wait_until(lambda: order)
        order.append("released")
    waiting.join(60)
    assert order.index("released") < order.index("holds it")


def test_a_lock_never_touches_the_data_file(tmp_path):
    with locked(tmp_path / "data"):
        assert os.listdir(tmp_path) == ["data.lock"]
    assert mode_of(tmp_path / "data.lock") == 0o600


HOLDER = """
import signal, sys
from holdfast.storage.files.locks import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    signal.pause()
"""


def test_a_lock_ends_with_the_process_that_held_it(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path / "data"], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    with pytest.raises(Busy), locked(tmp_path / "data", wait=0.05):
        pass
    holder.kill()
    holder.communicate()
    with locked(tmp_path / "data", wait=1):
        pass


def test_waiting_for_a_lock_ends_when_the_caller_gives_up(tmp_path):
    with (
        locked(tmp_path / "data"),
        running(LeavingCall()),
        pytest.raises(Cancelled),
        locked(tmp_path / "data"),
    ):
        pass


def test_a_lock_file_removed_by_somebody_does_not_split_the_lock(tmp_path):
    with locked(tmp_path / "data"):
        os.unlink(tmp_path / "data.lock")
        with locked(tmp_path / "data", wait=0):
            pass  # a new name is a new lock: the best that can be done for the one without a name
    with locked(tmp_path / "data", wait=0), pytest.raises(Busy), locked(tmp_path / "data", wait=0):
        pass


def make_temporary(directory: Path, name: str, age: float) -> Path:
    path = directory / f".{name}.0011223344556677{TEMPORARY_SUFFIX}"
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_old_orphans_are_swept_and_named(tmp_path):
    old = make_temporary(tmp_path, "data.json", 11)
    (tmp_path / "data.json").write_bytes(b"whole")
    assert sweep_orphans(tmp_path) == [old.name]
    assert os.listdir(tmp_path) == ["data.json"]
    assert sweep_orphans(tmp_path) == []


def test_a_young_or_held_temporary_file_is_left_alone(tmp_path):
    make_temporary(tmp_path, "young", 9)
    held = make_temporary(tmp_path, "held", 3600)
    with held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert sweep_orphans(tmp_path) == []
    assert sweep_orphans(tmp_path) == [held.name]


def test_sweeping_follows_no_link_and_removes_no_directory(tmp_path):
    (tmp_path / "precious").write_bytes(b"x")
    (tmp_path / f"link{TEMPORARY_SUFFIX}").symlink_to("precious")
    (tmp_path / f"directory{TEMPORARY_SUFFIX}").mkdir()
    os.mkfifo(tmp_path / f"fifo{TEMPORARY_SUFFIX}")
    assert sweep_orphans(tmp_path, older_than=-60) == []
    assert (tmp_path / "precious").read_bytes() == b"x"


def test_sweeping_a_missing_directory_says_so(tmp_path):
    with pytest.raises(NotFound, match="'nowhere'"):
        sweep_orphans(tmp_path / "nowhere")


@pytest.mark.parametrize("kind", ["link", "link to nowhere", "file"])
def test_locks_are_made_nowhere_but_in_a_directory_of_the_store(repository: Path, tmp_path: Path, kind: str):
    outside = tmp_path / "outside"
    found = Repository.at(repository)
    place = Path(found.ensure_store(), "some.locks")
    if kind == "file":
        place.touch()
    else:
        place.symlink_to(outside)
    if kind == "link":
        outside.mkdir()
    with pytest.raises(HoldfastError, match=r"some\.locks"), StripedLocks(found, "some.locks").holding("a"):
        raise AssertionError("nothing is locked")
    assert not outside.exists() or list(outside.iterdir()) == []
