"""Real branches, merged by a real git that was told about the driver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.comments.sidecar import document as sidecars
from tests import forked
from tests.comments.making import PYTHON, annotate, comment

HOLDFAST = Path(sys.executable).with_name("holdfast")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one comment on `main` and a branch `other`."""
    root = tmp_path / "work tree"
    root.mkdir()
    annotate(root, "src/it's.py", PYTHON, comment(1, 4, "one"))
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root)
    git(root, "branch", "other")
    return root


def git(root: Path, *arguments: str, fails: bool = False) -> str:
    """Run git with nothing of this machine's configuration, and without Holdfast on the search path."""
    environment = {
        "PATH": "/usr/bin:/bin:/usr/local/bin",
        "HOME": str(root.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "true",
    }
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ["git", *named, *arguments], cwd=root, env=environment, capture_output=True, text=True
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=Change")


def run_holdfast(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(root.parent), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    return forked.run([HOLDFAST, *arguments], cwd=root, env=environment, capture_output=True, text=True)


def install(root: Path, *options: str) -> None:
    run_holdfast(root, "install", "git", *options).check_returncode()


def rewrite(root: Path, *comments: dict[str, object]) -> None:
    annotate(root, "src/it's.py", PYTHON, *comments)
    commit(root)


def texts(root: Path) -> list[str]:
    data = (root / "src" / "it's.py.comments").read_bytes()
    return [note.text for note in sidecars.parse_sidecar("src/it's.py", data).comments]


def diverge(root: Path) -> None:
    """Let both branches add a comment and change the same one."""
    rewrite(root, comment(1, 4, "one", status="resolved"), comment(2, 9, "ours"))
    git(root, "checkout", "--quiet", "other")
    rewrite(root, comment(1, 4, "one, better", updated="2025-12-01T00:00:00.000Z"), comment(3, 5, "theirs"))
    git(root, "checkout", "--quiet", "main")


@pytest.mark.requirement("comments-merge")
def test_with_the_driver_two_branches_notes_never_conflict(repository):
    install(repository)
    diverge(repository)
    git(repository, "merge", "--quiet", "other")
    assert texts(repository) == ["one, better", "ours", "theirs"]
    value = json.loads((repository / "src" / "it's.py.comments").read_text())
    assert value["comments"][0]["status"] == "resolved"
    assert git(repository, "status", "--short") == ""


def test_a_rebase_and_a_cherry_pick_use_the_driver_too(repository):
    install(repository)
    diverge(repository)
    git(repository, "checkout", "--quiet", "-b", "picked")
    git(repository, "cherry-pick", "other")
    assert texts(repository) == ["one, better", "ours", "theirs"]
    git(repository, "checkout", "--quiet", "other")
    git(repository, "rebase", "--quiet", "main")
    assert texts(repository) == ["one, better", "ours", "theirs"]


def test_both_branches_may_begin_the_same_sidecar(repository):
    install(repository)
    for branch, number in (("main", 10), ("other", 20)):
        git(repository, "checkout", "--quiet", branch)
        annotate(repository, "new.py", PYTHON, comment(number, 4, branch))
        commit(repository)
    git(repository, "merge", "--quiet", "main")
    data = (repository / "new.py.comments").read_bytes()
    assert {note.text for note in sidecars.parse_sidecar("new.py", data).comments} == {"main", "other"}


@pytest.mark.requirement("comments-merge")
def test_a_deletion_on_one_branch_survives_the_merge(repository):
    install(repository)
    rewrite(repository, comment(2, 9, "ours"))
    git(repository, "checkout", "--quiet", "other")
    rewrite(repository, comment(1, 4, "one"), comment(3, 5, "theirs"))
    git(repository, "merge", "--quiet", "main")
    assert sorted(texts(repository)) == ["ours", "theirs"]


def test_a_side_that_cannot_be_read_is_a_conflict_that_holds_both(repository):
    install(repository)
    rewrite(repository, comment(2, 9, "ours"))
    git(repository, "checkout", "--quiet", "other")
    (repository / "src" / "it's.py.comments").write_text("{ broken")
    commit(repository)
    said = git(repository, "merge", "main", fails=True)
    assert "cannot be merged" in said
    kept = (repository / "src" / "it's.py.comments").read_text()
    assert "{ broken" in kept
    assert '"ours"' in kept


@pytest.mark.requirement("comments-recover")
def test_where_the_driver_could_not_run_the_other_side_comes_back(repository):
    install(repository)
    configuration = repository / ".git" / "config"
    configuration.write_text(configuration.read_text().replace(str(HOLDFAST), "/gone/holdfast"))
    diverge(repository)
    git(repository, "merge", "other", fails=True)
    assert texts(repository) == ["one", "ours"], "git leaves our side alone, without a mark"
    told = run_holdfast(repository, "doctor")
    assert told.returncode == 8
    assert "lacks comments of the other side" in told.stdout
    assert texts(repository) == ["one", "ours"]
    assert run_holdfast(repository, "doctor", "--fix").returncode == 0
    assert texts(repository) == ["one, better", "ours", "theirs"]
    assert "No damage" in run_holdfast(repository, "doctor").stdout
    git(repository, "add", "src/it's.py.comments")
    git(repository, "commit", "--quiet", "--message=Merge")
    assert run_holdfast(repository, "doctor").returncode == 0


def test_without_the_driver_the_same_branches_conflict(repository):
    diverge(repository)
    git(repository, "merge", "other", fails=True)


def test_after_uninstalling_git_knows_nothing_of_it(repository):
    before = (repository / ".git" / "config").read_text()
    install(repository)
    assert "merge=holdfast-comments" in (repository / ".git" / "info" / "attributes").read_text()
    install(repository, "--uninstall")
    assert (repository / ".git" / "config").read_text() == before
    diverge(repository)
    git(repository, "merge", "other", fails=True)
