"""`analyze_dead_code`: what is listed, counted and compared, and what its arguments change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.engine import scan_in_progress
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_dead_code import AnalyzeDeadCode, DeadCode, analyze_dead_code
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.sarif_schema import check_sarif
from tests.storage.git_support import commit

FILES = {
    "main.py": "import json\nfrom pkg.tools import used\n\nif __name__ == '__main__':\n    used()\n",
    "pkg/tools.py": "def used():\n    return 1\n\n\ndef lost():\n    kept = 1\n    return 2\n\n\n"
    "def by_string():\n    return 3\n\n\nNAME = 'by_string'\nprint(NAME)\n",
    "tests/test_it.py": "def helper():\n    return 1\n\n\ndef test_it():\n    assert True\n",
}


def asked(where: Path, **arguments: Any) -> DeadCode:
    room = Analysis(Repository.discover(where))
    try:
        result: DeadCode = analyze_dead_code(room, validate_arguments(AnalyzeDeadCode, arguments))
    finally:
        room.close()
    return result


def words(result: DeadCode) -> str:
    [operation] = [one for one in toolset("analyze").operations if one.name == "analyze_dead_code"]
    return operation.as_text(result)


def names(result: DeadCode) -> list[str]:
    return [one.name for one in result.findings]


@pytest.fixture
def project(repository: Path) -> Path:
    commit(repository, dict(FILES))
    return repository


@pytest.mark.requirement("analysis-214", "analysis-215")
def test_every_finding_is_there_and_every_line_is_counted_once(project):
    result = asked(project)

    assert names(result) == ["json", "lost", "helper", "kept"]
    for one in result.findings:
        lines = (project / one.file).read_text(encoding="utf-8").splitlines()
        assert one.name in lines[one.line - 1]
        assert one.line <= one.end_line <= len(lines)
    # `kept` stands within `lost`: 1 line of the import, 3 of `lost`, 2 of `helper`.
    assert result.summary.dead_lines == 6
    assert result.summary.lines == sum(text.count("\n") for text in FILES.values())
    assert result.summary.dead_share == pytest.approx(6 / result.summary.lines)


@pytest.mark.requirement("analysis-215", "analysis-216")
def test_an_empty_folder_has_no_findings_and_a_missing_one_is_named(project):
    (project / "empty").mkdir()

    result = asked(project, project_path="empty")

    assert (result.findings, result.summary.total, result.summary.dead_share) == ([], 0, None)
    assert (result.files_discovered, result.files_analyzed, result.files_skipped) == (0, 0, {})
    assert asked(project).files_analyzed == len(FILES)
    with pytest.raises(NotFound, match="'gone'"):
        asked(project, project_path="gone")


@pytest.mark.requirement("analysis-217")
def test_every_argument_changes_what_is_said(project):
    assert "by_string" in names(asked(project, min_confidence="low"))
    assert names(asked(project, kinds=["function"])) == ["lost", "helper"]
    assert names(asked(project, include_tests=False)) == ["json", "lost", "kept"]
    part = asked(project, limit=1)
    assert (len(part.findings), part.left_out, part.summary.total) == (1, 3, 4)
    assert names(asked(project, project_path="pkg")) == ["lost", "kept"]  # used from outside counts as used
    texts = {form: words(asked(project, format=form)) for form in ("summary", "detailed", "json", "sarif")}
    assert len(set(texts.values())) == len(texts)
    assert "No reachable code uses the name" in texts["detailed"]
    assert json.loads(texts["json"])["summary"]["total"] == 4
    with pytest.raises(InvalidArguments):
        asked(project, format="svg")


def test_the_sarif_fits_its_schema(project):
    document = json.loads(words(asked(project, format="sarif")))

    check_sarif(document)
    assert len(document["runs"][0]["results"]) == 4


@pytest.mark.requirement("analysis-217")
def test_only_what_became_dead_is_listed_since_a_commit(project):
    assert names(asked(project, since="HEAD")) == []
    (project / "main.py").unlink()  # the only one who called `used`

    result = asked(project, since="HEAD")

    assert names(result) == ["used"]
    assert result.exit_code == 0
    assert asked(project, since="HEAD", fail_on_violation=True).exit_code == 1
    assert (
        asked(
            project, since="HEAD", min_confidence="high", kinds=["import"], fail_on_violation=True
        ).exit_code
        == 0
    )
    with pytest.raises(NotFound):
        asked(project, diff="gone")
    with pytest.raises(InvalidArguments, match="two ways"):
        asked(project, since="HEAD", diff="HEAD")


def test_what_is_kept_of_templates_and_of_files_follows_every_change(project, monkeypatch):
    monkeypatch.setattr(scan_in_progress, "RECENT_CHANGE_NANOSECONDS", -(10**15))
    read: list[str] = []
    known = Analysis.read_bytes

    def noted(room: Analysis, path: str, most: int) -> bytes | None:
        read.append(path)
        return known(room, path, most)

    monkeypatch.setattr(Analysis, "read_bytes", noted)
    room = Analysis(Repository.discover(project))

    def found() -> list[str]:
        read.clear()
        return names(analyze_dead_code(room, AnalyzeDeadCode()))

    (project / "page.html").write_text("{{ other }}", encoding="utf-8")
    assert ("lost" in found(), "page.html" in read) == (True, True)
    (project / "pkg/tools.py").write_text("def lost():\n    return 4\n", encoding="utf-8")
    assert ("lost" in found(), "page.html" in read) == (True, False)
    (project / "page.html").write_text("{{ lost }}", encoding="utf-8")
    assert ("lost" in found(), "page.html" in read) == (False, True)
    (project / "pkg/tools.py").write_text("def __lost__():\n    return 4\n", encoding="utf-8")
    assert "__lost__" not in found()
    (project / "pkg/tools.py").write_text("def lost_again():\n    return 4\n", encoding="utf-8")
    assert "lost_again" in found()
    room.close()


def test_generated_code_is_searched_for_names(project):
    generated = "# Code generated by kelp. DO NOT EDIT.\nfrom pkg.tools import lost\nlost()\n"
    (project / "pkg/made.py").write_text(generated, encoding="utf-8")

    result = asked(project, min_confidence="low")

    assert result.files_skipped == {"generated": 1}
    [lost] = [one for one in result.findings if one.name == "lost"]
    assert (lost.level, "pkg/made.py" in lost.reason) == ("low", True)
