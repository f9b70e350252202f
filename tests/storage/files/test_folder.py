from __future__ import annotations

import os
from pathlib import Path

from holdfast.kernel.errors import HoldfastError, InvalidPath, TooLarge
from holdfast.storage.files.folder import Folder


def folder(path: Path, max_files: int = 10, limit: int = 100) -> Folder:
    return Folder(str(path), ".txt", max_files=max_files, limit=limit)


def test_files_are_read_in_the_order_of_names_and_others_are_left_out(tmp_path: Path):
    for name in ("b.txt", "a.txt", "c.md"):
        (tmp_path / name).write_text(name)
    assert dict(folder(tmp_path).read()) == {"a.txt": b"a.txt", "b.txt": b"b.txt"}
    assert list(folder(tmp_path, max_files=1).read()) == ["a.txt"]


def test_a_file_that_cannot_be_read_is_one_failure(tmp_path: Path):
    (tmp_path / "big.txt").write_text("x" * 101)
    (tmp_path / "good.txt").write_text("x" * 100)
    (tmp_path / "link.txt").symlink_to(tmp_path / "good.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    found = folder(tmp_path).read()
    assert found["good.txt"] == b"x" * 100
    assert isinstance(found["big.txt"], TooLarge)
    assert isinstance(found["link.txt"], InvalidPath)
    assert isinstance(found["pipe.txt"], HoldfastError)


def test_a_missing_folder_is_empty_and_a_linked_one_is_refused(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("canary")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    assert folder(tmp_path / "missing").read() == {}
    [failure] = folder(tmp_path / "linked").read().values()
    assert isinstance(failure, HoldfastError)


def test_every_change_gives_another_fingerprint(tmp_path: Path):
    place = tmp_path / "place"
    seen = {folder(place).fingerprint()}
    place.mkdir()
    (place / "a.txt").write_text("one")
    seen.add(folder(place).fingerprint())
    (place / "a.txt").write_text("three")
    seen.add(folder(place).fingerprint())
    (place / "b.txt").symlink_to("a.txt")
    seen.add(folder(place).fingerprint())
    assert len(seen) == 4
    (place / "c.md").write_text("not ours")
    assert folder(place).fingerprint() in seen
