"""`analyze_function_heat`: functions that are complex and change often."""

from __future__ import annotations

from bisect import bisect_right

from pydantic import Field

from holdfast.analysis.churn.function_changes import Changes, function_changes
from holdfast.analysis.engine.scan import FileCounts, Project, Scan
from holdfast.analysis.render.text_layout import lines, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

_DEFAULT_DAYS = 90
"""The period by default: a judgement, about a release."""
_DEFAULT_FUNCTIONS = 20
"""Functions in a result by default: a judgement, as many as fit on a screen."""
_LEVEL_STARTS = (1, 10, 30, 90)
"""The products of complexity and changes at which the levels 2 to 5 start: a judgement. Each is about three
times the one before, so that the levels spread over few and many changes."""
_METHOD = (
    "Heat is McCabe's complexity times the commits that changed the function's text, in five"
    f" levels: unchanged, then from {', '.join(map(str, _LEVEL_STARTS))} on. The period ends"
    " with HEAD's newest commit. Merges are not counted."
    " Functions are identified by file and name; the changes of functions without a name are null."
)


class AnalyzeFunctionHeat(Input):
    """The files, and the period."""

    project_path: arguments.ProjectPath
    period_days: Integer = count_field(_DEFAULT_DAYS, LIMITS.churn_days, "Days to HEAD's newest commit.")
    limit: Integer = count_field(
        _DEFAULT_FUNCTIONS, LIMITS.complexity_functions, "Maximum number of functions, hottest first."
    )


class FunctionHeat(Output):
    """A function with its complexity and changes."""

    file: UntrustedText
    function: UntrustedText
    line: int
    end_line: int
    cyclomatic: int
    cognitive: int
    changes: int | None = Field(description="Commits that changed it; null without a name, or for `reason`.")
    heat: int | None = Field(description="From 1 (unchanged) to 5; null if `changes` is null.")


class Heat(FileCounts):
    """The functions of a file or folder, by heat."""

    project_path: UntrustedText
    functions: list[FunctionHeat] = Field(description="The hottest first.")
    total_functions: int
    max_cyclomatic: int | None = Field(description="The maximum over functions; null without functions.")
    period_end: str | None = Field(description="The time of HEAD's newest commit, where the period ends.")
    changes: int | None = Field(description="File versions committed in the period.")
    reason: str | None = Field(description="Why changes are null.")
    method: str


def _text(result: Heat, width: int) -> str:
    header = ("heat", "complexity", "changes", "where", "function")
    rows = [_cells(function) for function in result.functions]
    functions = table([header, *rows], width, flexible=(3, 4)) if rows else "No functions."
    shown, total = len(rows), result.total_functions
    more = f"Shown: {shown} of {total} functions; a higher limit shows more." if shown < total else ""
    return lines(functions, more, skipped_files_line(result), result.reason or "", result.method)


def _cells(row: FunctionHeat) -> tuple[str, ...]:
    place = f"{row.file}:{row.line}"
    return _number(row.heat), str(row.cyclomatic), _number(row.changes), place, row.function


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def _heat(changes: int, cyclomatic: int) -> int:
    return 1 + bisect_right(_LEVEL_STARTS, changes * cyclomatic)


def _rank_functions(scan: Scan, changes: Changes | str) -> list[FunctionHeat]:
    """Return all functions, the hottest first, given their changes or why these are unknown."""
    functions = []
    for path, record in scan.files.items():
        names = {definition.path for definition in record.names.definitions}  # others were made up
        for function in record.functions:
            count = None
            if not isinstance(changes, str) and function.name in names:
                count = changes[path][function.name] if path in changes else 0
            functions.append(
                FunctionHeat(
                    file=path,
                    function=function.name,
                    line=function.line,
                    end_line=function.end_line,
                    cyclomatic=function.cyclomatic,
                    cognitive=function.cognitive,
                    changes=count,
                    heat=None if count is None else _heat(count, function.cyclomatic),
                )
            )
    functions.sort(
        key=lambda row: (-(row.changes or 0) * row.cyclomatic, -row.cyclomatic, row.file, row.line)
    )
    return functions


@analyze.operation(
    "analyze_function_heat",
    title="Show hot functions",
    effect=Effect.READ,
    command="heat",
    example="holdfast analyze heat src/main.py",
    **arguments.project_options(_text, specified=False, stages=2),
)
def analyze_function_heat(room: Analysis, args: AnalyzeFunctionHeat) -> Heat:
    """Show which functions are complex and change often, function by function."""
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project)
    is_file = project.path in {*scan.files, *(item.path for item in scan.skipped)}
    changes = room.cached(
        f"function changes {project.path} {room.history.head()} {args.period_days}",
        scan,
        lambda: function_changes(room, project.path, args.period_days, is_file=is_file),
    )
    functions, end = _rank_functions(scan, changes), room.history.head_time()
    return Heat(
        **scan.counts.result_fields(project.path),
        functions=functions[: args.limit],
        total_functions=len(functions),
        max_cyclomatic=max((function.cyclomatic for function in functions), default=None),
        period_end=None if end is None else rfc3339_of_seconds(end),
        changes=None if isinstance(changes, str) else sum(counts[""] for counts in changes.values()),
        reason=changes if isinstance(changes, str) else None,
        method=_METHOD,
    )
