"""What another process writes to a room reaches the listeners of that room, and no others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.storage.watching.topic_source import TopicSource
from holdfast.storage.watching.watcher import Watcher
from holdfast.workspace import Workspace
from tests.storage.git_support import commit, git
from tests.storage.watching.waiting import Counter

ROOMS = ("comments", "inbox", "milestones", "tasks")
HOLDFAST = [sys.executable, "-m", "holdfast"]

Change = Callable[[Path, str], None]


def write_comments(repository: Path, text: str) -> None:
    sidecar = repository / "a.py.comments"
    subprocess.run([sys.executable, "-c", f"open({str(sidecar)!r}, 'w').write({text!r})"], check=True)


def send_message(repository: Path, text: str) -> None:
    words = ["send", "--file", ".", "--comment", text]
    subprocess.run([*HOLDFAST, *words], cwd=repository, check=True, capture_output=True)


def move_log(repository: Path, text: str) -> None:
    git(repository, "update-ref", f"refs/holdfast/log/{text}", "HEAD")


def add_task(repository: Path, text: str) -> None:
    subprocess.run([*HOLDFAST, "tasks", "add", text], cwd=repository, check=True, capture_output=True)


CHANGES: dict[str, Change] = dict(zip(ROOMS, (write_comments, send_message, move_log, add_task), strict=True))


@pytest.fixture
def prepared(repository: Path) -> Path:
    commit(repository, {"a.py": "x = 1\n"})
    subprocess.run([*HOLDFAST, "tasks", "init"], cwd=repository, check=True, capture_output=True)
    for change in CHANGES.values():
        change(repository, "first")
    return repository


@pytest.fixture
def watcher() -> Iterator[Watcher]:
    watcher = Watcher(poll_seconds=1e6)  # nothing here is noticed by polling
    yield watcher
    watcher.close()


def listeners(watcher: Watcher, workspace: Workspace) -> dict[str, Counter]:
    counters = {name: Counter() for name in ROOMS}
    for name, counter in counters.items():
        watcher.subscribe(name, counter, workspace.room(name).topic(""))
    return counters


def check_all(watcher: Watcher) -> None:
    """Wait until the watcher has checked every topic."""
    checks = Counter()
    unsubscribe = watcher.subscribe(f"round {id(checks)}", Counter(), TopicSource(checks))
    for calls in (2, 3, 4):
        watcher.notify(None)
        assert checks.reaches(calls)
    unsubscribe()


@pytest.mark.parametrize("name", ROOMS)
def test_a_change_by_another_process_reaches_its_own_topic_and_no_other(prepared, watcher, name):
    workspace = Workspace.discover(prepared)
    counters = listeners(watcher, workspace)
    CHANGES[name](prepared, "second")
    assert counters[name].reaches(1)
    check_all(watcher)
    assert [other for other in ROOMS if counters[other].calls] == [name]
    workspace.close()


def test_the_source_reports_files_what_is_staged_and_commits_and_nothing_else(prepared, watcher):
    workspace = Workspace.discover(prepared)
    counter = Counter()
    watcher.subscribe("source", counter, workspace.room("source").topic(""))
    steps: tuple[Callable[[], object], ...] = (
        lambda: (prepared / "a.py").write_text("x = 2\n"),
        lambda: (prepared / "a.py").write_text("x = 3\n"),  # as long, and perhaps at the same time
        lambda: git(prepared, "add", "a.py"),
        lambda: git(prepared, "commit", "--quiet", "--message", "Change"),
        lambda: git(prepared, "branch", "other"),
        (prepared / "a.py").unlink,
    )
    for number, step in enumerate(steps):
        check_all(watcher)
        before = counter.calls
        step()
        assert counter.reaches(before + 1), number
    check_all(watcher)
    before = counter.calls
    for name in ("inbox", "milestones", "tasks"):
        CHANGES[name](prepared, "second")
    check_all(watcher)
    assert counter.calls == before
    workspace.close()


def test_rooms_that_hold_nothing_yet_report_their_first_change(repository, watcher):
    commit(repository, {"a.py": "x = 1\n"})
    workspace = Workspace.discover(repository)
    counters = listeners(watcher, workspace)
    subprocess.run([*HOLDFAST, "tasks", "init"], cwd=repository, check=True, capture_output=True)
    for name, change in CHANGES.items():
        change(repository, "first")
        assert counters[name].reaches(1), name
    workspace.close()


def test_a_worktree_is_notified_of_changes_in_the_common_git_directory(prepared, watcher, tmp_path):
    git(prepared, "worktree", "add", "--quiet", str(tmp_path / "second"))
    workspace = Workspace.discover(tmp_path / "second")
    counters = listeners(watcher, workspace)
    for name in ("inbox", "milestones", "tasks"):
        CHANGES[name](prepared, "from-the-first-worktree")
        assert counters[name].reaches(1), name
    write_comments(prepared, "{ }")
    check_all(watcher)
    assert counters["comments"].calls == 0, "each worktree has files of its own"
    write_comments(tmp_path / "second", "{ }")
    assert counters["comments"].reaches(1)
    workspace.close()


def test_refs_that_are_packed_and_folders_that_git_removes_meanwhile_hide_nothing(prepared, watcher):
    workspace = Workspace.discover(prepared)
    counter = listeners(watcher, workspace)["milestones"]
    git(prepared, "pack-refs", "--all", "--prune")
    check_all(watcher)
    before = counter.calls
    move_log(prepared, "after")
    assert counter.reaches(before + 1)
    git(prepared, "pack-refs", "--all", "--prune")
    git(prepared, "update-ref", "-d", "refs/holdfast/log/after")
    assert counter.reaches(before + 2)
    workspace.close()
