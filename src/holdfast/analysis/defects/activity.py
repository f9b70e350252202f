"""What commits did to a file in the year before some moment, and whether it was mended in the year after.

Contract: a file counts as mended where a commit whose message tells of a fix changed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.analysis.churn.churn_report import Touched

DAY = 86_400
YEAR, RECENT = 365, 90
"""How many days count, and how many of them are lately."""


class Activity(NamedTuple):
    """What happened to one file."""

    measures: dict[str, float | None]
    growth: int
    """How many lines it has got since the moment."""
    mended: bool


def activity(touched: Touched, path: str, moment: int, risks: Sequence[float]) -> Activity:
    """Return what happened to a file around a moment, in seconds; risks are those of the commits."""
    touches = touched.files.get(path, [])
    growth, mended, lines, risk, days, fixes, authors = 0, False, 0, 0.0, [], 0, set()
    for number, added, deleted in zip(touches[::3], touches[1::3], touches[2::3], strict=True):
        commit = touched.commits[number]
        ago = (moment - commit.time) / DAY
        plus, minus = (0, 0) if added == "-" else (int(added), int(deleted))
        if ago < 0:
            growth += plus - minus
            mended |= commit.is_fix and ago >= -YEAR
        elif ago <= YEAR:
            days.append(ago)
            lines += plus + minus
            fixes += commit.is_fix
            risk += risks[number]
            authors.add(commit.email or commit.name)
    measures: dict[str, float | None] = {
        "commits": len(days),
        "recent_commits": sum(ago <= RECENT for ago in days),
        "changed_lines": lines,
        "authors": len(authors),
        "fixes": fixes,
        "commit_risk": round(risk, 4),
    }
    return Activity(measures, growth, mended)
