"""Heat of functions: complexity times the commits that changed them, by name, through renames of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.analysis.churn import function_changes
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_function_heat import AnalyzeFunctionHeat, Heat, analyze_function_heat
from holdfast.analysis.toolset import analyze
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.storage.git.repository import Repository
from tests.analysis.polyglot import commit as commit_then
from tests.storage.git_support import commit, git

OPERATION = next(item for item in analyze.operations if item.name == "analyze_function_heat")
BUSY = "def busy(a):\n    if a:\n        return {}\n    return 0\n"
CALM = "def calm():\n    return 1\n"


def heat(root: Path, path: str = ".", **arguments: object) -> Heat:
    room = Analysis(Repository.discover(root))
    try:
        return analyze_function_heat(
            room, AnalyzeFunctionHeat.model_validate({"project_path": path, **arguments})
        )
    finally:
        room.close()


def told(found: Heat) -> list[tuple[str, int, int | None, int | None]]:
    return [(one.function, one.cyclomatic, one.changes, one.heat) for one in found.functions]


def test_a_function_is_as_hot_as_it_is_complex_and_often_changed(repository: Path) -> None:
    commit(repository, {"old.py": BUSY.format(0) + CALM})
    for number in range(1, 4):
        commit(repository, {"old.py": BUSY.format(number) + CALM, "other.py": CALM + "#" * number})
    git(repository, "mv", "old.py", "a.py")
    git(repository, "commit", "--quiet", "-m", "Rename")
    commit(repository, {"a.py": "# moved down\n\n" + CALM + BUSY.format(9)})
    (repository / "a.py").write_text(BUSY.format(10) + CALM, encoding="utf-8")
    found = heat(repository, "a.py")
    assert told(found) == [("busy", 2, 5, 3), ("calm", 1, 1, 2)]
    assert [(one.line, one.end_line) for one in found.functions] == [(1, 4), (5, 6)]
    assert (found.max_cyclomatic, found.changes, found.reason) == (2, 6, None)
    assert ("calm", 1, 1, 2) in told(heat(repository))
    commit(repository, {"copied.py": BUSY.format(9) + CALM})
    assert told(heat(repository, "copied.py")) == [("busy", 2, 1, 2), ("calm", 1, 1, 2)]


def test_only_commits_of_the_period_count(repository: Path) -> None:
    (repository / "a.py").write_text(BUSY.format(0), encoding="utf-8")
    commit_then(repository, "Long ago", days_ago=400)
    (repository / "b.py").write_text(CALM, encoding="utf-8")
    commit_then(repository, "The newest", days_ago=200)
    assert told(heat(repository, "b.py")) == [("calm", 1, 1, 2)]
    assert told(heat(repository, "a.py")) == [("busy", 2, 0, 1)]
    assert told(heat(repository, "a.py", period_days=365)) == [("busy", 2, 1, 2)]


def test_what_is_not_known_is_null_with_the_reason(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "a.py").write_text(CALM, encoding="utf-8")
    assert (told(heat(repository)), heat(repository).reason) == (
        [("calm", 1, None, None)],
        function_changes.NO_COMMIT,
    )
    commit(
        repository, {"a.js": "list.map((x) => { if (x) { return 1; } return 2; });\nfunction named() {}\n"}
    )
    assert ("named", 1, 1, 2) in told(heat(repository, "a.js"))
    assert [one for one in told(heat(repository, "a.js")) if one[2] is None]
    monkeypatch.setattr(function_changes, "LIMITS", type("Few", (Limits,), {"heat_versions": 0})())
    assert heat(repository).reason == function_changes.TOO_MANY.format(limit=0)
    assert LIMITS.heat_versions > 0
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text(CALM, encoding="utf-8")
    assert heat(outside).reason == function_changes.NO_GIT


def test_the_text_shows_a_screen_of_functions_unless_more_are_requested(repository: Path) -> None:
    commit(repository, {"a.py": "".join(f"def f{number}():\n    return 0\n" for number in range(30))})
    text = OPERATION.text
    assert text is not None
    shown = text(heat(repository)).splitlines()
    assert shown[20].split()[3:] == ["a.py:39", "f19"]
    assert shown[21] == "Shown: 20 of 30 functions; a higher limit shows more."
    assert text(heat(repository, limit=30)).count("a.py:") == 30
