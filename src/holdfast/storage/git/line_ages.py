"""When lines were last changed, for many files in one pass over the history.

`git blame` walks the history once for each file. Here one `git log --raw` is read for all of them: it says
which blob of a file each commit replaced, and only blobs of the files asked about are compared.

Contract:
- The last change of a line is the newest commit whose version of the file has it while no parent's has it.
  A file that was renamed is followed, and a line that only moved within its file keeps its age.
- Of a merge, a line belongs to the parent that has it, and to the merge itself where no parent does.
- A line that is not committed, or whose past a shallow or partial clone lacks, has that in place of an age.
- The time is that of the author: a rebase makes no line younger.
- What was found is kept: the next time only newer commits are read, and only for files that they changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import HoldfastError, InvalidArguments, NotFetched, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.storage.git import kept_ages
from holdfast.storage.git.command import Git
from holdfast.storage.git.kept_ages import Found
from holdfast.storage.git.line_diff import is_binary, kept_lines, lines_of
from holdfast.storage.git.log_stream import PLAIN, commits, fields, is_partial, shallow_commits
from holdfast.storage.git.repository import Repository

NO_GIT = "not in a git repository"
NOT_COMMITTED = "not committed yet"
NO_TEXT = "not readable as text"
NO_LINE = "no such line"
SHALLOW = "older than this shallow clone"
PARTIAL = "with no earlier content in this partial clone"
NO_TIME = "the history is too long to read in time"

_LOG = ("log", *PLAIN, "--topo-order", "--raw", "--no-abbrev", "--diff-merges=first-parent")
_FORMAT = "--format=%H%x00%P%x00%at"
_SECONDS = 30.0
_COMMITS_BETWEEN_REPORTS = 500


class Age(NamedTuple):
    """The last change of a line."""

    commit: str
    time: int
    """Seconds since 1970."""
    days: int
    """Whole days from then until now."""


Wanted = tuple[str, int]
"""A line that is asked about: the path and the number that it has in the work tree."""
Ages = dict[str, dict[int, Age | str]]


class _Commit(NamedTuple):
    id: str
    parents: list[str]
    time: int
    changes: dict[str, tuple[str, str]]
    """The path and the blob that each changed file had before; no path where the file is new."""


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
        if (head := git.head()) is None:
            return {path: dict.fromkeys(numbers, NOT_COMMITTED) for path, numbers in ages.items()}
        kept = kept_ages.load(repository)
        walk = _Walk(git, ages, kept, now)
        files = {path: file for path in ages if (file := walk.committed(path, head)) is not None}
        asked = {line: index for file in files.values() for line, index in file.wanted.items()}
        if walk.is_left(head, files):
            walk.follow(head, monotonic() + seconds)
            kept_ages.keep(repository, kept, head, walk.found(head, asked))
    return ages


class _Walk:
    """The way from the last commit to the first, with the lines that are still looked for."""

    def __init__(self, git: Git, ages: Ages, kept: Mapping[str, Found], now: float) -> None:
        self._git = git
        self._kept = kept
        self._tree = Tree(git.repository)
        self._ages = ages
        self._now = now
        self._shallow = shallow_commits(git.repository)
        self._pending: dict[str, dict[str, _File]] = {}

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
        try:
            file = self._version(f"{head}:{path}")
        except NotFetched:
            file = None
            ages.update(dict.fromkeys(there, PARTIAL))
        if file is None:
            return None
        kept = kept_lines(file.lines, texts, [number - 1 for number in there])
        file.wanted = {(path, index + 1): former for index, former in kept.items()}
        ages.update({index + 1: NO_TIME for index in kept})
        return file

    def is_left(self, commit: str, files: dict[str, _File]) -> bool:
        """Answer what is kept for a commit, and tell whether lines of its files are left to look for."""
        kept = self._kept.get(commit, {})
        for path, file in files.items() if kept else ():
            there = kept.get(path, {})
            for line, index in list(file.wanted.items()):
                if (known := there.get(str(index + 1))) is not None:
                    del file.wanted[line]
                    self._answer([line], *known)
        left = {path: file for path, file in files.items() if file.wanted}
        if left:
            self._pending[commit] = left
        return bool(left)

    def found(self, head: str, asked: Mapping[Wanted, int]) -> Found:
        """Return what is known of the last commit: what was kept for it, and what was asked for now."""
        known = {path: dict(lines) for path, lines in self._kept.get(head, {}).items()}
        for (path, number), index in asked.items():
            if isinstance(age := self._ages[path][number], Age):
                known.setdefault(path, {})[str(index + 1)] = (age.commit, age.time)
        return known

    def follow(self, head: str, end: float) -> None:
        """Pass each line on to the parents that have it, until a commit is found that brought it."""
        with closing(self._git.stream(*_LOG, _FORMAT, head, "--", seconds=LIMITS.index_seconds)) as pieces:
            for number, commit in enumerate(_commits(fields(_fetched(pieces)))):
                files = self._pending.pop(commit.id, None)
                if files and self.is_left(commit.id, files):
                    self._pass_on(commit, self._pending.pop(commit.id))
                if number % _COMMITS_BETWEEN_REPORTS == 0:
                    current_call().progress(number, None, "looking for the ages of lines")
                    if monotonic() > end:
                        return
                if not self._pending:
                    return
        if is_partial(self._git.repository):
            for files in self._pending.values():
                self._lack(line for file in files.values() for line in file.wanted)

    def _lack(self, wanted: Iterable[Wanted]) -> None:
        for path, number in wanted:
            self._ages[path][number] = PARTIAL

    def _pass_on(self, commit: _Commit, files: dict[str, _File]) -> None:
        touched = {path: files.pop(path) for path in commit.changes if path in files}
        if not commit.parents:
            lines = [line for file in files.values() for line in file.wanted]
            self._answer(lines, commit.id, commit.time)
        elif files and self._pending.setdefault(commit.parents[0], files) is not files:
            for path, file in files.items():
                self._expect(commit.parents[0], path, file)
        for path, file in touched.items():
            self._compare(commit, path, file)

    def _compare(self, commit: _Commit, path: str, file: _File) -> None:
        old_path, old_blob = commit.changes[path]
        former = {parent: (path, f"{parent}:{path}") for parent in commit.parents[1:]}
        if old_path and commit.parents:
            former[commit.parents[0]] = (old_path, old_blob)
        wanted = file.wanted
        for parent, (path_there, name) in former.items() if wanted else ():
            try:
                version = self._version(name)
            except NotFetched:
                self._lack(wanted)
                return
            if wanted and version is not None:
                kept = kept_lines(version.lines, file.lines, wanted.values())
                version.wanted = {key: kept[index] for key, index in wanted.items() if index in kept}
                wanted = {key: index for key, index in wanted.items() if index not in kept}
                self._expect(parent, path_there, version)
        self._answer(wanted, commit.id, commit.time)

    def _expect(self, commit: str, path: str, file: _File) -> None:
        if file.wanted:
            there = self._pending.setdefault(commit, {}).setdefault(path, file)
            there.wanted.update(file.wanted)

    def _answer(self, wanted: Iterable[Wanted], commit: str, time: int) -> None:
        age = Age(commit, time, max(0, int(self._now - time) // 86400))
        for path, number in wanted:
            self._ages[path][number] = SHALLOW if commit in self._shallow else age

    def _version(self, name: str) -> _File | None:
        with suppress(InvalidArguments, TooLarge):
            found = self._git.objects().read(name, LIMITS.diff_file_bytes)
            if found is not None and found.kind == "blob" and not is_binary(found.data):
                return _File(lines_of(found.data))
        return None


def _fetched(pieces: Iterable[bytes]) -> Iterator[bytes]:
    with suppress(NotFetched):  # where git would have to compare files that were renamed
        yield from pieces


def _commits(texts: Iterator[str]) -> Iterator[_Commit]:
    for (commit, parents, time), rows in commits(texts, header=3):
        changes = {
            paths[-1]: ("" if row.endswith(" A") else paths[0], row.split(" ")[2]) for row, *paths in rows
        }
        yield _Commit(commit, parents.split(), int(time or 0), changes)
