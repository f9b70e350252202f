"""A new directory is flushed into the one that holds it before anything in it is acknowledged.

The disk of the power cuts is ext4, which flushes a new directory together with any file in it; others need
not. So this looks at the calls instead: whatever `mkdir` made has to be followed by an `fsync` of its parent.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft as Comment
from holdfast.comments.store import Comments
from holdfast.inbox.store import Inbox
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git import refs
from holdfast.storage.git import repository as store
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql import store_file
from tests.milestones.clones import issue, opened
from tests.reliability import test_tasks_survive


def write_issue(path: Path) -> None:
    with opened(path) as room:
        issue(room, "New")


def send(path: Path) -> None:
    with closing(Inbox.open(Repository.at(path))) as room:
        room.send("a.py", "New")


def comment(path: Path) -> None:
    (path / "a.txt").write_text("one\n")
    with closing(Comments.open(Repository.at(path))) as room:
        CommentWriter(room).add(RepoPath.parse("a.txt"), Comment(1, "New", "tests", "TODO"))


ACTS: dict[str, Callable[[Path], None]] = {
    "issue": write_issue,
    "message": send,
    "comment": comment,
    "task": test_tasks_survive.prepared,
}

Place = tuple[int, int]


@pytest.fixture
def unflushed(monkeypatch: pytest.MonkeyPatch) -> dict[Place, str]:
    """The directories in which a new one was made and that were not flushed since."""
    waiting: dict[Place, str] = {}
    mkdir, fsync = os.mkdir, os.fsync

    def noted_mkdir(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        mkdir(path, mode, dir_fd=dir_fd)
        if str(path).endswith(".locks"):
            return  # there is nothing in it to be lost
        parent = os.stat(dir_fd if dir_fd is not None else os.path.dirname(path))
        waiting[parent.st_dev, parent.st_ino] = os.path.basename(path)

    def noted_fsync(descriptor: int) -> None:
        fsync(descriptor)
        flushed = os.fstat(descriptor)
        waiting.pop((flushed.st_dev, flushed.st_ino), None)

    monkeypatch.setattr(os, "mkdir", noted_mkdir)
    monkeypatch.setattr(os, "fsync", noted_fsync)
    return waiting


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.evidence("A3", "all rooms", "a new directory for the first {act} is flushed", every=True)
def test_no_directory_that_a_write_needs_is_left_unflushed(
    repository: Path, unflushed: dict[Place, str], act: str
):
    ACTS[act](repository)
    assert unflushed == {}


@pytest.mark.parametrize("act", ["issue", "message", "task"])
@pytest.mark.evidence("A3", "all rooms", control="flushes no directory")
def test_control_without_flushing_directories_they_are_left_so(
    repository: Path, unflushed: dict[Place, str], monkeypatch: pytest.MonkeyPatch, act: str
):
    for module in (store_file, refs, store):
        monkeypatch.setattr(module, "flush_directory", lambda path: None)
    ACTS[act](repository)
    assert unflushed
