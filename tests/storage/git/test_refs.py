"""Refs: moved only from the value that was seen, durable, and read as git reads them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.kernel.errors import InvalidPath, Unavailable
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.ancestry import count_between, first_after_fork, is_ancestor
from holdfast.storage.git.commits.commit import NewCommit, signature
from holdfast.storage.git.commits.commit_reader import read_commits, walk_commits
from holdfast.storage.git.commits.commit_writer import write_commits
from holdfast.storage.git.ref_files import HeadFile, RefFiles
from holdfast.storage.git.refs import RefLocked, RefMoved, Refs
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import write_commit, write_empty_tree

REF = "refs/holdfast/log/a"


@pytest.fixture
def git(repository: Path) -> Iterator[Git]:
    with Git(Repository.at(repository)) as git:
        yield git


@pytest.fixture
def refs(repository: Path, git: Git) -> Refs:
    return Refs(Repository.at(repository), git, "refs/holdfast/")


def commit(git: Git, message: str, parent: str | None = None, seconds: int = 1_700_000_000) -> str:
    person = signature("Ada <ada@example.org>", seconds)
    return write_commit(git, write_empty_tree(git), parent, NewCommit(message, person, person))


def plain(repository: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=True
    ).stdout


def test_a_ref_moves_only_from_the_value_that_was_seen(git: Git, refs: Refs):
    one, two, three = (commit(git, name) for name in ("one", "two", "three"))
    refs.move(REF, one, None)
    refs.move(REF, two, one)
    with pytest.raises(RefMoved):
        refs.move(REF, three, one)
    with pytest.raises(RefMoved):
        refs.move(REF, three, None)
    assert refs.tips() == {REF: two}


def test_a_ref_that_somebody_holds_is_said_to_be_locked_and_the_lock_is_left(
    repository: Path, git: Git, refs: Refs
):
    refs.move(REF, commit(git, "one"), None)
    lock = repository / ".git" / f"{REF}.lock"
    lock.touch()
    with pytest.raises(RefLocked, match="locked"):
        refs.move(REF, commit(git, "two"), refs.tips()[REF])
    assert lock.exists()


def test_a_ref_to_nothing_is_refused(refs: Refs):
    with pytest.raises(Unavailable, match="refs/holdfast/log/a"):
        refs.move(REF, "1" * 40, None)


def test_tips_are_what_git_lists_loose_packed_and_both(repository: Path, git: Git, refs: Refs):
    one, two = commit(git, "one"), commit(git, "two")
    names = [f"refs/holdfast/log/{name}" for name in "abc"] + ["refs/holdfast/remotes/origin/a"]
    for name in names:
        refs.move(name, one, None)
    assert refs.tips() == git.ref_tips("refs/holdfast/") == dict.fromkeys(names, one)
    plain(repository, "pack-refs", "--all")
    assert refs.tips() == dict.fromkeys(names, one)
    refs.move(names[1], two, one)
    plain(repository, "update-ref", "refs/heads/other", one)
    assert refs.tips() == git.ref_tips("refs/holdfast/") == {**dict.fromkeys(names, one), names[1]: two}
    plain(repository, "update-ref", "-d", names[0])
    assert names[0] not in refs.tips()


@pytest.mark.parametrize(
    "content", [b"", b"garbage\n", b"0" * 40, b"ref: refs/heads/main\n", b"a" * 39, b"\xff" * 40]
)
def test_a_damaged_ref_is_there_without_an_id(repository: Path, content: bytes):
    file = repository / ".git" / REF
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    (file.parent / "b.lock").touch()
    (file.parent / "link").symlink_to("/etc/passwd")
    tips = RefFiles(str(repository / ".git"), "refs/holdfast/").tips()
    assert tips == {REF: "", "refs/holdfast/log/link": ""}


def test_packed_refs_without_end_are_refused_unread(repository: Path, refs: Refs):
    (repository / ".git" / "packed-refs").touch()
    os.truncate(repository / ".git" / "packed-refs", 1 << 32)
    with pytest.raises(Unavailable, match="too large"):
        refs.tips()


def test_nobody_waits_for_packed_refs_that_are_a_pipe(repository: Path, refs: Refs):
    os.mkfifo(repository / ".git" / "packed-refs")
    with pytest.raises(InvalidPath, match="is not a regular file"):
        refs.tips()
    head = HeadFile(str(repository / ".git"), str(repository / ".git"), lambda: "asked")
    assert head.commit() == "asked"


def test_commits_written_in_bulk_read_back_newest_first(git: Git, refs: Refs):
    start = commit(git, "start")
    refs.move(REF, start, None)
    news = [
        NewCommit(
            f"Grüße {number}\n\n{{}}\n", signature("Bea <b>", 5), signature("Bea <b>", 1_700_000_001 + number)
        )
        for number in range(300)
    ]
    write_commits(git, REF, start, news)
    tip = refs.tips()[REF]
    found = list(read_commits(git, [tip]))
    assert [one.message for one in found] == [one.message for one in reversed(news)] + ["start"]
    assert [one.committed for one in found][:2] == [1_700_000_300, 1_700_000_299]
    assert [one.id for one in walk_commits(git, tip)] == [one.id for one in found]
    assert len(list(read_commits(git, [tip], [found[10].id]))) == 10
    assert count_between(git, [tip], [start]) == 300


def test_forks_are_told_from_what_merely_is_behind(git: Git):
    base = commit(git, "base")
    ours = commit(git, "ours 2", commit(git, "ours 1", base))
    theirs = commit(git, "theirs", base)
    assert is_ancestor(git, base, ours)
    assert is_ancestor(git, ours, ours)
    assert not is_ancestor(git, theirs, ours)
    (first,) = (one for one in walk_commits(git, ours) if one.message == "ours 1")
    assert first_after_fork(git, ours, theirs) == first.id


def test_a_history_with_a_hole_is_walked_to_the_hole(repository: Path, git: Git):
    base = commit(git, "base")
    middle = commit(git, "middle", base)
    tip = commit(git, "tip", middle)
    (repository / ".git" / "objects" / middle[:2] / middle[2:]).unlink()
    with pytest.raises(Unavailable):
        list(read_commits(git, [tip]))
    walked = walk_commits(git, tip)
    assert next(walked).id == tip
    with pytest.raises(ValueError, match=middle[:12]):
        next(walked)


@pytest.mark.parametrize(
    ("person", "name", "email"),
    [
        ("Ada <ada@example.org>", "Ada", "ada@example.org"),
        ("Ada", "Ada", ""),
        ("", "unknown", ""),
        ("<only@mail>", "unknown", "only@mail"),
        ("E\nvil <x>\ncommitter Z <z>", "E vil", "xcommitter Z z"),
    ],
)
def test_a_signature_cannot_break_out_of_its_line(git: Git, person: str, name: str, email: str):
    made = signature(person, 7)
    assert (made.name, made.email) == (name, email)
    assert commit(git, "x")


def test_a_large_input_and_a_large_output_pass_side_by_side(git: Git):
    blob = b"x" * 3_000_000
    name = git.run("hash-object", "-w", "--stdin", stdin=blob).decode().strip()
    assert b"".join(git.stream("cat-file", "blob", name)) == blob
    with pytest.raises(Unavailable, match="cat-file"):
        list(git.stream("cat-file", "blob", "1" * 40))
