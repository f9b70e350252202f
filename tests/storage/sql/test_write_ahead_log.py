"""A log that was damaged on disk: seen before SQLite drops it, kept and told; nothing else is."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.doctor import CheckStores, StoreRoom, check_stores
from holdfast.inbox.schema import APPLICATION_ID, DATABASE_NAME, MIGRATIONS
from holdfast.inbox.store import Inbox
from holdfast.kernel.call import Call, Level, Listener, running
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql import write_ahead_log
from holdfast.storage.sql.quick import NeedsFullProgram, QuickStore
from holdfast.storage.sql.write_ahead_log import (
    MAX_LOG_BYTES,
    committed_pages,
    count_dropped_writes,
    damaged_log,
)
from tests.conftest import RunHoldfast

MESSAGES = 20
SENDING = """
import os, sys
from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
room = Inbox.open(Repository.at(sys.argv[1]))
for number in range(int(sys.argv[2])):
    room.send("a.py", f"Remark {number}")
os.kill(os.getpid(), 9)
"""


def send_and_die(repository: Path, messages: int = MESSAGES) -> Path:
    """Let a process send messages and be killed; return the log that it leaves."""
    killed = subprocess.run([sys.executable, "-c", SENDING, str(repository), str(messages)])
    assert killed.returncode == -9
    return repository / ".git/holdfast" / f"{DATABASE_NAME}-wal"


def flip(log: Path, place: int) -> bytes:
    content = bytearray(log.read_bytes())
    content[place] ^= 0x10
    log.write_bytes(content)
    return bytes(content)


def received(repository: Path) -> int:
    with closing(Inbox.open(Repository.at(repository))) as room:
        return len(room.messages("all", limit=100))


def kept(log: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(log.parent.glob(f"{log.name}.damaged-*"))]


class Heard(Listener):
    def __init__(self) -> None:
        self.said: list[tuple[Level, str]] = []

    def log(self, level: Level, text: str) -> None:
        self.said.append((level, text))


def test_a_damaged_log_is_kept_and_told_before_sqlite_drops_what_is_in_it(
    repository: Path, run_holdfast: RunHoldfast
) -> None:
    log = send_and_die(repository)
    damaged = flip(log, log.stat().st_size // 2)
    heard = Heard()
    with running(Call(listener=heard)):
        found = received(repository)
    assert 0 < found < MESSAGES
    assert kept(log) == [damaged]
    [(level, text)] = heard.said
    assert (level, "inbox.sqlite" in text) == ("warning", True)
    told = run_holdfast("doctor")
    assert told.returncode == 8
    assert f"the last {MESSAGES - found} writes" in told.stdout
    assert f"{log.name}.damaged-" in told.stdout
    received(repository)
    assert kept(log) == [damaged], "kept once"


def test_the_command_line_says_it_beside_its_answer(repository: Path, run_holdfast: RunHoldfast) -> None:
    log = send_and_die(repository)
    flip(log, log.stat().st_size // 2)
    listed = run_holdfast("inbox", "list")
    assert listed.returncode == 0
    assert "Warning: The log of the store 'inbox.sqlite' is damaged" in listed.stderr
    assert len(kept(log)) == 1


def test_control_sqlite_by_itself_drops_it_without_a_word(repository: Path) -> None:
    log = send_and_die(repository)
    flip(log, log.stat().st_size // 2)
    with closing(sqlite3.connect(log.parent / DATABASE_NAME)) as connection:
        assert connection.execute("SELECT count(*) FROM message").fetchone()[0] < MESSAGES
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
    assert not log.exists()
    assert kept(log) == []


@pytest.mark.parametrize("end", [-1, -2000])
def test_damage_of_the_last_write_alone_may_be_a_power_cut_and_is_a_warning(
    repository: Path, end: int
) -> None:
    log = send_and_die(repository)
    flip(log, log.stat().st_size + end)
    assert received(repository) == MESSAGES - 1
    found = Repository.discover(repository)
    result = check_stores(StoreRoom(found, dict), CheckStores())
    assert [(one.severity, one.path) for one in result.findings] == [
        ("warning", f".git/holdfast/{next(log.parent.glob('*.damaged-*')).name}")
    ]


def test_every_flipped_byte_that_costs_a_write_is_seen_and_no_other_state_is(
    repository: Path, tmp_path: Path
) -> None:
    log = send_and_die(repository)
    content, places = log.read_bytes(), random.Random(7)
    store = tmp_path / "store.sqlite"
    for place in [*range(56), *(places.randrange(len(content)) for _ in range(100))]:
        changed = bytearray(content)
        changed[place] ^= 1 << places.randrange(8)
        shutil.copy(log.parent / DATABASE_NAME, store)
        Path(f"{store}-wal").write_bytes(changed)
        with closing(sqlite3.connect(store)) as connection:
            lost = MESSAGES - connection.execute("SELECT count(*) FROM message").fetchone()[0]
        assert bool(count_dropped_writes(bytes(changed))) == bool(lost), place
    for length in range(0, len(content), 1000):
        assert count_dropped_writes(content[:length]) == 0, "an end that was not yet written is no damage"


def test_older_pages_behind_the_new_ones_are_no_damage(repository: Path) -> None:
    log = send_and_die(repository)
    with closing(Inbox.open(Repository.at(repository))) as room:
        room.send("a.py", "Holds the log")
        with closing(sqlite3.connect(log.parent / DATABASE_NAME)) as other:
            other.execute("PRAGMA wal_checkpoint(RESTART)")
        room.send("a.py", "Begins it anew")
        content = log.read_bytes()
    pages, _ = committed_pages(content)
    assert len(pages) * 4120 < len(content)
    assert count_dropped_writes(content) == 0


def test_of_a_log_without_end_only_the_beginning_is_read(tmp_path: Path) -> None:
    log = tmp_path / "store.sqlite-wal"
    log.write_bytes(b"no log of SQLite")
    os.truncate(log, 2 << 30)
    found = damaged_log(str(tmp_path / "store.sqlite"))
    assert found is not None
    assert len(found) == MAX_LOG_BYTES


def test_a_log_of_nothing_but_zeros_holds_no_writes_to_lose(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite-wal").write_bytes(bytes(100_000))
    assert damaged_log(str(tmp_path / "store.sqlite")) is None


def test_the_log_of_a_store_that_somebody_has_open_is_theirs(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = send_and_die(repository)
    store = str(log.parent / DATABASE_NAME)
    with closing(Inbox.open(Repository.at(repository))) as room:
        room.send("a.py", "One more")
        content = log.read_bytes()
        flip(log, len(content) - 1)
        assert damaged_log(store) is None
        monkeypatch.setattr(write_ahead_log, "OPEN_STORE_LOCK", "not this one")
        assert damaged_log(store) is not None
        log.write_bytes(content)


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.first_value("SELECT count(*) FROM message"),
        lambda store: store.insert("INSERT INTO message VALUES (?)", ("x",)),
    ],
)
def test_a_quick_command_leaves_a_damaged_log_to_the_whole_program(
    repository: Path, use: Callable[[QuickStore], object]
) -> None:
    log = send_and_die(repository)
    damaged = flip(log, log.stat().st_size // 2)
    with pytest.raises(NeedsFullProgram):
        use(QuickStore(str(log.parent / DATABASE_NAME), APPLICATION_ID, len(MIGRATIONS)))
    assert log.read_bytes() == damaged


def test_a_quick_command_takes_a_sound_log(repository: Path) -> None:
    log = send_and_die(repository)
    store = QuickStore(str(log.parent / DATABASE_NAME), APPLICATION_ID, len(MIGRATIONS))
    assert store.first_value("SELECT count(*) FROM message") == MESSAGES


def test_where_the_copy_finds_no_room_the_log_stays_as_it_is(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdfast.kernel.errors import OutOfSpace

    def full(*_: object, **__: object) -> None:
        raise OutOfSpace("The disk is full.")

    log = send_and_die(repository)
    damaged = flip(log, log.stat().st_size // 2)
    monkeypatch.setattr("holdfast.storage.sql.store_file.atomic_write", full)
    with pytest.raises(OutOfSpace):
        received(repository)
    assert log.read_bytes() == damaged
    assert os.path.exists(log)
