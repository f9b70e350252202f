"""`record_trend`: record the headline numbers of a project for its trend."""

from __future__ import annotations

from pydantic import Field

from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.render.text_layout import lines
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.tools.analyze_comprehensive import AnalyzeComprehensive, analyze_comprehensive
from holdfast.analysis.tools.analyze_deep_context import AnalyzeDeepContext, analyze_deep_context
from holdfast.analysis.toolset import analyze
from holdfast.analysis.trend.headline import scorecard_numbers, section_numbers
from holdfast.analysis.trend.trend_point import TrendPoint, record, record_past, scanned_commit
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Integer
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import first_parents
from holdfast.storage.git.project_files import checked_project


class RecordTrend(arguments.ProjectInput):
    """The project, and how far back."""

    backfill: Integer = Field(
        default=0,
        ge=0,
        le=LIMITS.trend_commits,
        description="For how many of the last commits (first parents) to also record what can be computed.",
    )


class RecordedTrend(FileCounts):
    """Which numbers were recorded."""

    project_path: UntrustedText
    head: TrendPoint = Field(description="Whether the numbers of the last commit are recorded.")
    backfilled: int = Field(description="Past commits whose numbers were recorded.")


def _text(result: RecordedTrend, _: int) -> str:
    head = result.head
    return lines(
        f"Recorded the numbers of {head.commit}." if head.kept else f"Nothing was recorded: {head.reason}.",
        f"Recorded {counted(result.backfilled, 'past commit')}." if result.backfilled else "",
    )


@analyze.operation(
    "record_trend",
    title="Record numbers for the trend",
    effect=Effect.WRITE,
    command="record-trend",
    example="holdfast analyze record-trend --backfill 50",
    **arguments.project_options(_text, specified=False),
)
def record_trend(room: Analysis, args: RecordTrend) -> RecordedTrend:
    """Record the headline numbers of a project at the last commit, for `analyze_trend`.

    All numbers are measured now. Nothing is recorded if a source file differs from the commit. `backfill`
    also records files, lines, complexity and debt of past commits, computed from git.
    """
    path = checked_project(room.repository, args.project_path)
    project = Project(path)
    with Git(room.repository) as git:
        commits = [commit for commit, _ in first_parents(git, args.backfill)] if args.backfill else []
    project_path = path or "."
    sections = analyze_comprehensive(
        room, AnalyzeComprehensive(project_path=project_path, executive_summary=True)
    ).results
    context = analyze_deep_context(room, AnalyzeDeepContext(project_path=project_path, limit=1))
    numbers = section_numbers(sections) | scorecard_numbers(context.quality_scorecard)
    if path:
        repository = Project()
        if scanned_commit(room, repository, room.scan(repository)).described is None:
            numbers["dead_code"] = None  # it depends on the whole repository, which is not as committed
    scan = room.scan(project)
    head = record(room, project, scan, numbers)
    return RecordedTrend(
        **scan.counts.result_fields(path), head=head, backfilled=record_past(room, project, commits)
    )
