"""Who last changed each line, whatever the repository configures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.source.room import Source
from holdfast.source.tools.read_blame import Blame, ReadBlame, read_blame
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit, git


@pytest.fixture
def room(repository: Path) -> Iterator[Source]:
    room = Source(Repository.discover(repository))
    yield room
    room.close()


def blamed(room: Source, file: str = "a.py") -> Blame:
    return read_blame(room, ReadBlame.model_validate({"file": file}))


def told(found: Blame) -> list[tuple[int, int, str | None]]:
    return [(span.start, span.end, span.subject) for span in found.spans]


def test_each_line_has_its_last_commit_and_uncommitted_ones_none(room: Source, repository: Path) -> None:
    commit(repository, {"a.py": "one\ntwo\nthree\n"})
    git(repository, "commit", "--quiet", "--amend", "-m", "Begin")
    (repository / "a.py").write_text("one\nTWO\nthree\n", encoding="utf-8")
    git(repository, "commit", "--quiet", "--all", "-m", "Shout", "--author", "Bo <bo@example.org>")
    (repository / "a.py").write_text("zero\none\nTWO\nthree\n", encoding="utf-8")
    found = blamed(room)
    assert told(found) == [(1, 1, None), (2, 2, "Begin"), (3, 3, "Shout"), (4, 4, "Begin")]
    assert found.spans[2].author == "Bo"
    assert found.spans[2].commit == git(repository, "rev-parse", "HEAD").strip()
    assert found.spans[0].commit is None


def test_renames_are_followed_and_new_files_have_no_commit(room: Source, repository: Path) -> None:
    commit(repository, {"old.py": "one\ntwo\nthree\n"})
    git(repository, "mv", "old.py", "a.py")
    git(repository, "commit", "--quiet", "-m", "Rename")
    assert [(span.start, span.end) for span in blamed(room).spans] == [(1, 3)]
    assert blamed(room).spans[0].subject != "Rename"
    (repository / "new.py").write_text("x\n", encoding="utf-8")
    (repository / "empty.py").write_text("", encoding="utf-8")
    assert told(blamed(room, "new.py")) == [(1, 1, None)]
    assert told(blamed(room, "empty.py")) == []


def test_no_program_of_the_repository_runs_and_no_setting_hides_a_commit(
    room: Source, repository: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    commit(repository, {"a.py": "one\n", ".gitattributes": "*.py diff=evil filter=evil\n"})
    for name in ("diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge"):
        git(repository, "config", name, f"touch {ran}; cat")
    git(repository, "config", "blame.ignoreRevsFile", "missing")
    (repository / "a.py").write_text("one\ntwo\n", encoding="utf-8")
    assert [(span.start, span.commit is None) for span in blamed(room).spans] == [(1, False), (2, True)]
    assert not ran.exists()
