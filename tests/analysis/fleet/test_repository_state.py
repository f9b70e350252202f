"""The state of a repository: the same for the same content, another after whatever may change an answer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.analysis.fleet.repository_state import RepositoryState, repository_state
from holdfast.storage.git.repository import Repository


def state(place: Path) -> RepositoryState:
    return repository_state(Repository.at(place))


def git(place: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(place), *arguments], check=True, capture_output=True)


@pytest.fixture
def made(repository: Path) -> Path:
    (repository / "a.py").write_text("x = 1\n", encoding="utf-8")
    (repository / ".gitignore").write_text("*.log\ncoverage.xml\n", encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "One")
    return repository


def test_what_nobody_changed_has_the_same_state_however_it_looks(made: Path) -> None:
    before = state(made)
    os.utime(made / "a.py", (1, 1))
    (made / "noise.log").write_text("ignored", encoding="utf-8")
    assert state(made) == before
    assert before.commit is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda place: (place / "a.py").write_text("x = 2\n", encoding="utf-8"),
        lambda place: (place / "new.txt").write_text("", encoding="utf-8"),
        lambda place: (place / "a.py").unlink(),
        lambda place: (place / "coverage.xml").write_text("<coverage/>", encoding="utf-8"),
        lambda place: git(place, "commit", "--quiet", "--allow-empty", "-m", "Two"),
        lambda place: git(place, "branch", "other"),
    ],
)
def test_every_change_that_may_change_an_answer_changes_the_state(made: Path, change) -> None:
    before = state(made)
    change(made)
    assert state(made).digest != before.digest


def test_outside_of_git_and_before_the_first_commit_there_is_a_state(
    tmp_path: Path, repository: Path
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("x\n", encoding="utf-8")
    assert state(tmp_path / "plain").commit is None
    assert state(repository).commit is None
    assert state(tmp_path / "plain").digest != state(repository).digest
