"""`measure_files`: the numbers of every file beside each other, as a map of the code needs them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from holdfast.analysis.comprehensive.components import CHURN_DAYS, recent_churn
from holdfast.analysis.coverage.coverage_report import coverage_of
from holdfast.analysis.debt.debt_item import certain_debts
from holdfast.analysis.defects.prediction import kept_predictions
from holdfast.analysis.duplicates.clone import BLOCK_LINES, COPIES, CloneQuery
from holdfast.analysis.duplicates.clones import kept_clones
from holdfast.analysis.engine.scan import FileCounts, Project, Scan
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.models import Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.project_files import checked_project
from holdfast.syntax.record import Record

FileMeasure = Literal["hot_spot", "complexity", "churn", "debt", "duplication", "defects", "coverage"]
Column = Mapping[str, float | None]

_USUAL, _MOST, _FOLDERS, _SHOWN = 200, 2_000, 100, 20
_NO_COMMIT = "there is no commit"
_NOT_ASKED = "measured only where it is the measure that was chosen"
_METHOD = (
    f"Complexity: cyclomatic, of all functions. Churn: commits in the {CHURN_DAYS} days before the last one."
    " Hot spot: their product. Debt: what comments admit by a marker. Duplication: the share of lines with"
    f" an exact or renamed copy of {BLOCK_LINES} lines. Defects: how probable a fix is within a year."
    " Coverage: percent, by reports of test runs."
)


class MeasureFiles(arguments.ProjectInput):
    """Which files, and by what they are put in order."""

    measure: FileMeasure = Field(
        default="hot_spot",
        description="The worst by it come first. Duplication, defects and coverage are measured only then.",
    )
    limit: Integer = count_field(_USUAL, _MOST, "Most files to tell; the rest is summed up by folder.")


class FileNumbers(Output):
    """The numbers of one file; what is left out was not measured, and `not_measured` says why."""

    path: UntrustedText
    lines: int
    complexity: int
    complex_line: int | None = optional("Where its most complex function is, if it has one.")
    churn: int | None = optional("Commits that changed it.")
    hot_spot: int | None = optional("Complexity × churn.")
    debt: int
    debt_line: int | None = optional("Where its gravest debt is, if it has one.")
    duplication: float | None = optional("From 0 to 1.")
    defects: float | None = optional("From 0 to 1.")
    coverage: float | None = optional("Percent.")


class FolderRest(Output):
    """The files below a folder that are not told one by one."""

    folder: UntrustedText = Field(description="Empty for the root.")
    files: int
    lines: int


class MeasuredFiles(FileCounts):
    """The numbers of files, the worst first."""

    project_path: UntrustedText
    measure: FileMeasure
    total_lines: int
    files: list[FileNumbers]
    rest: list[FolderRest] = Field(description="All other files, none of which is worse.")
    not_measured: dict[FileMeasure, UntrustedText] = Field(
        description="Why a number is missing, by its name."
    )
    method: str


def _laid_out(result: MeasuredFiles, width: int) -> str:
    word = result.measure.replace("_", " ")
    values = [(getattr(one, result.measure), one.lines, one.path) for one in result.files[:_SHOWN]]
    rows = [("–" if value is None else f"{value:g}", str(lines), path) for value, lines, path in values]
    shown = table([(word, "lines", "file"), *rows], width, flexible=(2,)) if rows else ""
    head = f"Files: {result.files_analyzed} with {result.total_lines} lines, the worst by {word} first."
    reasons = [f"No {name.replace('_', ' ')}: {reason}." for name, reason in result.not_measured.items()]
    return "\n".join(filter(None, [head, shown, *reasons, result.method]))


@analyze.operation(
    "measure_files",
    title="Measure files",
    effect=Effect.READ,
    command="files",
    example="holdfast analyze files src --measure churn",
    **arguments.of_project(_laid_out, specified=False),
)
def measure_files(room: Analysis, args: MeasureFiles) -> MeasuredFiles:
    """Measure each file: lines, complexity, churn, hot spots, debt; or duplication, defects, coverage.

    The worst files come first by the measure that is chosen, and what the limit leaves out is summed up by
    folder. What was not measured has a reason.
    """
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project, names=args.measure == "defects")
    missing: dict[FileMeasure, str] = {name: _NOT_ASKED for name in _COSTLY if name != args.measure}
    columns: dict[FileMeasure, Column] = {}
    if churn := recent_churn(room, scan, project.path):
        columns["churn"] = {one.path: one.commits for one in churn.files}
    else:
        missing |= {"churn": _NO_COMMIT, "hot_spot": _NO_COMMIT}
    if measured := _COSTLY.get(args.measure):
        columns[args.measure], reason = measured(room, project, scan)
        missing |= {args.measure: reason} if reason else {}
    debts = _debts(room, scan)
    numbers = [_numbers(path, record, columns, debts) for path, record in scan.files.items()]
    numbers.sort(key=lambda one: _order(one, args.measure))
    return MeasuredFiles(
        **scan.counts.of(project.path),
        measure=args.measure,
        total_lines=sum(one.lines for one in numbers),
        files=numbers[: args.limit],
        rest=_by_folder(numbers[args.limit :]),
        not_measured=missing,
        method=_METHOD,
    )


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
    # A file that a column lacks has nothing of it, but no report of test runs says so.
    told: dict[str, Any] = {
        name: it.get(path, None if name == "coverage" else 0) for name, it in columns.items()
    }
    debt, debt_line = debts.get(path, (0, None))
    return FileNumbers(
        path=path,
        lines=record.lines,
        complexity=complexity,
        complex_line=None if worst is None else worst.line,
        hot_spot=complexity * told["churn"] if "churn" in told else None,
        debt=debt,
        debt_line=debt_line,
        **told,
    )


def _debts(room: Analysis, scan: Scan) -> dict[str, tuple[int, int | None]]:
    """Return how many debts each file admits, and the line of the gravest."""
    items = certain_debts(room, scan)
    counts = Counter(item.file for item in items)
    return {item.file: (counts[item.file], item.line) for item in reversed(items)}


def _duplication(room: Analysis, project: Project, scan: Scan) -> tuple[Column, str | None]:
    found = kept_clones(room, project, CloneQuery(COPIES, BLOCK_LINES), scan)
    return {path: round(count / found.lines[path], 4) for path, count in found.duplicate_lines.items()}, None


def _defects(room: Analysis, project: Project, scan: Scan) -> tuple[Column, str | None]:
    return {one.file: one.probability for one in kept_predictions(room, project, scan).predictions}, None


def _coverage(room: Analysis, project: Project, scan: Scan) -> tuple[Column, str | None]:
    told = coverage_of(Tree(room.repository), room.repository.root, project.path, scan.files.keys())
    return {path: one.percent for path, one in told.files.items()}, told.reason


_COSTLY: Mapping[FileMeasure, Callable[[Analysis, Project, Scan], tuple[Column, str | None]]] = {
    "duplication": _duplication,
    "defects": _defects,
    "coverage": _coverage,
}


def _by_folder(files: Sequence[FileNumbers]) -> list[FolderRest]:
    """Sum files up by the deepest folders of which there are not too many."""
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
