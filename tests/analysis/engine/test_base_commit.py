"""A base: what files were in a commit, also those that have another name by now."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.analysis.complexity.function_complexity import ComplexityCounting
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit, git

LONG = "".join(f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(10))


@pytest.fixture
def moved(repository: Path) -> BaseCommit:
    commit(repository, {"old.py": LONG, "same.py": "a = 1\nb = 2\nc = 3\n", "gone.py": "x = 1\n"})
    git(repository, "mv", "old.py", "new.py")
    git(repository, "rm", "--quiet", "gone.py")
    (repository / "new.py").write_text(LONG.replace("a + 3", "a or 3"), encoding="utf-8")
    (repository / "same.py").write_text("c = 3\na = 1\nnew = 4\nb = 2\n", encoding="utf-8")
    (repository / "other.py").write_text("def other():\n    pass\n", encoding="utf-8")
    return BaseCommit(Repository.at(repository), "HEAD")


def test_a_renamed_file_is_compared_with_what_it_was(moved, repository):
    assert moved.renames == {"new.py": "old.py"}
    scan = Analysis(Repository.at(repository)).scan(Project())
    before = dict(moved.changed_records(scan.files))
    assert {path: record is not None for path, record in before.items()} == {
        "new.py": True,
        "other.py": False,
        "same.py": True,
    }
    worse = ComplexityCounting("extended").increased_functions(scan.files, moved)
    assert [(one.file, one.function.name) for one in worse] == [("new.py", "f3"), ("other.py", "other")]


def test_lines_that_only_moved_are_not_new(moved):
    new = moved.new_lines(["new.py", "other.py", "same.py"])
    assert new == {"new.py": {14}, "other.py": {1, 2}, "same.py": {3}}


def test_the_survey_of_a_base_has_files_under_the_names_they_had(moved, repository):
    scan = Analysis(Repository.at(repository)).scan(Project())
    then = moved.scan(scan)
    assert [*then.files] == ["gone.py", "old.py", "same.py"]
    assert then.version is None
