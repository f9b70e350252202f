"""From commits to the churn of files, under the names that they have now.

Contract:
- A commit counts once for a file, however often the file was renamed, and once in the total.
- Only files that git tracks now are measured; those deleted since are counted, and not named. The comments
  that Holdfast keeps beside a source are none of them: what is said about code does not change it.
- `score` is min(1, 0.6 · commits / most commits + 0.4 · lines / most lines), where lines are those added and
  deleted, and most is the most of any file of the project. Lines of binary files are not counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdfast.storage.git.history.numstat import CommitChanges, Person, rows

_SHARE_OF_COMMITS, _SHARE_OF_LINES = 0.6, 0.4
_DIGITS = 4
_BINARY = "-"
_SIDECAR = ".comments"

Touches = list[Any]
"""What commits did to a file: for each three items in a row, its number and the lines added and deleted as
git writes them. One flat list, because a whole history has a great many of these."""


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
    """Whether git counts no lines in one of the commits, so that there is no sum of them."""
    first: int
    last: int
    score: float = 0.0

    @classmethod
    def of(cls, path: str, touches: Touches, people: list[Person], times: list[int]) -> FileChurn:
        """Return what commits did to a file; people and times are those of each commit."""
        commits, added, deleted = touches[::3], touches[1::3], touches[2::3]
        is_binary = _BINARY in added
        lines = (0, 0) if is_binary else (sum(map(int, added)), sum(map(int, deleted)))
        authors = Counter(map(people.__getitem__, commits))
        moments = list(map(times.__getitem__, commits))
        return cls(path, len(commits), authors, *lines, is_binary, min(moments), max(moments))

    @property
    def lines(self) -> int:
        """Return how many lines were added and deleted, none of a binary file."""
        return self.additions + self.deletions


@dataclass
class Churn:
    """What happened to the files of a project."""

    files: list[FileChurn]
    """Those that are there, the most churned first."""
    deleted: int
    commits: int
    """Commits that changed a file of the project, those deleted since included."""
    merges: int
    """Merges in the period, which count for no file."""
    has_history: bool = True
    """Whether there is a commit at all."""
    names: Mapping[Person, str] = field(default_factory=dict)
    """What `.mailmap` calls people, where it is known."""

    def authors(self, file: FileChurn) -> list[str]:
        """Return the names of those who changed a file, who did so most often first."""
        commits: Counter[str] = Counter()
        for person, count in file.authors.items():
            commits[self.names.get(person, person[0])] += count
        return sorted(commits, key=lambda name: (-commits[name], name))

    def contributions(self) -> dict[str, int]:
        """Return how many files each person touched, who touched most first."""
        touched: Counter[str] = Counter()
        for file in self.files:
            touched.update({self.names.get(person, person[0]) for person in file.authors})
        return dict(sorted(touched.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class Touched:
    """Which commits touched which files."""

    files: Mapping[str, Touches]
    """Under the names that they have now, also those that are gone."""
    commits: Sequence[CommitChanges]
    """Children first, as the numbers of the touches count them; without their changes."""
    present: Container[str]
    """The files that git tracks now."""


def touched(commits: Iterable[CommitChanges], present: Container[str], project: str) -> Touched:
    """Return what commits, of which children come first, did to the files of a project or a folder."""
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
    # A branch may have gone on under the old name after another had renamed the file.
    for path, now in names.items():
        if path not in present and path in touches and now in present:
            touches[now] += touches.pop(path)
    return Touched(touches, heads, present)


def measure(commits: Iterable[CommitChanges], present: Container[str], project: str) -> Churn:
    """Return the churn of a project, a folder or a file, by commits of which children come first."""
    found = touched(commits, present, project)
    people = [(commit.name, commit.email) for commit in found.commits]
    times = [commit.time for commit in found.commits]
    counted = len({number for touches in found.files.values() for number in touches[::3]})
    merges = sum(commit.is_merge for commit in found.commits)
    files = [FileChurn.of(path, it, people, times) for path, it in found.files.items() if path in present]
    return Churn(_scored(files), len(found.files) - len(files), counted, merges)


def _scored(files: list[FileChurn]) -> list[FileChurn]:
    most_commits = max((file.commits for file in files), default=1)
    most_lines = max((file.lines for file in files), default=0) or 1
    for file in files:
        score = _SHARE_OF_COMMITS * file.commits / most_commits + _SHARE_OF_LINES * file.lines / most_lines
        file.score = round(min(1.0, score), _DIGITS)
    return sorted(files, key=lambda file: (-file.score, -file.commits, file.path))
