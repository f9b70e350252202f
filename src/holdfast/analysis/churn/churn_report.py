"""The report on churn: how often and how much files changed, under their current names.

Contract:
- A commit counts once for a file, however often the file was renamed, and once in the total.
- Only files that git tracks now are measured; deleted files are counted, not named. Sidecar files are left
  out: a comment about code does not change the code.
- `score` is min(1, 0.6 · commits / max commits + 0.4 · lines / max lines), where lines are those added and
  deleted, and the maxima are over the files of the project. Lines of binary files are not counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.storage.git.history.mailmap import Person
from holdfast.storage.git.history.numstat import CommitChanges, rows

COMMIT_WEIGHT = 0.6
"""The weight of commits in the score: a convention, stated in docs/analysis.md. How often a file changes
counts more than how much."""
LINE_WEIGHT = 0.4
"""The weight of changed lines; the two weights add up to 1."""
_SCORE_DIGITS = 4
_UNCOUNTED = "-"
"""What `git log --numstat` writes for the lines of a binary file."""
_SIDECAR_SUFFIX = ".comments"

Touches = list[Any]
"""The commits that changed a file: number, lines added and lines deleted of the first commit, then of the
next. The lines are strings, as git writes them. One flat list takes less memory than tuples, and a whole
history has millions of touches."""


@dataclass
class FileChurn:
    """The changes to one file in the period."""

    path: str
    commits: int
    authors: Counter[Person]
    """How many of the commits each person wrote."""
    additions: int
    """Lines added; 0 for a binary file, like `deletions`."""
    deletions: int
    is_binary: bool
    """Whether the file was binary in one of the commits, so that its lines cannot be summed."""
    first_time: int
    """The time of the oldest commit, in seconds since the epoch."""
    last_time: int
    """The time of the newest commit."""
    score: float = 0.0
    """From 0 to 1, relative to the other files of the project."""

    @classmethod
    def of(cls, path: str, touches: Touches, people: list[Person], times: list[int]) -> FileChurn:
        """Sum the changes to a file; `people` and `times` have the author and time of each commit."""
        commits, added, deleted = touches[::3], touches[1::3], touches[2::3]
        is_binary = _UNCOUNTED in added
        commit_times = [times[commit] for commit in commits]
        return cls(
            path,
            commits=len(commits),
            authors=Counter(people[commit] for commit in commits),
            additions=0 if is_binary else sum(map(int, added)),
            deletions=0 if is_binary else sum(map(int, deleted)),
            is_binary=is_binary,
            first_time=min(commit_times),
            last_time=max(commit_times),
        )

    @property
    def lines(self) -> int:
        """The lines added and deleted."""
        return self.additions + self.deletions


@dataclass
class ChurnReport(AnalysisReport):
    """The changes to the files of a project in the period."""

    files: list[FileChurn]
    """The files that still exist, the most churned first."""
    deleted_files: int
    """How many other files were changed, but are no longer tracked."""
    commits: int
    """Commits that changed a file of the project, including files deleted since."""
    merges: int
    """Merge commits in the period; they do not count as changes to files."""
    until: int | None = None
    """The time of HEAD's newest commit, with which the period ends; None if there is no commit."""
    names: Mapping[Person, str] = field(default_factory=dict)
    """The names that `.mailmap` gives to people."""

    @property
    def has_history(self) -> bool:
        """Whether the repository has any commit."""
        return self.until is not None

    default_numbers: ClassVar[Mapping[str, Any]] = {"commits": 0, "changed_lines": 0, "churn_score": 0.0}

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        return {
            file.path: {"commits": file.commits, "changed_lines": file.lines, "churn_score": file.score}
            for file in self.files
        }

    def author_names(self, file: FileChurn) -> list[str]:
        """Return the names of the people who changed a file, by decreasing number of commits."""
        commits: Counter[str] = Counter()
        for person, count in file.authors.items():
            commits[self.names.get(person, person[0])] += count
        return sorted(commits, key=lambda name: (-commits[name], name))

    def files_by_author(self) -> dict[str, int]:
        """Return how many files each person changed, the largest number first."""
        touched: Counter[str] = Counter()
        for file in self.files:
            touched.update({self.names.get(person, person[0]) for person in file.authors})
        return dict(sorted(touched.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class TouchHistory:
    """Which commits touched which files."""

    files: Mapping[str, Touches]
    """The touches of each file by its current name, including deleted files."""
    commits: Sequence[CommitChanges]
    """The commits in the order of their numbers, children first; without their changes."""
    present: Container[str]
    """The files that git tracks now."""


def touch_history(commits: Iterable[CommitChanges], present: Container[str], project: str) -> TouchHistory:
    """Return which commits touched which files of a project.

    Commits come children first, so a rename is known before the commits that used the former name.
    """
    current_names: dict[str, str] = {}
    touches: defaultdict[str, Touches] = defaultdict(list)
    headers: list[CommitChanges] = []
    prefix = f"{project}/" if project else ""
    for number, commit in enumerate(commits):
        headers.append(commit._replace(changes=""))
        renamed = {}  # applied after the commit: it may also have created a file under a former name
        for path, former, added, deleted in rows(commit.changes):
            current = current_names.get(path, path)
            if former:
                renamed[former] = current
            if (current.startswith(prefix) or current == project) and not current.endswith(_SIDECAR_SUFFIX):
                touches[current] += number, added, deleted
        current_names |= renamed
    # Commits of a branch that did not have the rename can come before it; they were counted under the former
    # name, which no longer exists, so they belong to the current name as well.
    for former, current in current_names.items():
        if former not in present and former in touches and current in present:
            touches[current] += touches.pop(former)
    return TouchHistory(touches, headers, present)


def churn_report(commits: Iterable[CommitChanges], present: Container[str], project: str) -> ChurnReport:
    """Report on the churn of a project, a folder or a file, given the commits of a period, children first."""
    history = touch_history(commits, present, project)
    people = [(commit.name, commit.email) for commit in history.commits]
    times = [commit.time for commit in history.commits]
    files = [
        FileChurn.of(path, touches, people, times)
        for path, touches in history.files.items()
        if path in present
    ]
    return ChurnReport(
        _score_files(files),
        deleted_files=len(history.files) - len(files),
        commits=len({number for touches in history.files.values() for number in touches[::3]}),
        merges=sum(commit.is_merge for commit in history.commits),
    )


def _score_files(files: list[FileChurn]) -> list[FileChurn]:
    """Set the score of each file, and return the files by decreasing score."""
    max_commits = max((file.commits for file in files), default=1)
    max_lines = max((file.lines for file in files), default=0) or 1
    for file in files:
        score = COMMIT_WEIGHT * file.commits / max_commits + LINE_WEIGHT * file.lines / max_lines
        file.score = round(min(1.0, score), _SCORE_DIGITS)
    return sorted(files, key=lambda file: (-file.score, -file.commits, file.path))
