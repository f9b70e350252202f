"""What commits did to a file in the year before a point in time, and whether it was fixed in the year after.

Contract: a file counts as fixed if a commit whose message mentions a fix changed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.analysis.churn.churn_report import Touched

DAY = 86_400
YEAR, RECENT = 365, 90
"""The number of days that count, and of those that are recent. A year covers seasonal work and gives labels a
year old; three months are about a release. Both are judgements."""


class Activity(NamedTuple):
    """The activity in one file."""

    measures: dict[str, float | None]
    growth: int
    """The number of lines it has gained since the point in time."""
    is_fixed: bool


def activity(touched: Touched, path: str, time: int, risks: Sequence[float]) -> Activity:
    """Return the activity in a file around a time in epoch seconds, given the risk of each commit."""
    touches = touched.files.get(path, [])
    growth, is_fixed, lines, risk, days, fixes, authors = 0, False, 0, 0.0, [], 0, set()
    for number, added, deleted in zip(touches[::3], touches[1::3], touches[2::3], strict=True):
        commit = touched.commits[number]
        age = (time - commit.time) / DAY
        plus, minus = (0, 0) if added == "-" else (int(added), int(deleted))
        if age < 0:
            growth += plus - minus
            is_fixed |= commit.is_fix and age >= -YEAR
        elif age <= YEAR:
            days.append(age)
            lines += plus + minus
            fixes += commit.is_fix
            risk += risks[number]
            authors.add(commit.email or commit.name)
    measures: dict[str, float | None] = {
        "commits": len(days),
        "recent_commits": sum(age <= RECENT for age in days),
        "changed_lines": lines,
        "authors": len(authors),
        "fixes": fixes,
        "commit_risk": round(risk, 4),
    }
    return Activity(measures, growth, is_fixed)
