"""The power is cut under files, SQLite and the inbox: what was acknowledged is there afterwards.

Comments, milestones and tasks have this test beside their others.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.reliability import test_database_survives, test_files_survive, test_inbox_survives
from tests.reliability.evidence import Tally
from tests.reliability.harness import python
from tests.reliability.power import CUTS, Disk, cut_again_and_again, disk_to_cut

FILES_NOT_FLUSHED = "os.fsync = os.fdatasync = lambda descriptor: None\n"
SQLITE_NOT_FLUSHED = """
from holdfast.storage.sql import sqlite as database
database.SETTINGS = ("PRAGMA synchronous = OFF", "PRAGMA foreign_keys = ON")
"""
INBOX_NOT_FLUSHED = (
    SQLITE_NOT_FLUSHED
    + """
from holdfast.storage.sql import quick
quick.FLUSH_SETTING = "PRAGMA synchronous = OFF"
"""
)
SEND_EITHER_WAY = (
    test_inbox_survives.QUICK
    + "send = send if int(sys.argv[2][1:]) % 2 else send_slowly\n"
    + test_inbox_survives.SEND_FOREVER
)


@dataclass(frozen=True)
class Store:
    """Something that keeps what it is given, and a way to make it forget."""

    file: str
    program: str
    careless: str
    """What, in front of the program, makes it acknowledge before the disk has anything."""
    read: Callable[[Path], list[str]]


def _items(path: Path) -> list[str]:
    found: list[str] = json.loads(path.read_bytes())
    return found


STORES = {
    "files": Store("data.json", test_files_survive.ADD_FOREVER, FILES_NOT_FLUSHED, _items),
    "SQLite": Store(
        "store.sqlite", test_database_survives.ADD_FOREVER, SQLITE_NOT_FLUSHED, test_database_survives.texts
    ),
    "inbox": Store("", SEND_EITHER_WAY, INBOX_NOT_FLUSHED, test_inbox_survives.comments),
}


@pytest.fixture
def disk(home: Path, tmp_path: Path) -> Iterator[Disk]:
    with disk_to_cut(tmp_path) as disk:
        subprocess.run(["git", "init", "--quiet", str(disk.repository)], check=True)
        (disk.repository / "data.json").write_text("[]")
        os.sync()
        yield disk


def cuts(disk: Disk, store: Store, before: str, number: int) -> tuple[int, int]:
    def writer(name: str) -> list[str]:
        return python(before + store.program, disk.repository / store.file, name)

    return cut_again_and_again(disk, writer, lambda path: store.read(path / store.file), number)


@pytest.mark.requirement("reliability-A3")
@pytest.mark.parametrize("name", STORES)
@pytest.mark.evidence("A3", "{name}", "power cut under a writer")
def test_a3_nothing_acknowledged_is_lost_when_the_power_is_cut(disk: Disk, name: str, tally: Tally) -> None:
    acknowledged, losing = cuts(disk, STORES[name], "", CUTS)
    tally(CUTS, losing, f"{acknowledged} acknowledged")
    assert losing == 0
    assert acknowledged > CUTS


@pytest.mark.parametrize("name", STORES)
@pytest.mark.evidence("A3", "{name}", control="flushes nothing")
def test_a3_control_a_store_that_is_not_flushed_loses_what_it_acknowledged(
    disk: Disk, name: str, tally: Tally
) -> None:
    acknowledged, losing = cuts(disk, STORES[name], STORES[name].careless, 5)
    tally(5, losing, f"{acknowledged} acknowledged")
    assert losing > 0
