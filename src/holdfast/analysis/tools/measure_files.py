"""`measure_files`: the measurements of every file, for a map of the code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from holdfast.analysis import reports
from holdfast.analysis.churn.recent_churn import RECENT_DAYS, recent_churn
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.engine.scope import AnalysisScope, RunOptions
from holdfast.analysis.render.text_layout import lines, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.models import Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project
from holdfast.syntax.record import Record

FileMeasure = Literal["hot_spot", "complexity", "churn", "debt", "duplication", "defects", "coverage"]
Column = Mapping[str, float | None]
"""The values of one measure, by file."""

_DEFAULT_FILES = 200
"""Files in a result by default: a judgement, as many as a map of the code shows legibly."""
_MAX_FILES = 2_000
"""Files in a result at most: a judgement, so that it stays below a megabyte."""
_MAX_FOLDERS = 100
"""Folders that summarise the other files: a judgement, half as many as there are files by default."""
_MAX_FILES_SHOWN = 20
"""Files in the text of a result: a judgement, about a screen."""
_SLOW_MEASURES: tuple[FileMeasure, ...] = ("duplication", "defects", "coverage")
_NO_COMMIT = "there is no commit"
_NOT_CHOSEN = "only measured if it is the chosen measure"
_METHOD = (
    f"Complexity: cyclomatic, the sum over functions. Churn: commits in the {RECENT_DAYS} days"
    " before HEAD's newest commit. Hot spot: complexity × churn. Debt: comments with a debt marker."
    " Duplication: share of lines in exact or renamed clones. Defects: the probability of a fix within a"
    " year. Coverage: percent, from coverage reports."
)


class MeasureFiles(arguments.ProjectInput):
    """The files, and the measure to sort by."""

    measure: FileMeasure = Field(
        default="hot_spot",
        description="The worst come first. Duplication, defects and coverage are only measured if chosen.",
    )
    limit: Integer = count_field(
        _DEFAULT_FILES, _MAX_FILES, "Maximum number of files; the rest is summarised by folder."
    )


class FileNumbers(Output):
    """The measurements of one file; `not_measured` has the reasons for missing ones."""

    path: UntrustedText
    lines: int
    complexity: int
    complex_line: int | None = optional("The line of its most complex function.")
    churn: int | None = optional("Commits that changed it.")
    hot_spot: int | None = optional("Complexity × churn.")
    debt: int
    debt_line: int | None = optional("The line of its most severe debt item.")
    duplication: float | None = optional("From 0 to 1.")
    defects: float | None = optional("From 0 to 1.")
    coverage: float | None = optional("Percent.")


class FolderRest(Output):
    """The files below a folder that are not listed."""

    folder: UntrustedText = Field(description="Empty for the root.")
    files: int
    lines: int


class FilesByMeasure(FileCounts):
    """The measurements of files, the worst first."""

    project_path: UntrustedText
    measure: FileMeasure
    total_lines: int
    files: list[FileNumbers]
    rest: list[FolderRest] = Field(description="The other files, none of which is worse.")
    not_measured: dict[FileMeasure, UntrustedText] = Field(description="Missing measures, with reasons.")
    method: str


def _text(result: FilesByMeasure, width: int) -> str:
    measure = result.measure.replace("_", " ")
    rows = []
    for file in result.files[:_MAX_FILES_SHOWN]:
        value = getattr(file, result.measure)
        rows.append(("–" if value is None else f"{value:g}", str(file.lines), file.path))
    files = table([(measure, "lines", "file"), *rows], width, flexible=(2,)) if rows else ""
    headline = (
        f"Files: {result.files_analyzed} with {result.total_lines} lines, the worst by {measure} first."
    )
    reasons = [f"No {name.replace('_', ' ')}: {reason}." for name, reason in result.not_measured.items()]
    return lines(headline, skipped_files_line(result), files, reasons, result.method)


@analyze.operation(
    "measure_files",
    title="Measure files",
    effect=Effect.READ,
    command="files",
    example="holdfast analyze files src --measure churn",
    **arguments.project_options(_text, specified=False, stages=3),
)
def measure_files(room: Analysis, args: MeasureFiles) -> FilesByMeasure:
    """Measure each file: lines, complexity, churn, hot spots, debt; or duplication, defects, coverage.

    The worst files by the chosen measure come first, and those beyond the limit are summarised by folder.
    Missing measures have a reason.
    """
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project, with_names=args.measure == "defects")
    scope = AnalysisScope(room, scan, RunOptions(project))
    missing: dict[FileMeasure, str] = {name: _NOT_CHOSEN for name in _SLOW_MEASURES if name != args.measure}
    columns: dict[FileMeasure, Column] = {}
    churn = recent_churn(room, scan, project.path)
    if churn.has_history:
        columns["churn"] = _column(churn, "commits")
    else:
        missing |= {"churn": _NO_COMMIT, "hot_spot": _NO_COMMIT}
    if args.measure in _SLOW_MEASURES:
        columns[args.measure], reason = _slow_column(args.measure, scope)
        if reason:
            missing[args.measure] = reason
    debt = reports.debt(scope).by_file
    complexities = room.cached_by_file("complexity of files", scan, _complexity)
    numbers = [
        _numbers(path, record.lines, complexities[path], columns, debt) for path, record in scan.files.items()
    ]
    numbers.sort(key=lambda file: _worst_first(file, args.measure))
    return FilesByMeasure(
        **scan.counts.result_fields(project.path),
        measure=args.measure,
        total_lines=sum(file.lines for file in numbers),
        files=numbers[: args.limit],
        rest=_sum_by_folder(numbers[args.limit :]),
        not_measured=missing,
        method=_METHOD,
    )


def _column(report: AnalysisReport, number: str) -> Column:
    return {path: numbers[number] for path, numbers in report.file_numbers().items()}


def _worst_first(file: FileNumbers, measure: FileMeasure) -> tuple[float, int, str]:
    """Return a sort key; files without a value come last."""
    value = getattr(file, measure)
    if value is None:
        badness = -1  # all others are 0 or more
    else:
        badness = 100 - value if measure == "coverage" else value
    return -badness, -file.lines, file.path


def _complexity(_path: str, record: Record) -> tuple[int, int | None]:
    """Return the complexity of a file, and the line of its most complex function."""
    most_complex = max(record.functions, key=lambda function: function.cyclomatic, default=None)
    total = sum(function.cyclomatic for function in record.functions)
    return total, None if most_complex is None else most_complex.line


def _numbers(
    path: str,
    line_count: int,
    complexity_and_line: tuple[int, int | None],
    columns: Mapping[FileMeasure, Column],
    debt_by_file: Mapping[str, tuple[int, int | None]],
) -> FileNumbers:
    complexity, complex_line = complexity_and_line
    # A file missing from a column has the value 0, except for coverage, where no report covers it.
    values: dict[str, Any] = {
        name: column.get(path, None if name == "coverage" else 0) for name, column in columns.items()
    }
    debt, debt_line = debt_by_file.get(path, (0, None))
    return FileNumbers(
        path=path,
        lines=line_count,
        complexity=complexity,
        complex_line=complex_line,
        hot_spot=complexity * values["churn"] if "churn" in values else None,
        debt=debt,
        debt_line=debt_line,
        **values,
    )


def _slow_column(measure: FileMeasure, scope: AnalysisScope) -> tuple[Column, str | None]:
    """Run the analysis of a slow measure; return the values and, if there are none, the reason."""
    if measure == "duplication":
        shares = reports.duplicates(scope).file_numbers()
        return {path: round(numbers["duplicated_share"], 4) for path, numbers in shares.items()}, None
    if measure == "defects":
        return _column(reports.defects(scope), "defect_probability"), None
    report = reports.coverage(scope)
    return {path: file.percent for path, file in report.files.items()}, report.reason


def _sum_by_folder(files: Sequence[FileNumbers]) -> list[FolderRest]:
    """Summarise files by folder, at the greatest depth with at most `_MAX_FOLDERS` folders."""
    line_counts: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for file in files:
        line_counts[tuple(file.path.split("/")[:-1])].append(file.lines)
    depth = max(map(len, line_counts), default=0)
    while len({folders[:depth] for folders in line_counts}) > _MAX_FOLDERS:
        depth -= 1
    grouped: dict[str, list[int]] = defaultdict(list)
    for folders, counts in line_counts.items():
        grouped["/".join(folders[:depth])] += counts
    return [
        FolderRest(folder=folder, files=len(counts), lines=sum(counts))
        for folder, counts in sorted(grouped.items())
    ]
