"""The churn of the 90 days before the last commit, cached until the next commit.

Unlike churn up to now, it does not change while no one works on the project.
"""

from __future__ import annotations

from holdfast.analysis.churn.churn_report import ChurnReport
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.clock import DAY_SECONDS
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import first_parents

RECENT_DAYS = 90
"""The length of the period: a quarter of a year, by convention."""


def recent_churn(room: Analysis, scan: Scan, project: str) -> ChurnReport | None:
    """Return the recent churn of a project's files; None if there is no commit."""
    head = room.history.head()
    if head is None:
        return None
    return room.cached(f"churn {project} {head}", scan, lambda: _churn(room, project))


def _churn(room: Analysis, project: str) -> ChurnReport:
    with Git(room.repository) as git:
        [(_, head_time)] = first_parents(git, 1)
    return room.history.churn(project, max(head_time - RECENT_DAYS * DAY_SECONDS, 0))
