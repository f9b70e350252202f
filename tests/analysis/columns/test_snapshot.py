"""Snapshots: what is saved is loaded, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.analysis.columns.snapshot import ColumnSnapshot, SnapshotFile, Table
from holdfast.storage.git.repository import Repository

ROWS = {"a": [1, 2], "b": [], "c": [3, 4, 5]}


def snapshot_of(rows: dict[str, list[int]]) -> ColumnSnapshot:
    starts = np.cumsum([0, *map(len, rows.values())], dtype=np.int64)
    values = [value for row in rows.values() for value in row]
    columns = {"number": np.array(values, np.int32), "even": np.array(values, np.uint8) % 2 == 0}
    empty = Table(np.zeros(len(rows) + 1, np.int64), {"nothing": np.empty(0, np.float64)})
    return ColumnSnapshot(tuple(rows), {"rows": Table(starts, columns), "empty": empty})


def rows_of(snapshot: ColumnSnapshot) -> dict[str, list[int]]:
    starts, columns = snapshot.tables["rows"]
    return {
        key: columns["number"][starts[file] : starts[file + 1]].tolist()
        for key, file in snapshot.numbers.items()
    }


@pytest.fixture
def repository(repository: Path) -> Repository:
    return Repository.discover(repository)


@pytest.fixture
def file(repository: Repository) -> SnapshotFile:
    return SnapshotFile(repository, "numbers", 7)


def test_a_saved_snapshot_is_loaded_with_the_types_of_its_columns(file: SnapshotFile) -> None:
    assert file.load() is None
    file.save(snapshot_of(ROWS))
    loaded = file.load()
    assert loaded is not None
    assert rows_of(loaded) == ROWS
    assert loaded.tables["rows"].columns["even"].tolist() == [False, True, False, True, False]
    assert loaded.tables["empty"].columns["nothing"].dtype == np.float64


def test_rows_of_some_files_are_taken_in_the_order_given_and_joined_with_others() -> None:
    taken = snapshot_of(ROWS).take(["c", "b", "a"])
    assert list(rows_of(taken).items()) == [("c", [3, 4, 5]), ("b", []), ("a", [1, 2])]
    joined = taken.take(["c", "b"]).joined(snapshot_of({"d": [6], "e": []}))
    assert rows_of(joined) == {"c": [3, 4, 5], "b": [], "d": [6], "e": []}


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "renamed", "link", "other version"])
def test_what_is_not_exactly_what_was_saved_is_not_loaded(
    repository: Repository, file: SnapshotFile, damage: str
) -> None:
    file.save(snapshot_of(ROWS))
    path = Path(repository.store_directory, "numbers.arrays")
    data = path.read_bytes()
    if damage == "cut":
        path.write_bytes(data[:-40])
    elif damage == "flipped":
        path.write_bytes(data.replace(b"\3\0\0\0", b"\4\0\0\0"))
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "link":
        path.rename(path.with_name("target"))
        path.symlink_to("target")
    elif damage == "renamed":
        file = SnapshotFile(repository, "others", 7)
        path.rename(path.with_name("others.arrays"))
    else:
        file = SnapshotFile(repository, "numbers", 8)
    assert file.load() is None
    file.save(snapshot_of({"a": [1]}))
    loaded = file.load()
    assert loaded is not None
    assert rows_of(loaded) == {"a": [1]}


def test_a_snapshot_of_another_user_is_not_loaded(
    repository: Repository, file: SnapshotFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.save(snapshot_of(ROWS))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert file.load() is None


def test_without_room_for_it_nothing_is_saved(repository: Repository, file: SnapshotFile) -> None:
    Path(repository.store_directory).write_text("a file where the folder should be")
    file.save(snapshot_of(ROWS))
    assert file.load() is None
