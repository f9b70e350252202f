"""`analyze_code_churn`: which files changed most in a period, how much, and by whom."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictFloat

from holdfast.analysis.churn.churn_report import COMMIT_WEIGHT, LINE_WEIGHT, ChurnReport, FileChurn
from holdfast.analysis.engine.scan import FileCounts
from holdfast.analysis.render.csv_table import csv_table
from holdfast.analysis.render.markdown import LEFT, RIGHT, code, markdown_table
from holdfast.analysis.render.text_layout import lines
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.clock import rfc3339, rfc3339_of_seconds
from holdfast.kernel.errors import NotFetched
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted, one_line, printable_path, table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.incomplete_clone import shallow_commits
from holdfast.storage.git.project_files import checked_project

ChurnFormat = Literal["summary", "json", "markdown", "csv"]

_DELETED = "deleted since"
_DEFAULT_FILES = 50
"""Files in a result by default: a judgement, about a screen."""
_MAX_AUTHORS = 50
"""Authors in a result: a judgement, about a screen."""
_MAX_AUTHORS_PER_FILE = 10
"""Authors listed for a file: a judgement, as few files have more than ten important authors."""
_MAX_FILES_SHOWN = 10
"""Files in the text of a result: a judgement, so that it stays short."""
_MIN_HIGH_SCORE = 0.5
"""A file with a higher score is among those changed most: a convention, stated in docs/analysis.md."""
_MAX_STABLE_SCORE = 0.1
"""A file with a lower score is stable: a convention, stated in docs/analysis.md."""
_FILES_CHECKED = 10
"""How many of the first files may be among those changed most, and of the last stable: a convention."""
_CHANGED_MOST = f"Of the first {_FILES_CHECKED} files, those with a score above {_MIN_HIGH_SCORE}."
_STABLE = f"Of the last {_FILES_CHECKED} files, those with a score below {_MAX_STABLE_SCORE}."
_METHOD = (
    "Commits of the current branch by commit time, in a period that ends with HEAD's newest commit; merge"
    " commits are not counted, since the merged commits are. Lines as git"
    " counts them; renames are followed; authors by .mailmap."
    f" churn_score = min(1, {COMMIT_WEIGHT} commits/most commits + {LINE_WEIGHT} lines/most lines)."
)
_SHALLOW = "This clone is shallow: older commits are missing from these figures."
_PARTIAL = (
    "This clone lacks the contents of older commits: lines are not counted, so the score is"
    f" {COMMIT_WEIGHT} at most, and a file that was changed while it was renamed has no earlier history."
)
_EMPTY = "There are no commits yet."
_CSV_FIELDS = {
    "commits": "commit_count", "additions": "additions", "deletions": "deletions",
    "churn_score": "churn_score", "unique_authors": "author_count", "last_modified": "last_modified",
}  # fmt: skip
"""The columns after the path, with the fields of a file that they show."""
_MARKDOWN_COLUMNS = ("File", "Commits", "Added", "Deleted", "Authors", "Score")


class AnalyzeCodeChurn(Input):
    """The files to analyze, and how far back."""

    project_path: arguments.ProjectPath
    period_days: StrictFloat = Field(
        default=30,
        ge=1,
        allow_inf_nan=False,
        description="How many days to look back from HEAD's newest commit;"
        f" {LIMITS.churn_days} at most, larger values are reduced.",
    )
    format: ChurnFormat = Field(
        default="summary", description="The format of the text; the data is the same."
    )
    limit: Integer = count_field(
        _DEFAULT_FILES, LIMITS.churn_files, "How many files to return, the most churned first."
    )


class ChurnedFile(Output):
    """The churn of a file in the period."""

    path: UntrustedText = Field(description="The current path.")
    commit_count: int
    unique_authors: list[UntrustedText] = Field(description=f"The top {_MAX_AUTHORS_PER_FILE} by commits.")
    author_count: int
    additions: int | None = Field(description="Lines; null if git counts none, as for a binary file.")
    deletions: int | None = Field(description="Lines; null if git counts none, as for a binary file.")
    churn_score: float = Field(description="From 0 to 1.")
    last_modified: str = Field(description="The newest of its commits.")
    first_seen: str = Field(description="The oldest of its commits in the period.")


class ChurnSummary(Output):
    """The churn of all files combined."""

    total_commits: int = Field(description="Distinct commits that changed a file of the project.")
    merge_commits: int = Field(description="In the whole repository; not counted as changes of files.")
    total_files_changed: int = Field(description="Distinct files, including those deleted since.")
    most_changed_files: list[UntrustedText] = Field(description=_CHANGED_MOST)
    stable_files: list[UntrustedText] = Field(description=_STABLE)
    author_contributions: dict[UntrustedText, int] = Field(
        description=f"Changed files of the top {_MAX_AUTHORS} authors."
    )
    author_count: int


class CodeChurn(FileCounts):
    """The churn of a project's files, the most churned first."""

    files_discovered: int = Field(description="Files that a commit in the period changed.")
    files_analyzed: int = Field(description="Changed files that git still tracks.")
    files_skipped: dict[str, int] = Field(description="The number of other files, by reason.")
    format: ChurnFormat
    generated_at: str
    period_days: float = Field(description="The length of the period in days.")
    period_end: str | None = Field(description="The time of HEAD's newest commit, where the period ends.")
    repository_root: str
    project_path: UntrustedText
    shallow: bool = Field(description="Whether the clone lacks older history.")
    note: str | None = Field(description="What limits these figures, if anything.")
    method: str
    files: list[ChurnedFile] = Field(description="Cut to `limit`; `files_analyzed` is the total number.")
    summary: ChurnSummary


def _churned_file(churn: ChurnReport, file: FileChurn) -> ChurnedFile:
    authors = churn.author_names(file)
    return ChurnedFile(
        path=printable_path(file.path),
        commit_count=file.commits,
        unique_authors=[one_line(name) for name in authors[:_MAX_AUTHORS_PER_FILE]],
        author_count=len(authors),
        additions=None if file.is_binary else file.additions,
        deletions=None if file.is_binary else file.deletions,
        churn_score=file.score,
        last_modified=rfc3339_of_seconds(file.last_time),
        first_seen=rfc3339_of_seconds(file.first_time),
    )


def _summary(churn: ChurnReport) -> ChurnSummary:
    contributions = churn.files_by_author()
    return ChurnSummary(
        total_commits=churn.commits,
        merge_commits=churn.merges,
        total_files_changed=len(churn.files) + churn.deleted_files,
        most_changed_files=[
            printable_path(file.path) for file in churn.files[:_FILES_CHECKED] if file.score > _MIN_HIGH_SCORE
        ],
        stable_files=[
            printable_path(file.path)
            for file in churn.files[-_FILES_CHECKED:]
            if file.score < _MAX_STABLE_SCORE
        ],
        author_contributions={
            one_line(name): contributions[name] for name in list(contributions)[:_MAX_AUTHORS]
        },
        author_count=len(contributions),
    )


def _headline(result: CodeChurn) -> str:
    summary = result.summary
    return (
        f"Commits: {summary.total_commits} in {_period(result)}"
        f" by {counted(summary.author_count, 'author')};"
        f" files changed: {summary.total_files_changed}; merges, not counted: {summary.merge_commits}."
    )


def _period(result: CodeChurn) -> str:
    days = f"{result.period_days:g} days"
    return f"the {days} to the newest commit of {result.period_end[:10]}" if result.period_end else days


def _text(result: CodeChurn, width: int) -> str:
    rows = [_cells(file) for file in result.files[:_MAX_FILES_SHOWN]]
    header = ("score", "commits", "+", "-", "authors", "file")
    is_cut = len(rows) < result.files_analyzed
    file_count = f"{len(rows)} of {result.files_analyzed} files; the format csv lists {len(result.files)}."
    groups = {"Changed most": result.summary.most_changed_files, "Stable": result.summary.stable_files}
    return lines(
        _headline(result),
        table([header, *rows], width, flexible=(5,)) if rows else "",
        file_count if is_cut else "",
        (f"{name}: {', '.join(paths)}" for name, paths in groups.items() if paths),
        _caveats(result),
    )


def _caveats(result: CodeChurn) -> list[str]:
    deleted = [f"Files {reason}, not shown: {count}." for reason, count in result.files_skipped.items()]
    return [*deleted, *filter(None, [result.note])]


def _cells(file: ChurnedFile) -> tuple[str, ...]:
    lines = ("not counted", "") if file.additions is None else (str(file.additions), str(file.deletions))
    return (f"{file.churn_score:.2f}", str(file.commit_count), *lines, str(file.author_count), file.path)


def _markdown(result: CodeChurn) -> str:
    rows = []
    for file in result.files[:_MAX_FILES_SHOWN]:
        score, *counts, path = _cells(file)
        rows.append((code(path), *counts, score))
    title = f"# Code churn of {_period(result)}"
    files = markdown_table(_MARKDOWN_COLUMNS, rows, (LEFT, *[RIGHT] * 5))
    return "\n".join([title, "", _headline(result), "", files, "", *_caveats(result)]).rstrip()


def _csv(result: CodeChurn) -> str:
    rows = ((file.path, *(getattr(file, name) for name in _CSV_FIELDS.values())) for file in result.files)
    return csv_table(("file_path", *_CSV_FIELDS), rows)


@analyze.operation(
    "analyze_code_churn",
    title="Analyze code churn",
    effect=Effect.READ,
    command="churn",
    example="holdfast analyze churn src --period-days 90 --format csv",
    **arguments.project_options(_text, csv=_csv, markdown=_markdown),
)
def analyze_code_churn(room: Analysis, args: AnalyzeCodeChurn) -> CodeChurn:
    """Analyze git history for code churn: which files changed most in a period, how much, and by whom.

    Renamed files are followed. Commits are cached, so repeated calls are fast.
    """
    path = checked_project(room.repository, args.project_path)
    days = min(args.period_days, LIMITS.churn_days)
    shallow = bool(shallow_commits(room.repository))
    note = _SHALLOW if shallow else None
    try:
        churn = room.history.churn(path, days)
    except NotFetched:
        churn = room.history.churn(path, days, count_lines=False)
        note = _PARTIAL
    return CodeChurn(
        files_discovered=len(churn.files) + churn.deleted_files,
        files_analyzed=len(churn.files),
        files_skipped={_DELETED: churn.deleted_files} if churn.deleted_files else {},
        format=args.format,
        generated_at=rfc3339(room.clock()),
        period_days=days,
        period_end=None if churn.until is None else rfc3339_of_seconds(churn.until),
        repository_root=".",
        project_path=path or ".",
        shallow=shallow,
        note=note if churn.has_history else _EMPTY,
        method=_METHOD,
        files=[_churned_file(churn, file) for file in churn.files[: args.limit]],
        summary=_summary(churn),
    )
