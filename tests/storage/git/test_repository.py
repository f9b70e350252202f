"""Finding the repository and its store without running git."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from pathlib import Path

import pytest

from holdfast.kernel.errors import Denied, InvalidPath, NotFound
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit, git


def test_a_work_tree_is_found_from_any_directory_inside(repository):
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    for start in (repository, deep, repository / ".git" / "hooks"):
        found = Repository.discover(start)
        assert found.root == str(repository)
        assert found.git_dir == found.common_dir == str(repository / ".git")
        assert found.store_directory == str(repository / ".git" / "holdfast")
        assert not found.bare
    assert Repository.discover(deep) == Repository.at(repository)
    assert len({Repository.discover(deep), Repository.at(repository)}) == 1


def test_what_we_find_is_what_git_finds(repository):
    found = Repository.discover(repository)
    assert git(repository, "rev-parse", "--show-toplevel") == found.root
    assert git(repository, "rev-parse", "--absolute-git-dir") == found.git_dir


def test_all_worktrees_share_one_store(repository, tmp_path):
    commit(repository, {"a": "1"})
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "second"))
    second = Repository.discover(tmp_path / "second")
    assert second.root == str(tmp_path / "second")
    assert second.git_dir == git(tmp_path / "second", "rev-parse", "--absolute-git-dir")
    assert second.store_directory == Repository.at(repository).store_directory
    assert second != Repository.at(repository)


def test_a_submodule_has_a_store_of_its_own(repository, tmp_path):
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "library.git")
    commit(repository, {"a": "1"})
    git(tmp_path, "-C", "library.git", "fetch", "--quiet", str(repository), "main:main")
    git(
        repository,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(tmp_path / "library.git"),
        "lib",
    )
    inside = Repository.discover(repository / "lib")
    assert inside.root == str(repository / "lib")
    assert inside.git_dir == str(repository / ".git" / "modules" / "lib")
    assert inside.store_directory == str(repository / ".git" / "modules" / "lib" / "holdfast")


def test_a_bare_repository_is_its_own_root(tmp_path, home):
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    for start in (tmp_path / "bare.git", tmp_path / "bare.git" / "refs"):
        found = Repository.discover(start)
        assert found.bare
        assert found.root == found.git_dir == str(tmp_path / "bare.git")
        assert found.store_directory == str(tmp_path / "bare.git" / "holdfast")
    assert Repository.at(tmp_path / "bare.git").bare


def test_a_separate_git_directory_is_followed(tmp_path, home):
    git(tmp_path, "init", "--quiet", "--separate-git-dir", "elsewhere", "work")
    assert Repository.discover(tmp_path / "work").git_dir == str(tmp_path / "elsewhere")


def test_a_bare_repository_committed_in_a_work_tree_does_not_take_its_place(repository):
    git(repository, "init", "--quiet", "--bare", "planted")
    assert Repository.discover(repository / "planted").root == str(repository)
    assert Repository.at(repository / "planted").bare


def test_a_directory_outside_git_stands_for_itself(tmp_path):
    (tmp_path / "plain" / "deeper").mkdir(parents=True)
    found = Repository.discover(tmp_path / "plain")
    assert (found.root, found.git_dir, found.common_dir) == (str(tmp_path / "plain"), None, None)
    assert found.store_directory == str(tmp_path / "plain" / ".holdfast")
    assert Repository.discover(tmp_path / "plain" / "deeper").root.endswith("deeper")


def test_at_looks_at_that_directory_only(repository):
    (repository / "inside").mkdir()
    assert Repository.at(repository / "inside").git_dir is None


def test_the_environment_is_not_asked(repository, tmp_path, monkeypatch):
    git(tmp_path, "init", "--quiet", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_COMMON_DIR", str(tmp_path / "other" / ".git"))
    assert Repository.discover(repository).git_dir == str(repository / ".git")


def test_an_empty_git_directory_is_walked_past_as_git_does(repository):
    (repository / "a" / ".git").mkdir(parents=True)
    assert Repository.discover(repository / "a").root == str(repository)
    assert git(repository / "a", "rev-parse", "--show-toplevel") == str(repository)


HOSTILE_POINTERS = {
    "empty": b"",
    "no prefix": b"/etc",
    "nothing named": b"gitdir:",
    "root": b"gitdir: /",
    "missing": b"gitdir: /no/where",
    "relative climb": b"gitdir: ../../../../../../../../..",
    "a file": b"gitdir: /etc/passwd",
    "a device": b"gitdir: /dev/zero",
    "proc": b"gitdir: /proc/self",
    "itself": b"gitdir: .git",
    "nul": b"gitdir: a\0b",
    "not UTF-8": b"gitdir: \xff\xfe",
    "very long": b"gitdir: " + b"a/" * 30_000,
    "too large": b"gitdir: " + b"a" * 100_000,
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("content", HOSTILE_POINTERS.values(), ids=HOSTILE_POINTERS)
def test_a_hostile_git_file_is_a_clear_error(tmp_path, content):
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / ".git").write_bytes(content)
    with pytest.raises(InvalidPath, match="'victim'") as caught:
        Repository.discover(tmp_path / "victim")
    assert str(tmp_path) not in caught.value.sentence()


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to(".git"), lambda path: path.symlink_to("x")]
)
def test_a_git_entry_that_is_no_file_is_a_clear_error(tmp_path, make):
    make(tmp_path / ".git")
    with pytest.raises(InvalidPath):
        Repository.discover(tmp_path)


@pytest.mark.parametrize("content", [b"", b"/no/where", b"\0", b"a" * 100_000, b"../../../../../etc"])
def test_a_hostile_commondir_is_a_clear_error_or_no_repository(repository, content):
    (repository / ".git" / "commondir").write_bytes(content)
    try:
        found = Repository.discover(repository)
    except InvalidPath:
        return
    assert found.git_dir is None or content == b""


def test_a_start_that_is_missing_or_a_file_is_named(tmp_path):
    (tmp_path / "file").touch()
    for start in (tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(NotFound, match=start.name):
            Repository.discover(start)
    with pytest.raises(InvalidPath):
        Repository.discover("a\0b")


def test_the_store_is_created_for_its_owner_only(repository):
    found = Repository.at(repository)
    for _ in range(2):
        assert found.ensure_store() == found.store_directory
    assert stat.S_IMODE(os.stat(found.store_directory).st_mode) == 0o700
    assert git(repository, "status", "--porcelain") == ""


def test_a_store_that_is_a_link_or_a_file_is_refused(repository, tmp_path):
    store = Path(Repository.at(repository).store_directory)
    store.symlink_to(tmp_path / "home")
    with pytest.raises(InvalidPath, match="'holdfast'"):
        Repository.at(repository).ensure_store()
    store.unlink()
    store.touch()
    with pytest.raises(InvalidPath):
        Repository.at(repository).ensure_store()


def test_a_store_of_another_user_is_refused(repository, monkeypatch):
    found = Repository.at(repository)
    found.ensure_store()
    owner = os.stat(found.store_directory).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(Denied, match="another user"):
        found.ensure_store()


def test_a_repository_shows_its_name_and_not_its_place(repository):
    assert repr(Repository.at(repository)) == "Repository('repository')"


def test_git_passes_over_a_pattern_in_every_worktree_and_is_told_once(repository, tmp_path):
    commit(repository, {"a": "1"})
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "second"))
    exclude = repository / ".git" / "info" / "exclude"
    exclude.write_bytes(b"# theirs\n*.own")
    for place in (tmp_path / "second", repository, repository):
        Repository.at(place).ignore("*.ours")
    assert exclude.read_bytes() == b"# theirs\n*.own\n*.ours\n"
    for place in (tmp_path / "second", repository):
        (place / "b.ours").touch()
        assert git(place, "status", "--porcelain") == ""


@pytest.mark.parametrize("obstacle", ["directory", "link", "linked folder", "fifo", "held", "no folder"])
def test_where_git_cannot_be_told_nothing_else_happens(repository, tmp_path, obstacle):
    info, outside = repository / ".git" / "info", tmp_path / "outside"
    outside.mkdir()
    shutil.rmtree(info)
    if obstacle == "linked folder":
        info.symlink_to(outside)
    elif obstacle == "no folder":
        info.write_bytes(b"")
    else:
        info.mkdir()
    exclude = info / "exclude"
    if obstacle == "directory":
        exclude.mkdir()
    elif obstacle == "link":
        exclude.symlink_to(outside / "exclude")
    elif obstacle == "fifo":
        os.mkfifo(exclude)
    elif obstacle == "held":
        exclude.write_bytes(b"")
    with (exclude if obstacle == "held" else repository / ".git" / "HEAD").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        Repository.at(repository).ignore("*.ours")
    assert list(outside.iterdir()) == []
    assert Repository(str(tmp_path)).ignore("*.ours") is None
