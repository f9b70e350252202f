"""`analyze_code_churn`: which files changed most, by the history that git has."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_code_churn import AnalyzeCodeChurn, CodeChurn, analyze_code_churn
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, InvalidPath, NotFound, Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.storage.git_support import commit, git

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


@pytest.fixture
def dated(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Commit files, so many days ago, as somebody."""

    def commit_dated(files: dict[str, bytes | str], days: float = 1, author: str = "Ada", **more: str) -> str:
        moment = f"@{int((NOW - timedelta(days=days)).timestamp())} +0000"
        for name, value in (("NAME", author), ("EMAIL", more.get("email", f"{author}@example.org".lower()))):
            monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv("GIT_AUTHOR_DATE", moment)
        monkeypatch.setenv("GIT_COMMITTER_DATE", moment)
        return commit(repository, files)

    return commit_dated


def asked(where: Path, **arguments: Any) -> CodeChurn:
    room = Analysis(Repository.discover(where), lambda: NOW)
    try:
        given = validate_arguments(AnalyzeCodeChurn, {"project_path": ".", **arguments})
        result: CodeChurn = analyze_code_churn(room, given)
    finally:
        room.close()
    return result


def words(result: CodeChurn) -> str:
    [operation] = [one for one in toolset("analyze").operations if one.name == "analyze_code_churn"]
    return operation.as_text(result)


def paths(result: CodeChurn) -> list[str]:
    return [file.path for file in result.files]


@pytest.mark.requirement("analysis-77")
def test_a_project_is_required_and_a_missing_one_is_named(repository, dated):
    dated({"src/a.py": "1\n"})
    with pytest.raises(InvalidArguments, match="project_path"):
        validate_arguments(AnalyzeCodeChurn, {})
    with pytest.raises(NotFound, match="'srk'") as missing:
        asked(repository, project_path="srk")
    assert "'src'" in (missing.value.hint or "")
    for outside in ("../x", "/etc", ".git"):
        with pytest.raises(InvalidPath):
            asked(repository, project_path=outside)


@pytest.mark.requirement("analysis-78", "analysis-217")
def test_the_period_decides_which_commits_count(repository, dated):
    dated({"old": "1\n"}, days=440)
    dated({"new": "1\n"}, days=420)
    dated({"newest": "1\n"}, days=400)
    assert paths(asked(repository)) == ["new", "newest"]
    assert asked(repository).period_days == 30
    assert asked(repository).period_end == "2025-02-24T12:00:00Z"
    assert paths(asked(repository, period_days=50)) == ["new", "newest", "old"]
    assert paths(asked(repository, period_days=20.5)) == ["new", "newest"]
    assert paths(asked(repository, period_days=19)) == ["newest"]
    assert asked(repository, period_days=20.5).period_days == 20.5


def test_a_huge_period_is_all_there_is_and_a_senseless_one_is_refused(repository, dated):
    dated({"old": "1\n"}, days=10_000)
    for huge in (36_526, 1e18, 1e308, 10**30):
        result = asked(repository, period_days=huge)
        assert (paths(result), result.period_days) == (["old"], 36_525)
    for senseless in (0, -1, float("inf"), float("nan"), "soon", 10**400):
        with pytest.raises(InvalidArguments):
            asked(repository, period_days=senseless)


@pytest.mark.requirement("analysis-80", "analysis-214")
def test_the_figures_are_those_of_the_history(repository, dated):
    dated({"a.py": "1\n2\n3\n", "b.py": "1\n"}, days=5)
    dated({"a.py": "1\n2\n"}, days=4, author="Grace")
    dated({"a.py": "1\n2\n3\n4\n", "c.py": "x\n"}, days=3)
    result = asked(repository)
    [first, second, third] = result.files
    assert first.model_dump() == {
        "path": "a.py", "commit_count": 3, "unique_authors": ["Ada", "Grace"], "author_count": 2,
        "additions": 5, "deletions": 1, "churn_score": 1.0,
        "last_modified": "2026-03-28T12:00:00Z", "first_seen": "2026-03-26T12:00:00Z",
    }  # fmt: skip
    assert (second.path, third.path) == ("b.py", "c.py")
    assert second.churn_score == round(0.6 * 1 / 3 + 0.4 * 1 / 6, 4)
    assert result.summary.model_dump() == {
        "total_commits": 3, "merge_commits": 0, "total_files_changed": 3, "most_changed_files": ["a.py"],
        "stable_files": [], "author_contributions": {"Ada": 3, "Grace": 1}, "author_count": 2,
    }  # fmt: skip
    assert (result.generated_at, result.repository_root) == ("2026-03-31T12:00:00Z", ".")
    assert not result.shallow
    assert result.note is None


def test_hot_and_stable_files_are_told_apart(repository, dated):
    for number in range(12):
        dated({"hot": f"{number}\n" * 50})
    dated({"stable": "1\n"})
    summary = asked(repository).summary
    assert (summary.most_changed_files, summary.stable_files) == (["hot"], ["stable"])


@pytest.mark.requirement("analysis-216")
def test_a_renamed_file_has_one_history_under_its_present_name(repository, dated):
    text = "".join(f"line {number}\n" for number in range(40))
    dated({"old.py": text, "gone.py": "x\n"}, days=9)
    dated({"old.py": text + "more\n"}, days=8)
    git(repository, "mv", "old.py", "middle.py")
    dated({"middle.py": text}, days=7)
    (repository / "src").mkdir()
    git(repository, "mv", "middle.py", "src/new name.py")
    git(repository, "rm", "--quiet", "gone.py")
    dated({"old.py": "another file\n"}, days=6)
    result = asked(repository)
    assert [(file.path, file.commit_count) for file in result.files] == [
        ("src/new name.py", 4),
        ("old.py", 1),
    ]
    assert (result.files_discovered, result.files_analyzed) == (3, 2)
    assert result.files_skipped == {"deleted since": 1}
    assert result.summary.total_commits == 4
    assert asked(repository, project_path="src").summary.total_commits == 4


def test_a_branch_that_went_on_under_the_old_name_counts_for_the_new_one(repository, dated):
    text = "".join(f"line {number}\n" for number in range(40))
    dated({"old.py": text}, days=9)
    git(repository, "checkout", "--quiet", "-b", "side")
    dated({"old.py": text + "end\n"}, days=3)
    git(repository, "checkout", "--quiet", "main")
    git(repository, "mv", "old.py", "new.py")
    dated({"new.py": text}, days=7)
    git(repository, "merge", "--quiet", "--no-edit", "side")
    result = asked(repository)
    assert [(file.path, file.commit_count) for file in result.files] == [("new.py", 3)]
    assert (result.summary.total_commits, result.summary.merge_commits) == (3, 1)


def test_authors_are_those_of_the_mailmap_and_may_be_called_anything(repository, dated):
    dated({"a": "1\n"}, author="ada", email="a@old.example.org")
    dated({"a": "2\n"}, author="Ada | Lovelace")
    dated({"a": "3\n"}, author="A\tB\u202e")
    assert asked(repository).files[0].author_count == 3
    (repository / ".mailmap").write_text("Ada | Lovelace <ada@example.org> <a@old.example.org>\n")
    [file] = asked(repository).files
    assert file.unique_authors == ["Ada | Lovelace", "A B"]
    assert asked(repository).summary.author_contributions == {"A B": 1, "Ada | Lovelace": 1}


def test_comments_kept_beside_a_source_are_no_change_of_it(repository, dated):
    dated({"a.py": "x = 1\n"})
    dated({"a.py.comments": "[]\n"})
    result = asked(repository)
    assert (paths(result), result.summary.total_commits) == (["a.py"], 1)
    assert result.summary.total_files_changed == 1


def test_a_binary_file_is_touched_and_has_no_lines(repository, dated):
    dated({"image": bytes(range(256)), "a": "1\n"})
    files = {file.path: file for file in asked(repository).files}
    assert (files["image"].additions, files["image"].deletions) == (None, None)
    assert (files["image"].commit_count, files["image"].churn_score) == (1, 0.6)
    assert (files["a"].additions, files["a"].deletions) == (1, 0)


@pytest.mark.requirement("analysis-215")
def test_folders_files_and_work_trees_have_figures_of_their_own(repository, dated, tmp_path):
    dated({"empty/.gitkeep": ""}, days=90)
    dated({"src/a.py": "1\n", "src/deep/b.py": "1\n", "srcs": "1\n"}, days=3)
    dated({"src/deep/b.py": "2\n"}, days=2)
    assert paths(asked(repository, project_path="src")) == ["src/deep/b.py", "src/a.py"]
    assert asked(repository, project_path="src/deep/b.py").summary.total_commits == 2
    assert asked(repository, project_path="./src/deep/").summary.total_files_changed == 1
    nothing = asked(repository, project_path="empty")
    assert (nothing.files, nothing.summary.total_commits, nothing.summary.author_count) == ([], 0, 0)
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "other"))
    assert paths(asked(tmp_path / "other" / "src")) == ["src/deep/b.py", "src/a.py", "srcs"]


def test_names_that_are_hard_to_write_come_through(repository, dated):
    names = ["a b", "ü", 'q"uote', "tab\there", "new\nline", "a => b", "{a => b}", "comma,", "-dash"]
    dated(dict.fromkeys(names, "1\n"))
    result = asked(repository, format="csv")
    assert len(paths(result)) == len(names)
    read = list(csv.DictReader(io.StringIO(words(result))))
    assert [row["file_path"] for row in read] == paths(result)
    assert {"tab\\there", "new\\nline", 'q"uote', "{a => b}"} <= set(paths(result))


@pytest.mark.requirement("analysis-79")
def test_every_format_is_written_and_another_one_is_refused_with_their_names(repository, dated):
    dated({"a|b.py": "1\n", "c.py": "1\n2\n"})
    summary, markdown, table, data = (
        words(asked(repository, format=name)) for name in ("summary", "markdown", "csv", "json")
    )
    assert "Commits: 1 in the 30 days to the newest commit of 2026-03-30 by 1 author;" in summary
    assert "| `a\\|b.py` | 1 | 1 | 0 | 1 | 0.80 |" in markdown
    assert table.splitlines()[:2] == [
        "file_path,commits,additions,deletions,churn_score,unique_authors,last_modified",
        "c.py,1,2,0,1.0,1,2026-03-30T12:00:00Z",
    ]
    assert json.loads(data) == asked(repository, format="json").wire()
    with pytest.raises(InvalidArguments) as refused:
        asked(repository, format="xml")
    assert all(name in str(refused.value.data) for name in ("summary", "json", "markdown", "csv"))


@pytest.mark.requirement("analysis-217")
def test_the_limit_cuts_the_list_and_not_the_figures(repository, dated):
    dated({f"{number:02}": "1\n" for number in range(60)})
    result = asked(repository)
    assert (len(result.files), result.files_analyzed, result.summary.total_files_changed) == (50, 60, 60)
    assert "10 of 60 files" in words(result)
    assert len(asked(repository, limit=60).files) == 60
    assert paths(asked(repository, limit=2)) == ["00", "01"]


def test_a_repository_without_commits_says_so(repository):
    result = asked(repository)
    assert (result.files, result.note) == ([], "There are no commits yet.")
    assert "There are no commits yet." in words(result)


def test_a_shallow_clone_says_so(repository, dated, tmp_path):
    dated({"a": "1\n"}, days=9)
    dated({"a": "2\n"}, days=8)
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", "shallow")
    result = asked(tmp_path / "shallow")
    assert result.shallow
    assert "shallow" in (result.note or "")
    assert result.summary.total_commits == 1


def test_a_partial_clone_counts_commits_and_no_lines(repository, dated, tmp_path):
    dated({"a": "1\n", "old": "x\n"}, days=9)
    git(repository, "mv", "old", "new name")
    dated({"a": "2\n"}, days=8)
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{repository}", "partial")
    result = asked(tmp_path / "partial")
    assert [(file.path, file.commit_count, file.additions, file.churn_score) for file in result.files] == [
        ("a", 2, None, 0.6),
        ("new name", 2, None, 0.6),
    ]
    assert "lacks the contents" in (result.note or "")
    assert asked(repository).files[0].additions == 2


def test_a_directory_outside_of_git_is_an_error_that_says_so(tmp_path):
    with pytest.raises(Unavailable, match="not in a git repository"):
        asked(tmp_path)


def test_the_repository_cannot_have_a_program_run(repository, dated, tmp_path):
    ran = tmp_path / "ran"
    dated({"a.py": "one\n", ".gitattributes": "*.py diff=evil\n"})
    dated({"a.py": "two\n"})
    for name in ("diff.evil.textconv", "diff.evil.command", "diff.external"):
        git(repository, "config", name, f"sh -c 'echo >> {ran}; cat \"$0\"'")
    assert asked(repository).summary.total_commits == 2
    assert not ran.exists()
    git(repository, "log", "--patch", "--ext-diff", check=False)
    assert ran.exists(), "control: git itself runs it"


def test_what_a_repository_configures_changes_no_figure(repository, dated):
    text = "".join(f"line {number}\n" for number in range(40))
    dated({"src/a": text}, days=9)
    git(repository, "mv", "src/a", "src/b")
    dated({"src/b": text}, days=8)
    before = asked(repository)
    for setting in (
        "diff.renames=false", "diff.relative=true", "log.showRoot=false", "log.diffMerges=separate",
        "color.ui=always", "core.quotePath=true", "diff.algorithm=patience",
    ):  # fmt: skip
        git(repository, "config", *setting.split("="))
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "empty")
    for cached in (repository / ".git" / "holdfast").glob("commits*"):
        cached.unlink()
    assert asked(repository).files == before.files


def test_a_person_types_paths_from_where_they_are(repository, dated, run_holdfast):
    dated({"src/a.py": "1\n", "b.py": "1\n"})
    answer = run_holdfast("analyze", "churn", ".", "--period-days", "20000", cwd=repository / "src")
    assert answer.returncode == 0, answer.stderr
    assert "src/a.py" in answer.stdout
    assert "b.py" not in answer.stdout
    everything = run_holdfast("analyze", "churn", "--period-days", "20000", "--format", "csv")
    assert len(everything.stdout.splitlines()) == 3
