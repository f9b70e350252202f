"""When lines were last changed, for many files in one pass over the history.

`git blame` walks the history once for each file. Here one `git log --raw` is read for all of them: it says
which blob of a file each commit replaced, and only blobs of the files asked about are compared.

Contract:
- The last change of a line is the newest commit whose version of the file has it while no parent's has it.
  A file that was renamed is followed, and a line that only moved within its file keeps its age.
- Of a merge, a line belongs to the parent that has it, and to the merge itself where no parent does.
- A line that is not committed, or older than a shallow clone, has that as a reason in place of an age.
- The time is that of the author: a rebase makes no line younger. Names are those of `.mailmap`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Cancelled, HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.line_diff import is_binary, kept_lines, lines_of
from holdfast.storage.git.log_stream import PLAIN, fields
from holdfast.storage.git.repository import Repository

NO_GIT = "not in a git repository"
NOT_COMMITTED = "not committed yet"
NO_TEXT = "not readable as text"
NO_LINE = "no such line"
SHALLOW = "older than this shallow clone"
NO_TIME = "the history is too long to read in time"

_LOG = ("log", *PLAIN, "--topo-order", "--raw", "--no-abbrev", "--diff-merges=first-parent")
_FORMAT = "--format=%H%x00%P%x00%at%x00%aN"
_SECONDS = 30.0
_COMMITS_BETWEEN_REPORTS = 500


class Age(NamedTuple):
    """The last change of a line."""

    commit: str
    author: str
    time: int
    """Seconds since 1970."""
    days: int
    """Whole days from then until now."""


Wanted = tuple[str, int]
"""A line that is asked about: the path and the number that it has in the work tree."""
Ages = dict[str, dict[int, Age | str]]


class _Change(NamedTuple):
    old_path: str
    """Empty where the file is new."""
    old_blob: str


class _Commit(NamedTuple):
    id: str
    parents: list[str]
    time: int
    author: str
    changes: dict[str, _Change]


@dataclass
class _File:
    """A version of a file, and which of its lines are looked for, by index."""

    lines: list[bytes]
    wanted: dict[Wanted, int] = field(default_factory=dict)


def line_ages(
    repository: Repository, lines: Mapping[str, Iterable[int]], now: float, seconds: float = _SECONDS
) -> Ages:
    """Return for each line, by path and number in the work tree, its last change or why that is not known."""
    ages: Ages = {path: dict.fromkeys(sorted(set(numbers)), NO_GIT) for path, numbers in lines.items()}
    if repository.git_dir is None or not ages:
        return ages
    with closing(Git(repository)) as git:
        head = git.head()
        if head is None:
            return {path: dict.fromkeys(numbers, NOT_COMMITTED) for path, numbers in ages.items()}
        walk = _Walk(git, ages, now)
        walk.pending[head] = {path: file for path in ages if (file := walk.committed(path, head)) is not None}
        walk.follow(head, monotonic() + seconds)
    return ages


class _Walk:
    """The way from the last commit to the first, with the lines that are still looked for."""

    def __init__(self, git: Git, ages: Ages, now: float) -> None:
        self._git = git
        self._tree = Tree(git.repository)
        self._ages = ages
        self._now = now
        self._shallow = _shallow_commits(git.repository)
        self.pending: dict[str, dict[str, _File]] = {}

    def committed(self, path: str, head: str) -> _File | None:
        """Return a file of the last commit with those of its lines that are wanted; note the other ones."""
        ages = self._ages[path]
        try:
            present = self._tree.read_bytes(RepoPath.parse(path), LIMITS.diff_file_bytes)
        except HoldfastError:
            present = b"\0"
        if is_binary(present):
            ages.update(dict.fromkeys(ages, NO_TEXT))
            return None
        texts = lines_of(present)
        there = [number for number in ages if 0 < number <= len(texts)]
        ages.update({number: NOT_COMMITTED if number in there else NO_LINE for number in ages})
        file = self._version(f"{head}:{path}")
        if file is None:
            return None
        kept = kept_lines(file.lines, texts, [number - 1 for number in there])
        file.wanted = {(path, index + 1): former for index, former in kept.items()}
        ages.update({index + 1: NO_TIME for index in kept})
        return file

    def follow(self, head: str, end: float) -> None:
        """Pass each line on to the parents that have it, until a commit is found that brought it."""
        with closing(self._git.stream(*_LOG, _FORMAT, head, "--", seconds=LIMITS.index_seconds)) as pieces:
            for number, commit in enumerate(_commits(fields(pieces))):
                files = self.pending.pop(commit.id, None)
                if files:
                    self._pass_on(commit, files)
                if number % _COMMITS_BETWEEN_REPORTS == 0:
                    current_call().progress(number, None, "looking for the ages of lines")
                    if monotonic() > end:
                        return
                if not self.pending:
                    return

    def _pass_on(self, commit: _Commit, files: dict[str, _File]) -> None:
        touched = {path: files.pop(path) for path in commit.changes if path in files}
        if not commit.parents:
            self._found(commit, [line for file in files.values() for line in file.wanted])
        elif files and self.pending.setdefault(commit.parents[0], files) is not files:
            for path, file in files.items():
                self._expect(commit.parents[0], path, file)
        for path, file in touched.items():
            self._compare(commit, path, file)

    def _compare(self, commit: _Commit, path: str, file: _File) -> None:
        change = commit.changes[path]
        former = {parent: (path, f"{parent}:{path}") for parent in commit.parents[1:]}
        if change.old_path and commit.parents:
            former[commit.parents[0]] = (change.old_path, change.old_blob)
        wanted = file.wanted
        for parent, (old_path, name) in former.items():
            if wanted and (version := self._version(name)) is not None:
                kept = kept_lines(version.lines, file.lines, wanted.values())
                version.wanted = {key: kept[index] for key, index in wanted.items() if index in kept}
                wanted = {key: index for key, index in wanted.items() if index not in kept}
                self._expect(parent, old_path, version)
        self._found(commit, wanted)

    def _expect(self, commit: str, path: str, file: _File) -> None:
        if file.wanted:
            there = self.pending.setdefault(commit, {}).setdefault(path, file)
            there.wanted.update(file.wanted)

    def _found(self, commit: _Commit, wanted: Iterable[Wanted]) -> None:
        days = max(0, int(self._now - commit.time) // 86400)
        age = Age(commit.id, commit.author, commit.time, days)
        for path, number in wanted:
            self._ages[path][number] = SHALLOW if commit.id in self._shallow else age

    def _version(self, name: str) -> _File | None:
        try:
            found = self._git.objects().read(name, LIMITS.diff_file_bytes)
        except Cancelled:
            raise
        except HoldfastError:
            return None
        if found is None or found.kind != "blob" or is_binary(found.data):
            return None
        return _File(lines_of(found.data))


def _commits(texts: Iterator[str]) -> Iterator[_Commit]:
    """Yield the commits of a `git log --raw`, newest first."""
    commit: _Commit | None = None
    for text in texts:
        if text.lstrip("\n").startswith(":"):
            assert commit is not None
            _, _, blob, _, kind = text.split(" ")
            former = next(texts)
            path = next(texts) if kind[0] in "RC" else former
            commit.changes[path] = _Change("" if kind == "A" else former, blob)
            continue
        if commit is not None:
            yield commit
        parents, time, author = next(texts), next(texts), next(texts)
        commit = _Commit(text, parents.split(), int(time or 0), author, {})
    if commit is not None:
        yield commit


def _shallow_commits(repository: Repository) -> frozenset[str]:
    """Return the commits whose parents a shallow clone left behind."""
    try:
        with open(os.path.join(repository.common_dir or "", "shallow"), encoding="ascii") as file:
            return frozenset(file.read().split())
    except (OSError, ValueError):
        return frozenset()
