"""The numbers of a project at a commit: kept where the work tree is as committed, computed for past commits.

Contract: a point speaks of what the commit has. A project with source files that are changed, new or gone is
none, and whoever asked is told which file it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from pydantic import Field

from holdfast.analysis.context.stages import Stages
from holdfast.analysis.records.source import may_be_source
from holdfast.analysis.room import Analysis
from holdfast.analysis.survey import Project, Survey
from holdfast.analysis.trend.headline import Metric, headline
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import changed_file, committed_files

_PART = "only a part of the project was analysed"
_NOTHING = "the project has no source files"
_NO_COMMIT = "there is no commit"
_NOT_WRITTEN = "the store could not be written"

Measured = Mapping[Metric, float | None]


class TrendPoint(Output):
    """Whether the numbers of this analysis are kept for `analyze_trend`."""

    kept: bool
    commit: str | None = Field(description="The commit that they are of.")
    reason: UntrustedText | None = Field(description="Why they are not kept.")


def keep_point(
    room: Analysis, project: Project, survey: Survey, more: Measured, whole: Survey | None = None
) -> TrendPoint:
    """Keep the headline numbers of a survey and what else was measured, if the files are as committed.

    `whole` is the survey of the repository, where files outside of the project had a part in the numbers.
    """
    commit, reason = _commit(room, project, survey, whole)
    if commit is not None and reason is None:
        numbers = room.once("headline", survey, lambda: headline(room, survey))
        numbers = numbers | {name: value for name, value in more.items() if value is not None}
        known, _ = room.points.known(project.path, [commit])
        is_new = not numbers.items() <= known.get(commit, {}).items()
        if is_new and not room.points.keep(project.path, commit, numbers, int(room.clock().timestamp())):
            reason = _NOT_WRITTEN
    return TrendPoint(kept=reason is None, commit=commit, reason=reason)


def _commit(
    room: Analysis, project: Project, survey: Survey, whole: Survey | None
) -> tuple[str | None, str | None]:
    """Return the commit that numbers would be of, and why they are not."""
    commit = room.history.head()
    if project != Project(project.path):
        return commit, _PART
    if not survey.files:
        return commit, _NOTHING
    if commit is None:
        return None, _NO_COMMIT
    looked_at, below = (survey, project.path) if whole is None else (whole, "")
    changed = room.once(f"as {commit}", looked_at, lambda: _changed(room, commit, below, looked_at))
    return commit, f"{changed} is not as committed" if changed else None


def _changed(room: Analysis, commit: str, project: str, survey: Survey) -> str:
    """Return a source file that is not as in a commit; nothing where all are."""
    with Git(room.repository) as git:
        committed = committed_files(git, commit, project)
    sources = [path for path in committed if may_be_source(path)]
    return changed_file(room.repository, committed, survey.files.keys(), sources) or ""


def backfill(room: Analysis, project: Project, commits: Sequence[str]) -> int:
    """Compute what the records of some commits tell, as far as it is not kept, and tell of how many."""
    known, _ = room.points.known(project.path, commits)
    missing = [commit for commit in commits if "files" not in known.get(commit, {})]
    stages = Stages(len(missing))
    found = 0
    for commit in missing:
        numbers = stages.run(commit, partial(_past, room, project, commit))
        if numbers and room.points.keep(project.path, commit, numbers, int(room.clock().timestamp())):
            found += 1
    return found


def _past(room: Analysis, project: Project, commit: str) -> dict[str, float]:
    return headline(room, room.survey_of(commit, project))
