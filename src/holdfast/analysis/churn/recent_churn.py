"""The churn of the days before HEAD's newest commit, cached until the next commit."""

from __future__ import annotations

from holdfast.analysis.churn.churn_report import ChurnReport
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis

RECENT_DAYS = 90
"""The length of the period by default: a quarter of a year, by convention."""


def recent_churn(room: Analysis, scan: Scan, project: str, days: float = RECENT_DAYS) -> ChurnReport:
    """Return the recent churn of a project's files."""
    key = f"churn of {days} days in {project} at {room.history.head()}"
    return room.cached(key, scan, lambda: room.history.churn(project, days))
