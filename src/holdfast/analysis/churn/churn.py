"""From commits to the churn of files, under the names that they have now.

Contract:
- A commit counts once for a file, however often the file was renamed, and once in the total.
- Only files of the last commit are measured; those deleted since are counted, and not named.
- `score` is min(1, 0.6 · commits / most commits + 0.4 · lines / most lines), where lines are those added and
  deleted, and most is the most of any file of the project. Lines of binary files are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from holdfast.storage.git.numstat import CommitChanges, Person, rows

_SHARE_OF_COMMITS, _SHARE_OF_LINES = 0.6, 0.4
_HOT, _STABLE, _NAMED = 0.5, 0.1, 10
_DIGITS = 4
_BINARY = "-"

Touch = tuple[Person, int, str, str]
"""One commit's change of a file: by whom, when, and the lines added and deleted as git writes them."""


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
    def of(cls, path: str, touches: list[Touch]) -> FileChurn:
        """Return what the commits did to a file."""
        people, times, added, deleted = zip(*touches, strict=True)
        is_binary = _BINARY in added
        lines = (0, 0) if is_binary else (sum(map(int, added)), sum(map(int, deleted)))
        return cls(path, len(people), Counter(people), *lines, is_binary, min(times), max(times))

    @property
    def lines(self) -> int:
        """Return how many lines were added and deleted, none for what is no text."""
        return 0 if self.is_binary else self.additions + self.deletions


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

    def hotspots(self) -> list[str]:
        """Return the first files with a high score."""
        return [file.path for file in self.files[:_NAMED] if file.score > _HOT]

    def stable(self) -> list[str]:
        """Return the last files with a low score."""
        return [file.path for file in self.files[-_NAMED:] if file.score < _STABLE]

    def authors(self, file: FileChurn) -> list[str]:
        """Return the names of those who changed a file, who did so most often first."""
        commits: Counter[str] = Counter()
        for person, count in file.authors.items():
            commits[self.names.get(person, person[0])] += count
        return sorted(commits, key=lambda name: (-commits[name], name))

    def contributions(self) -> dict[str, int]:
        """Return how many files each person touched, who touched most first."""
        touched = Counter(name for file in self.files for name in self.authors(file))
        return dict(sorted(touched.items(), key=lambda item: (-item[1], item[0])))


def measure(commits: Iterable[CommitChanges], present: Container[str], project: str) -> Churn:
    """Return the churn of a project, a folder or a file, by commits of which children come first."""
    names: dict[str, str] = {}
    touches: dict[str, list[Touch]] = {}
    prefix = f"{project}/" if project else ""
    counted = merges = 0
    for commit in commits:
        merges += commit.is_merge
        person, is_counted = (commit.name, commit.email), False
        for name, added, deleted in _named(commit, names):
            if name.startswith(prefix) or name == project:
                touches.setdefault(name, []).append((person, commit.time, added, deleted))
                is_counted = True
        counted += is_counted
    # A branch may have gone on under the old name after another had renamed the file.
    for name, now in names.items():
        if name not in present and name in touches and now in present:
            touches.setdefault(now, []).extend(touches.pop(name))
    files = [FileChurn.of(name, found) for name, found in touches.items() if name in present]
    return Churn(_scored(files), len(touches) - len(files), counted, merges)


def _named(commit: CommitChanges, names: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the files of a commit with the names that they have now; take note of those that it renamed."""
    renamed: dict[str, str] = {}
    for path, former, added, deleted in rows(commit.changes):
        name = names.get(path, path)
        if former:
            renamed[former] = name
        yield name, added, deleted
    names.update(renamed)


def _scored(files: list[FileChurn]) -> list[FileChurn]:
    most_commits = max((file.commits for file in files), default=1)
    most_lines = max((file.lines for file in files), default=0) or 1
    for file in files:
        score = _SHARE_OF_COMMITS * file.commits / most_commits + _SHARE_OF_LINES * file.lines / most_lines
        file.score = round(min(1.0, score), _DIGITS)
    return sorted(files, key=lambda file: (-file.score, -file.commits, file.path))
