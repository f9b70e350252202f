"""Measures the commits to a file in the year before a time, and whether it was fixed in the year after.

Contract: a file was fixed if a commit with a message that mentions a fix changed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.analysis.churn.churn_report import TouchHistory
from holdfast.kernel.clock import DAY_SECONDS

YEAR_DAYS = 365
"""How long commits before a time count, and fixes after it: a judgement, as a year covers seasonal work."""
RECENT_DAYS = 90
"""How old a recent commit may be: a judgement, about one release."""


class Activity(NamedTuple):
    """The activity in one file around a point in time."""

    measures: dict[str, float | None]
    """Measures of the commits in the year before, by name."""
    growth: int
    """The number of lines that the file has gained since; negative if it has lost lines."""
    is_fixed: bool
    """Whether the file was fixed in the year after."""


def activity(history: TouchHistory, path: str, time: int, risks: Sequence[float]) -> Activity:
    """Return the activity in a file around a time in epoch seconds, given the risk of each commit."""
    touches = history.files.get(path, [])
    growth = changed_lines = fixes = 0
    risk = 0.0
    is_fixed = False
    ages: list[float] = []
    authors: set[str] = set()
    for number, added, deleted in zip(touches[::3], touches[1::3], touches[2::3], strict=True):
        commit = history.commits[number]
        age_days = (time - commit.time) / DAY_SECONDS
        is_binary = added == "-"  # as git's `--numstat` shows it
        added_lines, deleted_lines = (0, 0) if is_binary else (int(added), int(deleted))
        if age_days < 0:
            growth += added_lines - deleted_lines
            is_fixed |= commit.is_fix and age_days >= -YEAR_DAYS
        elif age_days <= YEAR_DAYS:
            ages.append(age_days)
            changed_lines += added_lines + deleted_lines
            fixes += commit.is_fix
            risk += risks[number]
            authors.add(commit.email or commit.name)
    measures: dict[str, float | None] = {
        "commits": len(ages),
        "recent_commits": sum(age <= RECENT_DAYS for age in ages),
        "changed_lines": changed_lines,
        "authors": len(authors),
        "fixes": fixes,
        "commit_risk": round(risk, 4),
    }
    return Activity(measures, growth, is_fixed)
