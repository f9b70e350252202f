"""Finds when lines were last changed, for many files in one pass over the history.

`git blame` walks the history once per file. Here one `git log --raw` is read for all files: it lists the
blobs that each commit replaced, and only blobs of the requested files are compared.

Contract:
- The last change of a line is the newest commit whose version of the file has the line, while no parent's
  version has it. Renames are followed, and a line that only moved within its file keeps its age.
- In a merge, a line belongs to a parent that has it, or to the merge itself if none has.
- A line that is not committed, or whose history a shallow or partial clone lacks, has that reason instead of
  an age.
- The time is the author's, so a rebase makes no line younger.
- Results are cached: the next time only newer commits are read, and only for files that they changed.
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
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.binary_content import is_binary
from holdfast.storage.git.command import Git
from holdfast.storage.git.history import line_age_cache
from holdfast.storage.git.history.line_age_cache import StoredAges
from holdfast.storage.git.history.log_stream import PLAIN, commits, fields
from holdfast.storage.git.incomplete_clone import is_partial, shallow_commits
from holdfast.storage.git.line_diff import former_indexes, lines_of
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
_MAX_WALK_SECONDS = 30.0
"""A judgement: half of an operation's time limit (`LIMITS.operation_seconds`), to leave time for the rest."""
COMMITS_PER_REPORT = 500
"""A judgement: progress is reported several times a second."""


class Age(NamedTuple):
    """The last change of a line."""

    commit: str
    time: int
    """Seconds since 1970."""
    days: int
    """Whole days from then until the request; 0 if it is in the future."""


class Wanted(NamedTuple):
    """A requested line of the work tree."""

    path: str
    number: int


Ages = dict[str, dict[int, Age | str]]
"""The age of each line, or why it is unknown, by path and line number in the work tree."""


class _Former(NamedTuple):
    """A file before a commit changed it."""

    path: str
    """Empty if the file is new."""
    blob: str


class _Commit(NamedTuple):
    id: str
    parents: list[str]
    time: int
    changes: dict[str, _Former]
    """What the commit replaced in the first parent, by the path of each changed file."""


@dataclass
class _File:
    """A version of a file, and the requested lines that it has and whose age is still unknown."""

    lines: list[bytes]
    wanted: dict[Wanted, int] = field(default_factory=dict)
    """The index in `lines` of each requested line."""


def line_ages(
    repository: Repository, lines: Mapping[str, Iterable[int]], now: float, seconds: float = _MAX_WALK_SECONDS
) -> Ages:
    """Return the last change of each line, by path and number in the work tree, or why it is unknown."""
    ages: Ages = {path: dict.fromkeys(sorted(set(numbers)), NO_GIT) for path, numbers in lines.items()}
    if repository.git_dir is None or not ages:
        return ages
    with closing(Git(repository)) as git:
        if (head := git.head()) is None:
            return {path: dict.fromkeys(numbers, NOT_COMMITTED) for path, numbers in ages.items()}
        cached = line_age_cache.load(repository)
        walk = _Walk(git, ages, cached, now)
        files = {path: file for path in ages if (file := walk.read_committed(path, head)) is not None}
        requested = {line: index for file in files.values() for line, index in file.wanted.items()}
        if walk.add_pending(head, files):
            walk.follow(head, monotonic() + seconds)
            line_age_cache.save(repository, cached, head, walk.known_ages(head, requested))
    return ages


class _Walk:
    """The walk from the last commit to the first, with the lines whose ages are still unknown.

    `_pending` has these lines by commit and path: at each commit the walk finds out whether the commit
    introduced them, or which parent they come from.
    """

    def __init__(self, git: Git, ages: Ages, cached: Mapping[str, StoredAges], now: float) -> None:
        self._git = git
        self._cached = cached
        self._tree = Tree(git.repository)
        self._ages = ages
        self._now = now
        self._shallow = shallow_commits(git.repository)
        self._pending: dict[str, dict[str, _File]] = {}

    def read_committed(self, path: str, head: str) -> _File | None:
        """Return the committed version of a file with its requested lines; set the ages of all others."""
        ages = self._ages[path]
        try:
            current = self._tree.read_bytes(RepoPath.parse(path), LIMITS.diff_file_bytes)
        except HoldfastError:
            current = b"\0"
        if is_binary(current):
            ages.update(dict.fromkeys(ages, NO_TEXT))
            return None
        lines = lines_of(current)
        existing = [number for number in ages if 0 < number <= len(lines)]
        ages.update({number: NOT_COMMITTED if number in existing else NO_LINE for number in ages})
        try:
            file = self._version(f"{head}:{path}")
        except NotFetched:
            file = None
            ages.update(dict.fromkeys(existing, PARTIAL))
        if file is None:
            return None
        committed = former_indexes(file.lines, lines, [number - 1 for number in existing])
        file.wanted = {Wanted(path, index + 1): former for index, former in committed.items()}
        ages.update({index + 1: NO_TIME for index in committed})
        return file

    def add_pending(self, commit: str, files: dict[str, _File]) -> bool:
        """Add a commit's wanted lines, except those with a cached age; return whether any are left."""
        for path, ages in self._cached.get(commit, {}).items():
            wanted = files[path].wanted if path in files else {}
            for line in [line for line, index in wanted.items() if str(index + 1) in ages]:
                self._set_age([line], *ages[str(wanted.pop(line) + 1)])
        pending = {path: file for path, file in files.items() if file.wanted}
        if pending:
            self._pending[commit] = pending
        return bool(pending)

    def known_ages(self, head: str, requested: Mapping[Wanted, int]) -> StoredAges:
        """Return the ages known for the last commit: those cached before, and those requested now."""
        known = {path: dict(lines) for path, lines in self._cached.get(head, {}).items()}
        for (path, number), index in requested.items():
            if isinstance(age := self._ages[path][number], Age):
                known.setdefault(path, {})[str(index + 1)] = (age.commit, age.time)
        return known

    def follow(self, head: str, deadline: float) -> None:
        """Pass each line on to a parent that has it, until the commit that introduced it is found."""
        with closing(self._git.stream(*_LOG, _FORMAT, head, "--", seconds=LIMITS.index_seconds)) as pieces:
            for number, commit in enumerate(_commits(fields(_until_not_fetched(pieces)))):
                files = self._pending.pop(commit.id, None)
                if files and self.add_pending(commit.id, files):
                    self._pass_to_parents(commit, self._pending.pop(commit.id))
                if number % COMMITS_PER_REPORT == 0:
                    current_call().progress(number, None, "looking for the ages of lines")
                    if monotonic() > deadline:
                        return
                if not self._pending:
                    return
        if is_partial(self._git.repository):
            for files in self._pending.values():
                self._mark_missing(line for file in files.values() for line in file.wanted)

    def _mark_missing(self, wanted: Iterable[Wanted]) -> None:
        for path, number in wanted:
            self._ages[path][number] = PARTIAL

    def _pass_to_parents(self, commit: _Commit, files: dict[str, _File]) -> None:
        """Pass on the lines of files that the commit left unchanged, and compare the files it changed."""
        touched = {path: files.pop(path) for path in commit.changes if path in files}
        if not commit.parents:
            lines = [line for file in files.values() for line in file.wanted]
            self._set_age(lines, commit.id, commit.time)
        elif files and commit.parents[0] not in self._pending:
            self._pending[commit.parents[0]] = files  # the usual case, without a step for each file
        else:
            for path, file in files.items():
                self._search_in(commit.parents[0], path, file)
        for path, file in touched.items():
            self._compare(commit, path, file)

    def _compare(self, commit: _Commit, path: str, file: _File) -> None:
        """Pass each line of a changed file to a parent that has it; the commit introduced the others."""
        former = commit.changes[path]
        # By parent: the path in it, and the object's name. Only the first parent's blob is in the log.
        versions = {parent: (path, f"{parent}:{path}") for parent in commit.parents[1:]}
        if former.path and commit.parents:
            versions[commit.parents[0]] = (former.path, former.blob)
        wanted = file.wanted
        for parent, (parent_path, name) in versions.items() if wanted else ():
            try:
                version = self._version(name)
            except NotFetched:
                self._mark_missing(wanted)
                return
            if wanted and version is not None:
                indexes = former_indexes(version.lines, file.lines, wanted.values())
                version.wanted = {line: indexes[index] for line, index in wanted.items() if index in indexes}
                wanted = {line: index for line, index in wanted.items() if index not in indexes}
                self._search_in(parent, parent_path, version)
        self._set_age(wanted, commit.id, commit.time)

    def _search_in(self, commit: str, path: str, file: _File) -> None:
        """Look for the wanted lines of a version when the walk reaches its commit.

        Several children of the commit may have the same version, and pass different lines to it.
        """
        if file.wanted:
            pending = self._pending.setdefault(commit, {}).setdefault(path, file)
            pending.wanted.update(file.wanted)

    def _set_age(self, wanted: Iterable[Wanted], commit: str, time: int) -> None:
        age = Age(commit, time, max(0, int(self._now - time) // 86400))
        for path, number in wanted:
            self._ages[path][number] = SHALLOW if commit in self._shallow else age

    def _version(self, name: str) -> _File | None:
        """Return a version of a file by its blob id or `<commit>:<path>`, or None if it is no text."""
        with suppress(InvalidArguments, TooLarge):
            found = self._git.objects().read(name, LIMITS.diff_file_bytes)
            if found is not None and found.kind == "blob" and not is_binary(found.data):
                return _File(lines_of(found.data))
        return None


def _until_not_fetched(pieces: Iterable[bytes]) -> Iterator[bytes]:
    with suppress(NotFetched):  # to find renames, git needs contents that a partial clone lacks
        yield from pieces


def _commits(texts: Iterator[str]) -> Iterator[_Commit]:
    for (commit, parents, time), rows in commits(texts, header_fields=3):
        changes = {}
        for row, *paths in rows:  # one path, or for a rename the old and the new one
            _old_mode, _new_mode, old_blob, _new_blob, status = row.split(" ")
            changes[paths[-1]] = _Former("" if status == "A" else paths[0], old_blob)
        yield _Commit(commit, parents.split(), int(time or 0), changes)
