"""What commits did to files in the year before some moment, and which files were mended in the year after.

Contract: a file counts as mended where a commit whose message tells of a fix changed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from holdfast.analysis.churn.churn import Touched

DAY = 86_400
YEAR = 365
RECENT = 90
"""How many days are lately."""


@dataclass
class Activity:
    """What happened to one file."""

    commits: int = 0
    recent: int = 0
    lines: int = 0
    fixes: int = 0
    risk: float = 0.0
    """The risks of its commits, added up."""
    authors: int = 0
    last: int | None = None
    """When it last changed, in seconds."""
    growth_since: int = 0
    """How many lines it has more than at the moment."""
    mended: bool = False
    """Whether a fix changed it in the year after the moment."""

    @property
    def measures(self) -> dict[str, float | None]:
        """Return it as measures of the model."""
        return {
            "commits": self.commits,
            "recent_commits": self.recent,
            "changed_lines": self.lines,
            "authors": self.authors,
            "fixes": self.fixes,
            "commit_risk": self.risk,
        }


def activity(
    touched: Touched, paths: Iterable[str], moment: int, risks: Sequence[float]
) -> Mapping[str, Activity]:
    """Return what happened to files around a moment, in seconds; risks are those of the commits."""
    return {path: _of(touched, touched.files.get(path, ()), moment, risks) for path in paths}


def _of(touched: Touched, touches: Sequence[object], moment: int, risks: Sequence[float]) -> Activity:
    found = Activity()
    authors = set()
    for number, added, deleted in zip(touches[::3], touches[1::3], touches[2::3], strict=True):
        assert isinstance(number, int)
        commit = touched.commits[number]
        plus, minus = (int(str(count)) if count != "-" else 0 for count in (added, deleted))
        days = (moment - commit.time) / DAY
        if days < 0:
            found.growth_since += plus - minus
            found.mended |= commit.is_fix and days >= -YEAR
        elif days <= YEAR:
            found.commits += 1
            found.recent += days <= RECENT
            found.lines += plus + minus
            found.fixes += commit.is_fix
            found.risk += risks[number]
            authors.add(commit.email or commit.name)
            found.last = max(found.last or 0, commit.time)
    found.authors = len(authors)
    return found
