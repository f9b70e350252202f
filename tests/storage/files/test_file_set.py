from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.kernel.errors import Conflict, HoldfastError, InvalidPath
from holdfast.storage.files.file_set import FileSet
from holdfast.storage.files.repo_path import RepoPath

A, B = RepoPath.parse("a"), RepoPath.parse("deep/er/b")
FILES = {A: b"one", B: b"two"}


def test_a_new_directory_appears_with_everything_in_it(tmp_path: Path):
    target = tmp_path / "new" / "place"
    assert FileSet(str(target), FILES).write() == [A, B]
    assert (target / "deep" / "er" / "b").read_bytes() == b"two"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["place"]


def test_what_differs_is_kept_until_it_is_named(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"mine")
    files = FileSet(str(tmp_path), FILES)
    assert files.existing() == {A: b"mine"}
    with pytest.raises(Conflict) as failure:
        files.write()
    assert failure.value.data["paths"] == ["a"]
    assert not (tmp_path / "deep").exists()
    assert files.write(replacing=[A]) == [A, B]
    assert files.write() == []
    assert (tmp_path / "a").read_bytes() == b"one"


def test_a_write_that_fails_leaves_no_trace_of_a_new_directory(tmp_path: Path):
    impossible = {A: b"one", RepoPath.parse("a/b"): b"two"}
    with pytest.raises(InvalidPath):
        FileSet(str(tmp_path / "new"), impossible).write()
    assert list(tmp_path.iterdir()) == []


def test_links_are_not_followed(tmp_path: Path):
    outside, target = tmp_path / "outside", tmp_path / "target"
    outside.mkdir()
    target.mkdir()
    (target / "deep").symlink_to(outside)
    with pytest.raises(InvalidPath):
        FileSet(str(target), FILES).write()
    assert list(outside.iterdir()) == []


def test_a_file_in_place_of_the_directory_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(HoldfastError):
        FileSet(str(tmp_path / "file"), FILES).write()
    assert (tmp_path / "file").read_text() == "mine"


# What a killed writer leaves.


@pytest.fixture
def abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The unfinished directory of a writer that was killed long ago."""
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(os, "rename", lambda source, target: os._exit(0))
        FileSet(str(tmp_path / "new"), FILES).write()
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    (left,) = tmp_path.iterdir()
    assert (left / "deep" / "er" / "b").exists()
    return aged(left)


def aged(path: Path) -> Path:
    os.utime(path, (0, 0))
    return path


def test_the_unfinished_directory_of_a_killed_writer_is_removed_by_the_next(tmp_path: Path, abandoned: Path):
    FileSet(str(tmp_path / "another"), FILES).write()
    assert [path.name for path in tmp_path.iterdir()] == ["another"]


def test_an_unfinished_directory_that_is_young_is_left_alone(tmp_path: Path, abandoned: Path):
    os.utime(abandoned)
    FileSet(str(tmp_path / "two"), FILES).write()
    assert abandoned.exists()


def test_what_only_looks_like_an_unfinished_directory_is_left_alone(tmp_path: Path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "canary").touch()
    name = ".new.0123456789abcdef.holdfast-tmp"
    (tmp_path / name).symlink_to(theirs)
    aged(theirs)
    others = [tmp_path / other for other in ("x.holdfast-tmp", ".x.0123.holdfast-tmp")]
    for other in others:
        other.mkdir()
        aged(other)
    FileSet(str(tmp_path / "new"), FILES).write()
    assert (theirs / "canary").exists()
    assert all(other.exists() for other in others)
