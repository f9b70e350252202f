"""The numbers of a project at a commit: recorded on request, and computed for past commits.

Contract: a point describes a commit. If a source file differs from the commit, is new or was deleted, nothing
is recorded, and the result names the file. Only `record` and `record_past` write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import Field

from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.engine.source_text import may_be_source
from holdfast.analysis.engine.stages import Stages
from holdfast.analysis.room import Analysis
from holdfast.analysis.trend.headline import MetricValues, scan_numbers
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.history.committed_files import changed_file

NOT_RECORDED = "not recorded yet, which `record_trend` does"
"""Why a point is missing. The others say why it cannot be recorded."""
_PARTIAL = "only a part of the project was analysed"
_NO_SOURCE_FILES = "the project has no source files"
_NO_COMMIT = "there is no commit"
_NOT_WRITTEN = "the store could not be written"


class TrendPoint(Output):
    """Whether the numbers of this analysis are recorded for `analyze_trend`."""

    kept: bool = Field(description="Whether the numbers are recorded.")
    commit: str | None = Field(description="The commit that the numbers describe.")
    reason: UntrustedText | None = Field(description="Why they are not recorded.")


class ScannedCommit(NamedTuple):
    """HEAD's commit, and whether the scanned files are as it has them."""

    head: str | None
    """None if there is no commit."""
    difference: str | None
    """Why a scan does not describe the commit; None if it does, which implies that there is a commit."""

    @property
    def described(self) -> str | None:
        """The commit if the scan describes it."""
        return self.head if self.difference is None else None


def recorded_point(
    room: Analysis, project: Project, scan: Scan, other_numbers: MetricValues, repository: Scan | None = None
) -> TrendPoint:
    """Return whether the numbers of a scan and `other_numbers` are recorded with their current values.

    `repository` is the scan of the whole repository, if files outside of the project affect the numbers.
    """
    scanned = scanned_commit(room, project, scan, repository)
    reason = scanned.difference
    if (commit := scanned.described) is not None:
        recorded, _ = room.points.find(project.path, [commit])
        is_recorded = _all_numbers(room, scan, other_numbers).items() <= recorded.get(commit, {}).items()
        reason = None if is_recorded else NOT_RECORDED
    return TrendPoint(kept=reason is None, commit=scanned.head, reason=reason)


def record(room: Analysis, project: Project, scan: Scan, other_numbers: MetricValues) -> TrendPoint:
    """Record the numbers of a scan and `other_numbers`, if the files are as committed."""
    scanned = scanned_commit(room, project, scan)
    reason = scanned.difference
    if (commit := scanned.described) is not None:
        numbers = _all_numbers(room, scan, other_numbers)
        is_written = room.points.add(project.path, commit, numbers, _now(room))
        reason = None if is_written else _NOT_WRITTEN
    return TrendPoint(kept=reason is None, commit=scanned.head, reason=reason)


def record_past(room: Analysis, project: Project, commits: Sequence[str]) -> int:
    """Record what can be computed for past commits that have no numbers; return for how many commits."""
    recorded, _ = room.points.find(project.path, commits)
    computed = past_numbers(room, project, without_scan_numbers(commits, recorded))
    return sum(room.points.add(project.path, commit, numbers, _now(room)) for commit, numbers in computed)


def without_scan_numbers(commits: Iterable[str], recorded: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return the commits without recorded numbers of a scan, which always include `files`."""
    return [commit for commit in commits if "files" not in recorded.get(commit, {})]


def past_numbers(
    room: Analysis, project: Project, commits: Sequence[str]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield commits that have source files, each with the numbers of a scan of git's objects."""
    stages = Stages(len(commits))
    for commit in commits:
        if numbers := stages.run(commit, partial(_numbers_at_commit, room, project, commit)):
            yield commit, numbers


def scanned_commit(
    room: Analysis, project: Project, scan: Scan, repository: Scan | None = None
) -> ScannedCommit:
    """Compare the files of a scan with HEAD's commit; `repository` is as in `recorded_point`."""
    head = room.history.head()
    if project != Project(project.path):  # its other fields leave out files
        return ScannedCommit(head, _PARTIAL)
    if not scan.files:
        return ScannedCommit(head, _NO_SOURCE_FILES)
    if head is None:
        return ScannedCommit(None, _NO_COMMIT)
    compared, path = (scan, project.path) if repository is None else (repository, "")
    key = f"source file of {path} that differs from {head}"
    changed = room.cached(key, compared, lambda: _changed_source_file(room, head, path, compared))
    return ScannedCommit(head, f"{changed} is not as committed" if changed else None)


def _all_numbers(room: Analysis, scan: Scan, other_numbers: MetricValues) -> dict[str, float]:
    numbers = room.cached("headline numbers", scan, lambda: scan_numbers(room, scan))
    return numbers | {name: value for name, value in other_numbers.items() if value is not None}


def _now(room: Analysis) -> int:
    return int(room.clock().timestamp())


def _changed_source_file(room: Analysis, commit: str, project_path: str, scan: Scan) -> str:
    """Return a source file that differs from a commit; if none does, "", as None would not be cached."""
    committed = room.committed_files(commit, project_path)
    sources = [path for path in committed if may_be_source(path)]
    return changed_file(room.repository, committed, scan.files.keys(), sources) or ""


def _numbers_at_commit(room: Analysis, project: Project, commit: str) -> dict[str, float]:
    return scan_numbers(room, room.scan_commit(commit, project))
