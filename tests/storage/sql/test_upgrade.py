"""A backup comes before every migration: exact, complete, one for each content, and bounded."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.kernel.errors import OutOfSpace
from holdfast.storage.sql.sqlite import Database
from tests.conftest import ROOT
from tests.forked import run_at_once
from tests.upgrades.stores import backups, content

APPLICATION = 77
FIRST = "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;"
SECOND = "ALTER TABLE item ADD COLUMN done INTEGER NOT NULL DEFAULT 0;"


def open_store(path: Path, *migrations: object) -> Database:
    return Database(path, application_id=APPLICATION, migrations=migrations or (FIRST,))


def add(path: Path, text: str) -> None:
    with open_store(path) as database, database.write() as connection:
        connection.execute("INSERT INTO item (text) VALUES (?)", (text,))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store" / "item.sqlite"
    path.parent.mkdir()
    add(path, "old")
    return path


def refused(connection: sqlite3.Connection) -> None:
    raise ZeroDivisionError


def test_the_backup_holds_what_the_migration_found_and_its_log_as_well(path: Path):
    holding = open_store(path)  # so that what is added stays in the log
    with holding.write() as connection:
        connection.execute("INSERT INTO item (text) VALUES ('in the log')")
    found = content(path)
    open_store(path, FIRST, SECOND).close()
    holding.close()
    (backup,) = backups(path)
    assert backup.name.startswith("item.sqlite.before-2.")
    assert content(backup) == found == {"item": [(1, "old"), (2, "in the log")]}


def test_a_new_store_needs_no_backup_and_neither_does_one_that_is_current(tmp_path: Path):
    for _ in range(2):
        open_store(tmp_path / "item.sqlite", FIRST, SECOND).close()
    assert backups(tmp_path / "item.sqlite") == []


def test_an_upgrade_that_fails_again_and_again_leaves_one_backup_for_each_content(path: Path):
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            open_store(path, FIRST, refused)
    (first,) = backups(path)
    kept = first.read_bytes()
    add(path, "meanwhile")
    open_store(path, FIRST, SECOND).close()
    assert sorted(len(content(backup)["item"]) for backup in backups(path)) == [1, 2]
    assert first.read_bytes() == kept


def test_the_newest_three_backups_of_a_store_stay(path: Path):
    other = path.with_name("other.sqlite.before-2.0123456789abcdef")
    other.write_bytes(b"of another store")
    migrations = [FIRST, *(f"CREATE TABLE t{number} (a TEXT) STRICT;" for number in range(5))]
    for number in range(2, len(migrations) + 1):
        open_store(path, *migrations[:number]).close()
    names = [backup.name.rpartition(".")[0] for backup in backups(path) if backup != other]
    assert names == [f"item.sqlite.before-{number}" for number in (4, 5, 6)]
    assert other.exists()


def test_processes_that_upgrade_at_once_leave_one_backup(path: Path):
    code = (
        "import sys; from holdfast.storage.sql.sqlite import Database\n"
        f"Database(sys.argv[1], application_id={APPLICATION}, migrations=({FIRST!r}, {SECOND!r})).close()\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    assert [process.stderr for process in run_at_once([command] * 6)] == [b""] * 6
    assert len(backups(path)) == 1
    assert [name for name in path.parent.iterdir() if name.suffix == ".holdfast-tmp"] == []


def test_a_store_goes_back_the_way_that_is_written_down(path: Path):
    open_store(path, FIRST, SECOND).close()
    (backup,) = backups(path)
    path.rename(path.with_name("upgraded.sqlite"))
    path.write_bytes(backup.read_bytes())
    add(path, "with the older program")
    assert [text for _, text in content(path)["item"]] == ["old", "with the older program"]


FULL = """
import os, subprocess, sys
from pathlib import Path
from holdfast.kernel.errors import OutOfSpace
from tests.storage.sql.test_upgrade import FIRST, SECOND, add, backups, content, open_store
place = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(place)], check=True)
path = place / "item.sqlite"
add(path, "old" * 200_000)
found, before = content(path), path.read_bytes()
with open(place / "filling", "wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)):
            pass
    except OSError:
        os.truncate(file.fileno(), file.tell() - 300_000)
try:
    open_store(path, FIRST, SECOND)
except OutOfSpace as refusal:
    print(refusal.sentence())
assert path.read_bytes() == before and content(path) == found
assert not [name for name in os.listdir(place) if "before" in name], os.listdir(place)
add(path, "the older program goes on")
os.unlink(place / "filling")
open_store(path, FIRST, SECOND).close()
print(len(backups(path)), len(content(path)["item"]))
"""


@pytest.mark.mounts
def test_where_the_backup_finds_no_room_the_store_stays_as_it_is(tmp_path: Path):
    command = ["unshare", "--mount", sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    refusal, after = done.stdout.splitlines()
    assert "'item.sqlite.before-2' could not be written: the disk is full." in refusal
    assert "Free some space and try again" in refusal
    assert after == "1 2"
    assert OutOfSpace.exit_code == 11
