"""The past of single files: their committed content, their revisions since a commit, and renames.

Contract: outside git, in a repository without commits, and if git does not answer in time, all results are
empty. No command reads the work tree.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import DeadlineExceeded, HoldfastError, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.objects.cat_file import OBJECT_ID
from holdfast.storage.git.ref_files import HeadFile
from holdfast.storage.git.repository import Repository

MAX_COMMITS = 512
"""A judgement: older commits seldom help to place a comment."""
_GIT_SECONDS = 5.0
"""How long git may take for one file. A judgement: a comment can be placed without its history."""
_GIT_SECONDS_FOR_MANY = 60.0
"""How long git may take for many files. A judgement: a scan of all comments takes about as long."""
_MAX_PATH_ARGUMENTS = 2000
"""A judgement: for more files, listing all changes is cheaper for git than selecting those of the files."""

_RAW = ("--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv", "-z")
_LOG = ("log", *_RAW, "--no-renames", "--format=")


class _RawRow(NamedTuple):
    """A row of `git log --raw -z`: one file that a commit changed."""

    time: int
    """The time of the commit, in seconds since 1970; 0 if it was not printed."""
    blob: str
    """The id of the new content; zeros if the file was deleted."""
    kind: str
    paths: list[str]
    """The path; of a rename or a copy, the former path and the new one."""

    @property
    def path(self) -> str:
        return self.paths[-1]

    @property
    def is_deletion(self) -> bool:
        return not self.blob.strip("0")


class PathEvent(NamedTuple):
    """A path added, deleted or renamed by a commit, or in the index."""

    old: str
    """The former path; empty if the file is new."""
    new: str
    """The new path; empty if the file was deleted."""
    blob: str
    """The id of the new content."""


class FileHistory:
    """The past of the files of one repository. Close it to end the process that reads objects."""

    def __init__(self, repository: Repository) -> None:
        self._git = None if repository.git_dir is None else Git(repository)
        self.past_texts: VersionedCache[set[str]] = VersionedCache()
        """A cache for callers of `find_past_texts`: the texts found in the past of a file."""
        self._changes: VersionedCache[tuple[str, ...]] = VersionedCache()
        head = HeadFile(repository.git_dir or "", repository.common_dir or "", self._head_from_git)
        self.head = self._head_from_git if self._git is None else head.commit
        """A function that returns the id of the last commit."""
        self._index = os.path.join(repository.git_dir or "", "index")

    def state(self) -> object:
        """Return a value that changes whenever the last commit or the index does; None outside git."""
        if self._git is None:
            return None
        try:
            status = os.stat(self._index)
        except OSError:
            return self.head()
        return self.head(), status.st_ino, status.st_size, status.st_mtime_ns

    def _head_from_git(self) -> str | None:
        try:
            return None if self._git is None else self._git.head()
        except HoldfastError:
            return None

    def committed(self, path: str, commit: str = "HEAD") -> bytes | None:
        """Return a file's content in a commit, or None if that has no such file."""
        if self._git is None or not (commit == "HEAD" or OBJECT_ID.fullmatch(commit)):
            return None
        return self._blob(f"{commit}:{RepoPath.parse(path).text}")

    def blob(self, blob: str) -> bytes | None:
        """Return the content of a blob."""
        if self._git is None or not OBJECT_ID.fullmatch(blob):
            return None
        return self._blob(blob)

    def changed_since(self, commit: str, folder: str) -> tuple[str, ...] | None:
        """Return the files below a folder (all, if it is empty) that differ between a commit and HEAD.

        None if the commit is not in this clone.
        """
        head = self.head()
        if self._git is None or head is None or not OBJECT_ID.fullmatch(commit):
            return None
        key, version = (commit, folder), head
        if (cached := self._changes.get(key, version)) is not None:
            return cached
        options = ("-r", "-z", "--name-only", "--no-renames", "--no-ext-diff")
        try:
            result = self._git.execute(
                "diff-tree", *options, commit, head, "--", *([folder] if folder else []), seconds=_GIT_SECONDS
            )
        except (TooLarge, Unavailable, DeadlineExceeded):
            return None
        if result.status != 0:
            return None
        return self._changes.put(key, version, tuple(os.fsdecode(result.output).split("\0")[:-1]))

    def staged(self, path: str, stage: int) -> bytes | None:
        """Return a file's content at a stage of an unfinished merge: 1 is the base, 2 ours, 3 theirs."""
        return None if self._git is None else self._blob(f":{stage:d}:{RepoPath.parse(path).text}")

    def revisions(self, path: str, commit: str, current_path: str | None = None) -> list[str]:
        """Return the blob ids of a file in each commit after `commit` that changed it, oldest first.

        `current_path` is given for a renamed file. What that path contained before the rename belongs to
        another file.
        """
        paths = {path, path if current_path is None else current_path}
        rows = self._log(commit, f"--max-count={MAX_COMMITS}", "--", *sorted(paths))
        under_old_path = [index for index, row in enumerate(rows) if row.path == path]
        was_renamed = bool(under_old_path) and rows[under_old_path[-1]].is_deletion
        last = max((index for index in under_old_path if not rows[index].is_deletion), default=-1)
        return [
            row.blob
            for index, row in enumerate(rows)
            if not row.is_deletion and (row.path == path or (was_renamed and index > last))
        ]

    def all_revisions(self, commit: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return what `revisions` would for each of many files, with one git command."""
        selection = ("--", *paths) if len(paths) <= _MAX_PATH_ARGUMENTS else ()
        blobs = _blobs_by_path(self._log(commit, *selection, seconds=_GIT_SECONDS_FOR_MANY))
        return {path: ids[-MAX_COMMITS:] for path, ids in blobs.items()}

    def path_events(self, commit: str | None) -> list[PathEvent]:
        """Return the files added, deleted and renamed after a commit and in the index, oldest first."""
        since = f"{commit}..HEAD" if commit is not None and OBJECT_ID.fullmatch(commit) else "HEAD"
        options = (*_RAW, "--find-renames", "--diff-filter=ADR")
        log = self._output("log", "--format=", *options, f"--max-count={MAX_COMMITS}", since)
        return [*_path_events(log)[::-1], *_path_events(self._output("diff", "--cached", *options, "HEAD"))]

    def dated_contents(self, path: str) -> list[tuple[int, str]]:
        """Return each committed content of a file, newest first: the commit's time, and the blob id."""
        arguments = ("--format=%ct", f"--max-count={MAX_COMMITS}", "HEAD", "--", path)
        rows = _rows(self._output(*_LOG, *arguments))
        return [(row.time, row.blob) for row in rows if not row.is_deletion]

    def find_past_texts(self, path: str, texts: Iterable[str]) -> set[str]:
        """Return which of the texts a file contained in a commit of any branch, within a time limit."""
        sought = {text: text.encode() for text in texts}
        past_texts: set[str] = set()
        deadline = monotonic() + _GIT_SECONDS
        rows = _rows(self._output(*_LOG, "--all", f"--max-count={MAX_COMMITS}", "--", path))
        for blob in _blobs_by_path(reversed([*rows])).get(path, ()):
            if len(past_texts) == len(sought) or monotonic() > deadline:
                break
            data = self.blob(blob) or b""
            past_texts |= {text for text, encoded in sought.items() if encoded in data}
        return past_texts

    def close(self) -> None:
        """End the process that reads objects, if it runs."""
        if self._git is not None:
            self._git.close()

    def _blob(self, name: str) -> bytes | None:
        assert self._git is not None
        try:
            blob = self._git.objects().read(name, LIMITS.comment_source_bytes)
        except (TooLarge, Unavailable, DeadlineExceeded):
            return None
        return blob.data if blob is not None and blob.kind == "blob" else None

    def _log(self, commit: str, *arguments: str, seconds: float = _GIT_SECONDS) -> list[_RawRow]:
        """Return the changes after a commit, oldest first."""
        if not OBJECT_ID.fullmatch(commit):
            return []
        return [*_rows(self._output(*_LOG, f"{commit}..HEAD", *arguments, seconds=seconds))][::-1]

    def _output(self, *arguments: str, seconds: float = _GIT_SECONDS) -> bytes:
        """Return git's output; empty if it fails or takes too long."""
        if self._git is None:
            return b""
        try:
            result = self._git.execute(*arguments, seconds=seconds)
        except (TooLarge, Unavailable, DeadlineExceeded):
            return b""
        return result.output if result.status == 0 else b""


def _rows(output: bytes) -> Iterator[_RawRow]:
    seconds = 0
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        head = field.lstrip("\n")
        if head.startswith(":"):
            *_modes_and_old_blob, blob, kind = head.split(" ")
            yield _RawRow(seconds, blob, kind, list(islice(fields, 2 if kind[0] in "RC" else 1)))
        elif head.isdecimal():
            seconds = int(head)


def _path_events(output: bytes) -> list[PathEvent]:
    return [
        PathEvent("" if row.kind == "A" else row.paths[0], "" if row.kind == "D" else row.path, row.blob)
        for row in _rows(output)
    ]


def _blobs_by_path(rows: Iterable[_RawRow]) -> dict[str, list[str]]:
    blobs: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if not row.is_deletion:
            blobs[row.path].append(row.blob)
    return blobs
