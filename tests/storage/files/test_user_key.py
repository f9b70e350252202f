"""The key of the user: made once, and never one that a repository brings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.storage.files import user_key
from holdfast.storage.files.user_key import authentication_code

PRINT_CODE = "from holdfast.storage.files.user_key import authentication_code as a; print(a(b'data'))"


@pytest.fixture
def key(home: Path) -> Path:
    return home / ".local" / "state" / "holdfast" / "key"


def test_processes_that_start_at_once_agree(key: Path) -> None:
    command = [sys.executable, "-c", PRINT_CODE]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    codes = {process.communicate(timeout=120)[0].strip() for process in processes}
    assert codes == {authentication_code(b"data")}
    assert [path.name for path in key.parent.iterdir()] == ["key"]


def test_a_code_depends_on_the_data_and_the_key(key: Path) -> None:
    code = authentication_code(b"data")
    assert code is not None
    assert authentication_code(b"data") == code
    assert authentication_code(b"date") != code
    assert key.stat().st_mode & 0o777 == 0o600
    key.write_bytes(bytes(32))
    user_key._keys.clear()
    assert authentication_code(b"data") != code


def test_a_damaged_key_is_replaced(key: Path) -> None:
    authentication_code(b"data")
    key.write_bytes(b"short")
    user_key._keys.clear()
    assert authentication_code(b"data") is not None
    assert len(key.read_bytes()) == 32


@pytest.mark.parametrize("place", ["key", "holdfast"])
def test_where_no_key_can_be_stored_there_is_none(key: Path, place: str) -> None:
    key.parent.parent.mkdir(parents=True)
    if place == "key":
        key.mkdir(parents=True)
    else:
        key.parent.touch()
    assert authentication_code(b"data") is None
