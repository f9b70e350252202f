"""The check of defects: the probability of each file, and which files got riskier."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.analysis.defects.prediction import predictions
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from tests.analysis.tools.test_quality_gate import asked, branches, broken, check
from tests.storage.git_support import commit, git


@pytest.fixture
def project(repository: Path) -> Path:
    commit(repository, {"a.py": branches(30, "a"), "b.py": branches(4, "b")})
    return repository


@pytest.mark.requirement("analysis-199")
def test_the_highest_probability_is_held_to_the_threshold(project):
    room = Analysis(Repository.at(project))
    found = predictions(room, Project(), room.scan(Project())).predictions
    room.close()
    measured = check(asked(project), "defects")
    assert (measured.threshold, measured.actual) == (0.3, found[0].probability)
    told = broken(asked(project, defect_threshold=0), "defects")
    assert told == [(one.file, None, one.probability) for one in found]
    assert check(asked(project, defect_threshold=found[0].probability), "defects").status == "pass"


def test_with_a_base_only_files_that_changed_and_got_riskier_count(project):
    nothing = check(asked(project, since="HEAD", defect_threshold=0), "defects")
    assert (nothing.status, nothing.actual, nothing.reason) == (
        "pass",
        None,
        "no changed file became riskier",
    )
    (project / "b.py").write_text(branches(60, "b"), encoding="utf-8")
    (project / "a.py").write_text(branches(3, "a"), encoding="utf-8")
    assert [file for file, _, _ in broken(asked(project, since="HEAD", defect_threshold=0), "defects")] == [
        "b.py"
    ]
    git(project, "checkout", "--quiet", ".")
    git(project, "mv", "a.py", "renamed.py")
    assert check(asked(project, since="HEAD", defect_threshold=0), "defects").status == "pass"
