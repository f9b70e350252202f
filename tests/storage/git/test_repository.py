"""Finding the repository and its store without running git."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from holdfast.kernel.errors import Denied, InvalidPath, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.quick import NeedsFullProgram, are_owned_by_caller, enclosing_repository
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


# Repositories of other users.

STRANGER = 12345
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


@pytest.fixture(params=["work tree", "git directory", "worktree", "bare"])
def foreign(request, repository, tmp_path) -> Path:
    """A directory inside a repository of which a part belongs to somebody else."""
    place, given = repository, repository
    if request.param == "git directory":
        given = repository / ".git"
    elif request.param == "worktree":
        commit(repository, {"a": "1"})
        place = tmp_path / "second"
        git(repository, "worktree", "add", "--quiet", str(place))
        given = place / ".git"
    elif request.param == "bare":
        place = given = tmp_path / "bare.git"
        git(tmp_path, "init", "--quiet", "--bare", str(place))
    (place / "deeper").mkdir()
    os.chown(given, STRANGER, -1)
    return place / "deeper"


def git_finds_one(where: Path) -> bool:
    return subprocess.run(["git", "rev-parse", "--git-dir"], cwd=where, capture_output=True).returncode == 0


def both_find_one(where: Path) -> bool:
    """Ask us and git, who must agree."""
    if git_finds_one(where):
        return Repository.discover(where).git_dir is not None
    with pytest.raises(Denied, match="belongs to another user") as caught:
        Repository.discover(where)
    assert str(where.parent) not in caught.value.sentence()
    return False


@needs_root
def test_a_repository_of_another_user_is_refused_as_git_refuses_it(foreign):
    assert not both_find_one(foreign)
    with pytest.raises(Denied):
        Repository.at(foreign.parent)
    with pytest.raises(NeedsFullProgram):
        enclosing_repository(str(foreign))


SAFE = [
    "*",
    "{place}",
    "{place}/",
    "{parent}/*",
    "%(prefix)/x",
    "~/../{name}",
    "{place}/deeper",
    "",
    "elsewhere",
]


@needs_root
@pytest.mark.parametrize("value", SAFE)
def test_safe_directories_of_the_user_count_as_they_do_for_git(foreign, value):
    place = foreign.parent
    text = value.format(place=place, parent=place.parent, name=place.name)
    git(place.parent, "config", "--global", "safe.directory", text)
    assert both_find_one(foreign) or value not in ("*", "{place}")
    git(place.parent, "config", "--global", "--add", "safe.directory", "")
    assert not both_find_one(foreign), "an empty value takes back what was said before"


@needs_root
def test_safe_directories_of_the_repository_do_not_count(foreign):
    place = foreign.parent
    git(place, "-c", "safe.directory=*", "config", "safe.directory", "*")
    assert not both_find_one(foreign)


@needs_root
def test_safe_directories_of_the_command_line_count(foreign, monkeypatch):
    for name, value in {"COUNT": "1", "KEY_0": "safe.directory", "VALUE_0": "*"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert both_find_one(foreign)


@needs_root
@pytest.mark.parametrize(
    ("variable", "counts"), [(str(STRANGER), True), ("1", False), ("12345x", False), ("", False)]
)
def test_under_sudo_the_files_of_the_person_count(foreign, monkeypatch, variable, counts):
    monkeypatch.setenv("SUDO_UID", variable)
    assert both_find_one(foreign) is counts


@needs_root
@pytest.mark.parametrize("foreign", ["git directory"], indirect=True)
def test_no_command_uses_a_repository_of_another_user(foreign, run_holdfast):
    listed = run_holdfast("milestones", "list", cwd=foreign)
    sent = run_holdfast("send", "--anyway", "--file", "a", "--comment", "x", cwd=foreign)
    hook = run_holdfast("inbox", "drain", "--hook", cwd=foreign)
    for answer in (listed, sent, hook):
        assert answer.returncode != 0
        assert "belongs to another user" in answer.stderr
    assert not list(foreign.parent.rglob("holdfast"))


def test_whoever_is_not_the_owner_is_asked_about(repository, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert not are_owned_by_caller(str(repository))
    assert Repository.discover(repository).git_dir, "git, whose user owns it, has the last word"
    with pytest.raises(NeedsFullProgram):
        enclosing_repository(str(repository))


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
