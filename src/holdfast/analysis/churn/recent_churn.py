"""The churn of the days before the last commit, computed again only after a new commit."""

from __future__ import annotations

from holdfast.analysis.churn.churn_report import ChurnReport
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import first_parents

RECENT_DAYS = 90
"""How long before the last commit a change counts as recent: a quarter of a year, by convention."""
_DAY_SECONDS = 86_400


def recent_churn(room: Analysis, scan: Scan, project: str) -> ChurnReport | None:
    """Return the recent churn of a project's files; None if there is no commit."""
    head = room.history.head()
    return room.cached(f"churn {project} {head}", scan, lambda: _churn(room, project)) if head else None


def _churn(room: Analysis, project: str) -> ChurnReport:
    with Git(room.repository) as git:
        [(_, committed)] = first_parents(git, 1)
    return room.history.churn(project, max(committed - RECENT_DAYS * _DAY_SECONDS, 0))
