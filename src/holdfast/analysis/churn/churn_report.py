"""The report on churn: how often and how much files changed, under their current names.

Contract:
- A commit counts once for a file, however often the file was renamed, and once in the total.
- Only files that git tracks now are measured; deleted files are counted, not named. Sidecar files are left
  out: a comment about code does not change the code.
- `score` is min(1, 0.6 · commits / most commits + 0.4 · lines / most lines), where lines are those added and
  deleted, and most is the most of any file of the project. Lines of binary files are not counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.storage.git.history.numstat import CommitChanges, Person, rows

_SHARE_OF_COMMITS, _SHARE_OF_LINES = 0.6, 0.4
"""The weights of the score: a convention, stated in docs/analysis.md."""
_DIGITS = 4
_BINARY = "-"
_SIDECAR = ".comments"

Touches = list[Any]
"""The changes to a file: for each commit its number, and the lines added and deleted as git writes them. One
flat list of triples saves memory, as a whole history has millions of them."""


@dataclass
class FileChurn:
    """What happened to a file."""

    path: str
    commits: int
    authors: Counter[Person]
    """How many of the commits each person wrote."""
    additions: int
    deletions: int
    is_binary: bool
    """Whether git counts no lines in one of the commits, so that they cannot be summed."""
    first: int
    last: int
    score: float = 0.0

    @classmethod
    def of(cls, path: str, touches: Touches, people: list[Person], times: list[int]) -> FileChurn:
        """Sum the changes to a file; `people` and `times` are those of each commit."""
        commits, added, deleted = touches[::3], touches[1::3], touches[2::3]
        is_binary = _BINARY in added
        lines = (0, 0) if is_binary else (sum(map(int, added)), sum(map(int, deleted)))
        authors = Counter(map(people.__getitem__, commits))
        when = list(map(times.__getitem__, commits))
        return cls(path, len(commits), authors, *lines, is_binary, min(when), max(when))

    @property
    def lines(self) -> int:
        """The lines added and deleted; 0 for a binary file."""
        return self.additions + self.deletions


@dataclass
class ChurnReport(AnalysisReport):
    """What happened to the files of a project."""

    files: list[FileChurn]
    """Those that exist, the most churned first."""
    deleted: int
    commits: int
    """Commits that changed a file of the project, including files deleted since."""
    merges: int
    """Merges in the period; they count for no file."""
    has_history: bool = True
    """Whether there is any commit."""
    names: Mapping[Person, str] = field(default_factory=dict)
    """The names that `.mailmap` gives to people."""

    unmentioned: ClassVar[Mapping[str, Any]] = {"commits": 0, "changes": 0, "churn_score": 0.0}

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return commits, changed lines and score by file."""
        return {
            file.path: {"commits": file.commits, "changes": file.lines, "churn_score": file.score}
            for file in self.files
        }

    def authors(self, file: FileChurn) -> list[str]:
        """Return the names of the people who changed a file, by decreasing number of commits."""
        commits: Counter[str] = Counter()
        for person, count in file.authors.items():
            commits[self.names.get(person, person[0])] += count
        return sorted(commits, key=lambda name: (-commits[name], name))

    def contributions(self) -> dict[str, int]:
        """Return how many files each person changed, by decreasing number."""
        touched: Counter[str] = Counter()
        for file in self.files:
            touched.update({self.names.get(person, person[0]) for person in file.authors})
        return dict(sorted(touched.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class Touched:
    """Which commits touched which files."""

    files: Mapping[str, Touches]
    """By current name, including deleted files."""
    commits: Sequence[CommitChanges]
    """Children first, in the order in which the touches number them; without their changes."""
    present: Container[str]
    """The files that git tracks now."""


def touched(commits: Iterable[CommitChanges], present: Container[str], project: str) -> Touched:
    """Return which commits touched which files of a project; commits come children first."""
    names: dict[str, str] = {}
    touches: defaultdict[str, Touches] = defaultdict(list)
    heads: list[CommitChanges] = []
    prefix = f"{project}/" if project else ""
    for number, commit in enumerate(commits):
        heads.append(commit._replace(changes=""))
        renamed = {}
        for path, former, added, deleted in rows(commit.changes):
            now = names.get(path, path)
            if former:
                renamed[former] = now
            if (now.startswith(prefix) or now == project) and not now.endswith(_SIDECAR):
                touches[now] += number, added, deleted
        names |= renamed
    # A branch may have continued under the old name after another branch had renamed the file.
    for path, now in names.items():
        if path not in present and path in touches and now in present:
            touches[now] += touches.pop(path)
    return Touched(touches, heads, present)


def measure(commits: Iterable[CommitChanges], present: Container[str], project: str) -> ChurnReport:
    """Return the churn of a project, a folder or a file; commits come children first."""
    found = touched(commits, present, project)
    people = [(commit.name, commit.email) for commit in found.commits]
    times = [commit.time for commit in found.commits]
    counted = len({number for touches in found.files.values() for number in touches[::3]})
    merges = sum(commit.is_merge for commit in found.commits)
    files = [FileChurn.of(path, it, people, times) for path, it in found.files.items() if path in present]
    return ChurnReport(_scored(files), len(found.files) - len(files), counted, merges)


def _scored(files: list[FileChurn]) -> list[FileChurn]:
    max_commits = max((file.commits for file in files), default=1)
    max_lines = max((file.lines for file in files), default=0) or 1
    for file in files:
        score = _SHARE_OF_COMMITS * file.commits / max_commits + _SHARE_OF_LINES * file.lines / max_lines
        file.score = round(min(1.0, score), _DIGITS)
    return sorted(files, key=lambda file: (-file.score, -file.commits, file.path))
