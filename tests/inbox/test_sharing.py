from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.faces.cli import main as full_main
from holdfast.faces.cli.quick import attempt
from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import NotFound
from tests.inbox.conftest import Reader

OpenInbox = Callable[[Path], Inbox]
Commit = Callable[[str, str], None]

NOTHING = "No new messages from lazygit"


@pytest.fixture
def worktree(repository: Path, commit: Commit, tmp_path: Path) -> Path:
    commit("a.py", "one\ntwo\nthree\n")
    path = tmp_path / "worktree"
    subprocess.run(["git", "worktree", "add", "--quiet", str(path)], cwd=repository, check=True)
    return path


@pytest.mark.requirement("inbox-79")
def test_another_project_sees_and_removes_nothing(
    room: Inbox, reader: Reader, open_inbox: OpenInbox, tmp_path: Path
):
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    room.send("a.py", "For this project")
    theirs = Reader(open_inbox(other))
    assert theirs.check() == NOTHING
    assert theirs.read("lazygit://messages") == NOTHING
    assert theirs.read("lazygit://history") == "No messages yet."
    assert "For this project" in reader.check()


@pytest.mark.requirement("inbox-79")
def test_a_repository_inside_another_has_its_own_inbox(room: Inbox, repository: Path, open_inbox: OpenInbox):
    inner = repository / "vendor" / "library"
    subprocess.run(["git", "init", "--quiet", str(inner)], check=True)
    room.send("a.py", "For the outer one")
    assert Reader(open_inbox(inner)).check() == NOTHING


@pytest.mark.requirement("inbox-79")
def test_worktrees_of_one_project_share_the_inbox(
    room: Inbox, reader: Reader, worktree: Path, open_inbox: OpenInbox
):
    theirs = Reader(open_inbox(worktree))
    theirs.run("send_message", file="a.py", comment="From the worktree")
    room.send("a.py", "From the main work tree")
    answer = reader.check()
    assert "From the worktree" in answer
    assert "From the main work tree" in answer
    assert theirs.check() == NOTHING


def test_changed_lines_are_those_of_the_worktree_the_remark_came_from(
    room: Inbox, reader: Reader, worktree: Path, open_inbox: OpenInbox
):
    (worktree / "a.py").write_text("one\ntwo\nthree\nfour\n", encoding="utf-8")
    open_inbox(worktree).send("a.py", "Changed there, not here")
    assert "\nLine: 4\n" in reader.check()


def test_a_worktree_that_is_gone_leaves_the_lines_out(
    reader: Reader, repository: Path, worktree: Path, open_inbox: OpenInbox
):
    (worktree / "a.py").write_text("changed\n", encoding="utf-8")
    open_inbox(worktree).send("a.py", "Sent before it went")
    subprocess.run(["git", "worktree", "remove", "--force", str(worktree)], cwd=repository, check=True)
    answer = reader.check()
    assert "Sent before it went" in answer
    assert "Line:" not in answer


def test_a_directory_without_git_has_an_inbox_too(home: Path, tmp_path: Path, open_inbox: OpenInbox):
    plain = tmp_path / "plain"
    plain.mkdir()
    reader = Reader(open_inbox(plain))
    with pytest.raises(NotFound, match="There is no git repository here"):
        reader.run("send_message", file=".", comment="No git here")
    assert list(plain.iterdir()) == [], "a store that nobody asked for"
    (plain / ".holdfast").mkdir(mode=0o700)
    reader.run("send_message", file=".", comment="No git here")
    assert "No git here" in reader.check()
    assert (plain / ".holdfast" / "inbox.sqlite").exists()


def test_a_work_tree_whose_name_is_no_text_has_an_inbox_too(
    home: Path, tmp_path: Path, open_inbox: OpenInbox, monkeypatch: pytest.MonkeyPatch
):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd-\xff"))
    subprocess.run(["git", "init", "--quiet", os.fspath(odd)], check=True)
    monkeypatch.chdir(odd)
    reader = Reader(open_inbox(odd))
    reader.run("send_message", file=".", comment="The long way")
    assert full_main(["send", "--file", ".", "--comment", "The command"]) == 0
    assert attempt(["send", "--file", ".", "--comment", "The quick way"]) is None
    assert reader.check().count("Comment: The") == 2
