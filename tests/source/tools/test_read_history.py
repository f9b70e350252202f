"""The commits that changed a file or lines of it, whatever the repository configures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.source.room import Source
from holdfast.source.tools.read_history import ReadHistory, SourceHistory, read_history
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit, git


@pytest.fixture
def room(repository: Path) -> Iterator[Source]:
    room = Source(Repository.discover(repository))
    yield room
    room.close()


def history(room: Source, file: str = "a.py", **more: Any) -> SourceHistory:
    return read_history(room, ReadHistory.model_validate({"file": file, **more}))


def subjects(found: SourceHistory) -> list[str]:
    return [commit.subject for commit in found.commits]


def amended(repository: Path, files: dict[str, str], message: str, *more: str) -> None:
    commit(repository, files)
    git(repository, "commit", "--quiet", "--amend", "-m", message, *more)


@pytest.fixture
def grown(repository: Path) -> Path:
    amended(repository, {"old.py": "one\ntwo\nthree\nfour\n"}, "Begin")
    amended(repository, {"old.py": "one\nTWO\nthree\nfour\n"}, "Shout", "-m", "As TP-3 wants.")
    git(repository, "mv", "old.py", "a.py")
    git(repository, "commit", "--quiet", "-m", "Rename")
    amended(repository, {"a.py": "one\nTWO\nthree\nFOUR\n"}, "Louder", "--author", "Bo <bo@example.org>")
    return repository


def test_the_history_of_a_file_goes_beyond_its_renames(room: Source, grown: Path) -> None:
    found = history(room)
    assert subjects(found) == ["Louder", "Rename", "Shout", "Begin"]
    assert [commit.file for commit in found.commits] == ["a.py", "a.py", "old.py", "old.py"]
    assert found.commits[0].author == "Bo"
    assert found.commits[2].body == "As TP-3 wants."
    assert found.revision == found.commits[0].commit == git(grown, "rev-parse", "HEAD").strip()
    assert not found.has_more
    assert subjects(history(room, limit=2)) == ["Louder", "Rename"]
    assert history(room, limit=2).has_more
    assert subjects(history(room, "old.py", revision="HEAD~2")) == ["Shout", "Begin"]


def test_lines_of_the_work_tree_have_the_commits_that_changed_them(room: Source, grown: Path) -> None:
    (grown / "a.py").write_text("zero\nhalf\none\nTWO\nthree\nFOUR\n", encoding="utf-8")
    found = history(room, start=4)
    assert (found.start, found.end) == (2, 2)
    assert subjects(found) == ["Shout", "Begin"]
    assert subjects(history(room, start=4, end=6)) == ["Louder", "Shout", "Begin"]
    assert subjects(history(room, start=2, revision="HEAD")) == ["Shout", "Begin"]
    uncommitted = history(room, start=1, end=2)
    assert (uncommitted.start, uncommitted.end, uncommitted.commits) == (None, None, [])
    assert history(room, start=99).commits == []


def test_new_files_have_no_history_and_missing_ones_are_reported(room: Source, repository: Path) -> None:
    (repository / "a.py").write_text("x\n", encoding="utf-8")
    assert history(room).revision is None
    assert history(room, start=1).commits == []
    commit(repository, {"b.py": "x\n"})
    assert history(room).commits == []
    for file, more in (("gone.py", {}), ("gone.py", {"revision": "HEAD"}), ("b.py", {"revision": "nowhere"})):
        with pytest.raises(NotFound):
            history(room, file, **more)
    for lines in ({"end": 3}, {"start": 3, "end": 2}):
        with pytest.raises(InvalidArguments):
            history(room, **lines)


def test_no_program_of_the_repository_runs(room: Source, repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    commit(repository, {"a.py": "one\n", ".gitattributes": "*.py diff=evil filter=evil\n"})
    for name in ("diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge"):
        git(repository, "config", name, f"touch {ran}; cat")
    git(repository, "config", "diff.external", f"touch {ran}")
    assert len(history(room).commits) == len(history(room, start=1).commits) == 1
    assert not ran.exists()
