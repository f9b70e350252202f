"""`measure_files`: the measurements of every file, for a map of the code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from holdfast.analysis import reports
from holdfast.analysis.churn.recent_churn import RECENT_DAYS, recent_churn
from holdfast.analysis.duplicates.clone import MIN_COPY_LINES
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.engine.scope import AnalysisScope, RunOptions
from holdfast.analysis.render.text_layout import lines, skipped_files
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

_USUAL, _MOST, _FOLDERS, _SHOWN = 200, 2_000, 100, 20
_NO_COMMIT = "there is no commit"
_NOT_CHOSEN = "only measured if it is the chosen measure"
_METHOD = (
    f"Complexity: cyclomatic, the sum over functions. Churn: commits in the {RECENT_DAYS} days to the last."
    " Hot spot: complexity × churn. Debt: items that a marker in a comment admits. Duplication: share"
    f" of lines in exact or renamed clones of at least {MIN_COPY_LINES} lines. Defects: the probability of a"
    " fix within a year. Coverage: percent, from coverage reports."
)


class MeasureFiles(arguments.ProjectInput):
    """The files, and the measure to sort by."""

    measure: FileMeasure = Field(
        default="hot_spot",
        description="The worst come first. Duplication, defects and coverage are only measured if chosen.",
    )
    limit: Integer = count_field(_USUAL, _MOST, "Maximum number of files; the rest is summarised by folder.")


class FileNumbers(Output):
    """The measurements of one file; `not_measured` has the reasons for missing ones."""

    path: UntrustedText
    lines: int
    complexity: int
    complex_line: int | None = optional("The line of its most complex function.")
    churn: int | None = optional("Commits that changed it.")
    hot_spot: int | None = optional("Complexity × churn.")
    debt: int
    debt_line: int | None = optional("The line of its most severe debt.")
    duplication: float | None = optional("From 0 to 1.")
    defects: float | None = optional("From 0 to 1.")
    coverage: float | None = optional("Percent.")


class FolderRest(Output):
    """The files below a folder that are not listed."""

    folder: UntrustedText = Field(description="Empty for the root.")
    files: int
    lines: int


class FileMeasurements(FileCounts):
    """The measurements of files, the worst first."""

    project_path: UntrustedText
    measure: FileMeasure
    total_lines: int
    files: list[FileNumbers]
    rest: list[FolderRest] = Field(description="The other files, none of which is worse.")
    not_measured: dict[FileMeasure, UntrustedText] = Field(
        description="Measures that are missing, with reasons."
    )
    method: str


def _text(result: FileMeasurements, width: int) -> str:
    word = result.measure.replace("_", " ")
    values = [(getattr(one, result.measure), one.lines, one.path) for one in result.files[:_SHOWN]]
    rows = [("–" if value is None else f"{value:g}", str(lines), path) for value, lines, path in values]
    shown = table([(word, "lines", "file"), *rows], width, flexible=(2,)) if rows else ""
    head = f"Files: {result.files_analyzed} with {result.total_lines} lines, the worst by {word} first."
    reasons = [f"No {name.replace('_', ' ')}: {reason}." for name, reason in result.not_measured.items()]
    return lines(head, skipped_files(result), shown, reasons, result.method)


@analyze.operation(
    "measure_files",
    title="Measure files",
    effect=Effect.READ,
    command="files",
    example="holdfast analyze files src --measure churn",
    **arguments.of_project(_text, specified=False),
)
def measure_files(room: Analysis, args: MeasureFiles) -> FileMeasurements:
    """Measure each file: lines, complexity, churn, hot spots, debt; or duplication, defects, coverage.

    The worst files by the chosen measure come first, and those beyond the limit are summarised by folder.
    Missing measures have a reason.
    """
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project, names=args.measure == "defects")
    scope = AnalysisScope(room, scan, RunOptions(project))
    missing: dict[FileMeasure, str] = {name: _NOT_CHOSEN for name in _COSTLY if name != args.measure}
    columns: dict[FileMeasure, Column] = {}
    if churn := recent_churn(room, scan, project.path):
        columns["churn"] = _column(churn, "commits")
    else:
        missing |= {"churn": _NO_COMMIT, "hot_spot": _NO_COMMIT}
    if measured := _COSTLY.get(args.measure):
        report, number = measured
        columns[args.measure], reason = number(report(scope))
        missing |= {args.measure: reason} if reason else {}
    debts = reports.debt(scope).by_file
    numbers = [_numbers(path, record, columns, debts) for path, record in scan.files.items()]
    numbers.sort(key=lambda one: _order(one, args.measure))
    return FileMeasurements(
        **scan.counts.of(project.path),
        measure=args.measure,
        total_lines=sum(one.lines for one in numbers),
        files=numbers[: args.limit],
        rest=_by_folder(numbers[args.limit :]),
        not_measured=missing,
        method=_METHOD,
    )


def _column(report: AnalysisReport, number: str) -> Column:
    """Return one number of a report by file."""
    return {path: numbers[number] for path, numbers in report.file_numbers().items()}


def _order(one: FileNumbers, measure: FileMeasure) -> tuple[float, int, str]:
    value = getattr(one, measure)
    worth = -1 if value is None else 100 - value if measure == "coverage" else value
    return -worth, -one.lines, one.path


def _numbers(
    path: str,
    record: Record,
    columns: Mapping[FileMeasure, Column],
    debts: Mapping[str, tuple[int, int | None]],
) -> FileNumbers:
    complexity = sum(function.cyclomatic for function in record.functions)
    worst = max(record.functions, key=lambda one: one.cyclomatic, default=None)
    # A file missing from a column has the value 0, except for coverage, where it means that no report covers
    # it.
    known: dict[str, Any] = {
        name: it.get(path, None if name == "coverage" else 0) for name, it in columns.items()
    }
    debt, debt_line = debts.get(path, (0, None))
    return FileNumbers(
        path=path,
        lines=record.lines,
        complexity=complexity,
        complex_line=None if worst is None else worst.line,
        hot_spot=complexity * known["churn"] if "churn" in known else None,
        debt=debt,
        debt_line=debt_line,
        **known,
    )


_COSTLY: Mapping[
    FileMeasure, tuple[Callable[[AnalysisScope], AnalysisReport], Callable[[Any], tuple[Column, str | None]]]
] = {
    "duplication": (reports.duplicates, lambda report: (_rounded(_column(report, "duplicated")), None)),
    "defects": (reports.defects, lambda report: (_column(report, "defect_probability"), None)),
    "coverage": (
        reports.coverage,
        lambda report: ({path: one.percent for path, one in report.files.items()}, report.reason),
    ),
}
"""The slow measures: each with its report, and a function from that to the column and why it is missing."""


def _rounded(column: Column) -> Column:
    return {path: None if value is None else round(value, 4) for path, value in column.items()}


def _by_folder(files: Sequence[FileNumbers]) -> list[FolderRest]:
    """Sum up files by folder, at the greatest depth with at most `_FOLDERS` folders."""
    grouped: dict[str, list[int]] = {}
    for depth in range(max((one.path.count("/") for one in files), default=0), -1, -1):
        grouped = defaultdict(list)
        for one in files:
            grouped["/".join(one.path.split("/")[:-1][:depth])].append(one.lines)
        if len(grouped) <= _FOLDERS:
            break
    return [
        FolderRest(folder=folder, files=len(lines), lines=sum(lines))
        for folder, lines in sorted(grouped.items())
    ]
