"""`analyze_trend`: how the headline numbers of a project changed over its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.render.csv_table import csv_table
from holdfast.analysis.render.markdown import LEFT, RIGHT, markdown_table
from holdfast.analysis.render.text_layout import lines, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.analysis.trend.headline import METRICS, Metric, scan_numbers
from holdfast.analysis.trend.trend_point import (
    TrendPoint,
    past_numbers,
    recorded_point,
    scanned_commit,
    without_scan_numbers,
)
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted, table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import first_parents
from holdfast.storage.git.incomplete_clone import shallow_commits
from holdfast.storage.git.project_files import checked_project

TrendFormat = Literal["summary", "json", "csv", "markdown"]

_DEFAULT_POINTS = 50
"""Points in a result by default: a judgement, about a screen of text."""
_MAX_SPARKLINE_CHARACTERS = 60
"""The newest points that a sparkline shows: a judgement, so that a table fits into 100 columns."""
_BARS = "▁▂▃▄▅▆▇█"
_GAP = "·"
_SERIES_COLUMNS = ("number", "first", "last", "change", "trend")
_METHOD = (
    "The numbers of a commit are those that `record_trend` recorded. Files, lines, complexity and debt of the"
    " current commit are measured now and, on request, computed from git for past commits. Numbers not"
    " measured at a commit are null, commits without any number are counted, and nothing is interpolated."
)
_OTHER_VERSIONS = "{count} commits have numbers from another version of Holdfast, which are ignored."
_SHALLOW = "This clone is shallow: older commits are missing."


class AnalyzeTrend(arguments.ProjectInput):
    """The project, the numbers, and how far back."""

    metric: list[Metric] | None = Field(default=None, min_length=1, description="Only these numbers.")
    backfill: Integer = Field(
        default=0,
        ge=0,
        le=LIMITS.trend_commits,
        description="For how many of the last commits (first parents) to compute missing points.",
    )
    format: TrendFormat = Field(default="summary", description="The format of the text.")
    limit: Integer = count_field(
        _DEFAULT_POINTS, LIMITS.trend_commits, "The maximum number of points, the newest."
    )


class PastPoint(Output):
    """The numbers of a project at a commit."""

    commit: str
    committed_at: str
    missing_before: int = Field(description="Commits without any number since the previous point.")
    numbers: dict[Metric, float | None] = Field(description="Null if not measured at this commit.")


class Series(Output):
    """How one number changed over all points, including those that are not listed."""

    metric: Metric
    points: int = Field(description="The number of commits at which it was measured.")
    first: float
    last: float
    change: float = Field(description="From the first to the last.")
    lowest: float
    highest: float


class Trend(FileCounts):
    """The trend of a project's numbers."""

    format: TrendFormat
    project_path: UntrustedText
    head: TrendPoint = Field(description="Whether the numbers of the last commit are recorded.")
    backfilled: int = Field(description="Points of past commits computed by this call.")
    series: list[Series]
    points: list[PastPoint] = Field(description="Along the first parents, oldest first.")
    total_points: int
    commits_looked_at: int
    note: str | None = Field(description="What limits these figures, if anything.")
    method: str


def _text(result: Trend, width: int) -> str:
    rows = [_SERIES_COLUMNS, *(_cells(series, result.points) for series in result.series)]
    return lines(
        _points_line(result),
        skipped_files_line(result),
        table(rows, width, flexible=(_SERIES_COLUMNS.index("trend"),)) if result.series else "",
        _unrecorded_line(result),
        result.note or "",
        result.method,
    )


def _markdown(result: Trend) -> str:
    rows = [_cells(series, result.points) for series in result.series]
    series = markdown_table(_SERIES_COLUMNS, rows, (LEFT, RIGHT, RIGHT, RIGHT, LEFT)) if rows else ""
    parts = ["# Trend", _points_line(result), series, _unrecorded_line(result), result.note]
    return "\n\n".join(filter(None, parts))


def _points_line(result: Trend) -> str:
    return f"Points: {result.total_points} in the last {counted(result.commits_looked_at, 'commit')}."


def _unrecorded_line(result: Trend) -> str:
    return "" if result.head.kept else f"The current state is not recorded: {result.head.reason}."


def _cells(series: Series, points: Sequence[PastPoint]) -> tuple[str, ...]:
    return (
        series.metric,
        f"{series.first:.12g}",
        f"{series.last:.12g}",
        f"{series.change:+.12g}" if series.points > 1 else "",  # a single point has no change
        _sparkline(series.metric, points),
    )


def _sparkline(metric: Metric, points: Sequence[PastPoint]) -> str:
    """Return a sparkline of the newest points, with a dot for each gap."""
    values: list[float | None] = []
    for point in points:
        if point.missing_before and values:
            values.append(None)
        values.append(point.numbers[metric])
    values = values[-_MAX_SPARKLINE_CHARACTERS:]
    measured = [value for value in values if value is not None]
    lowest = min(measured, default=0.0)
    span = max(measured, default=0.0) - lowest

    def bar(value: float) -> str:
        height = (value - lowest) / span if span else 0.0
        return _BARS[round(height * (len(_BARS) - 1))]

    return "".join(_GAP if value is None else bar(value) for value in values)


def _csv(result: Trend) -> str:
    names = [series.metric for series in result.series]
    rows = []
    for point in result.points:
        values = [point.numbers[name] for name in names]
        cells = ["" if value is None else f"{value:.12g}" for value in values]
        rows.append((point.commit, point.committed_at, *cells))
    return csv_table(("commit", "committed_at", *names), rows)


def _past_points(
    commits: Sequence[tuple[str, int]],
    numbers_by_commit: Mapping[str, Mapping[str, float]],
    metrics: Sequence[Metric],
) -> list[PastPoint]:
    """Return the points of the commits that have any of the numbers, from the oldest to the newest.

    `commits` are ids and times in epoch seconds, newest first.
    """
    points: list[PastPoint] = []
    missing = 0
    for commit, seconds in reversed(commits):
        numbers = numbers_by_commit.get(commit, {})
        if not numbers.keys().isdisjoint(metrics):
            point = PastPoint(
                commit=commit,
                committed_at=rfc3339_of_seconds(seconds),
                missing_before=missing,
                numbers={name: numbers.get(name) for name in metrics},
            )
            points.append(point)
            missing = 0
        elif points:
            missing += 1
    return points


def _series(metric: Metric, points: Sequence[PastPoint]) -> Series:
    """Return the series of a number that at least one of the points has."""
    values = [value for point in points if (value := point.numbers[metric]) is not None]
    return Series(
        metric=metric,
        points=len(values),
        first=values[0],
        last=values[-1],
        change=round(values[-1] - values[0], 4),
        lowest=min(values),
        highest=max(values),
    )


@analyze.operation(
    "analyze_trend",
    title="Show the trend of numbers",
    effect=Effect.READ,
    command="trend",
    example="holdfast analyze trend src --backfill 50",
    **arguments.project_options(_text, specified=False, stages=2, csv=_csv, markdown=_markdown),
)
def analyze_trend(room: Analysis, args: AnalyzeTrend) -> Trend:
    """Show how the headline numbers of a project changed from commit to commit, along the first parents.

    The numbers are those that `record_trend` recorded and those of the current commit; `backfill` computes
    past commits without recording them. Numbers that were not measured are null.
    """
    project = Project(checked_project(room.repository, args.project_path))
    with Git(room.repository) as git:
        commits = first_parents(git, LIMITS.trend_commits)
    scan = room.scan(project)
    ids = [commit for commit, _ in commits]
    recorded, ignored = room.points.find(project.path, ids)
    numbers = dict(recorded)
    if (head := scanned_commit(room, project, scan).described) is not None:
        numbers[head] = {**scan_numbers(room, scan), **recorded.get(head, {})}
    computed = dict(past_numbers(room, project, without_scan_numbers(ids[: args.backfill], numbers)))
    # A commit may have other numbers, which `record_trend` recorded.
    numbers |= {commit: {**of_scan, **numbers.get(commit, {})} for commit, of_scan in computed.items()}
    measured = {name for commit in ids for name in numbers.get(commit, {})}
    metrics = [name for name in METRICS if name in measured and name in (args.metric or METRICS)]
    points = _past_points(commits, numbers, metrics)
    notes = []
    if ignored:
        notes.append(_OTHER_VERSIONS.format(count=ignored))
    if shallow_commits(room.repository):
        notes.append(_SHALLOW)
    return Trend(
        **scan.counts.result_fields(project.path, args.format),
        head=recorded_point(room, project, scan, {}),
        backfilled=len(computed),
        series=[_series(name, points) for name in metrics],
        points=points[-args.limit :],
        total_points=len(points),
        commits_looked_at=len(commits),
        note=" ".join(notes) or None,
        method=_METHOD,
    )
