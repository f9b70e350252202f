"""The past of single files: their committed content, their revisions since some commit, and renames.

Contract: outside git, in a repository without commits, and if git does not answer in time, nothing is known.
No command reads the work tree.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import DeadlineExceeded, HoldfastError, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.ref_files import HeadFile
from holdfast.storage.git.repository import Repository

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MAX_COMMITS = 512
_SECONDS = 5.0
_SECONDS_FOR_MANY = 60.0
"""Judgements: older commits, or those not found in this time, seldom help to place a comment."""
_MAX_NAMED = 2000
"""A judgement: with more files, naming them costs git more than listing all changes."""

_RAW = ("--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv", "-z")
_LOG = ("log", *_RAW, "--no-renames", "--format=")


class PathEvent(NamedTuple):
    """A path added, deleted or renamed by a commit, or in the index."""

    old: str
    """The former path; empty if the file is new."""
    new: str
    """The new path; empty if the file was deleted."""
    blob: str


class FileHistory:
    """The past of the files of one repository. Close it to end the process that reads objects."""

    def __init__(self, repository: Repository) -> None:
        self._git = None if repository.git_dir is None else Git(repository)
        self.past_texts: VersionedCache[set[str]] = VersionedCache()
        """A cache of the texts that files contained in any commit."""
        head = HeadFile(repository.git_dir or "", repository.common_dir or "", self._head_from_git)
        self.head = self._head_from_git if self._git is None else head.commit
        """Returns the id of the last commit."""
        self._index = os.path.join(repository.git_dir or "", "index")

    def state(self) -> object:
        """Return a value that changes with the last commit and with the index, from git's files."""
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
        if self._git is None or not (commit == "HEAD" or _COMMIT.fullmatch(commit)):
            return None
        return self._blob(f"{commit}:{RepoPath.parse(path).text}")

    def blob(self, blob: str) -> bytes | None:
        """Return the content of a blob."""
        if self._git is None or not _COMMIT.fullmatch(blob):
            return None
        return self._blob(blob)

    def staged(self, path: str, stage: int) -> bytes | None:
        """Return one side of an unfinished merge: 1 the common base, 2 ours, 3 theirs."""
        return None if self._git is None else self._blob(f":{stage:d}:{RepoPath.parse(path).text}")

    def revisions(self, path: str, commit: str, now: str | None = None) -> list[str]:
        """Return the blob ids of a file in each commit after `commit` that changed it, oldest first.

        `now` is its current path. Contents of that path from before the rename are not part of its past.
        """
        paths = (path,) if now is None or now == path else (path, now)
        events = self._log(commit, f"--max-count={_MAX_COMMITS}", "--", *paths)
        former = [number for number, (name, _) in enumerate(events) if name == path]
        is_gone = bool(former) and not events[former[-1]][1]
        last = max((number for number in former if events[number][1]), default=-1)
        return [
            blob
            for number, (name, blob) in enumerate(events)
            if blob and (name == path or (is_gone and number > last))
        ]

    def all_revisions(self, commit: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return the revisions of many files with one command, each as `revisions` would."""
        chosen = ("--", *paths) if len(paths) <= _MAX_NAMED else ()
        found = _by_path(self._log(commit, *chosen, seconds=_SECONDS_FOR_MANY))
        return {path: ids[-_MAX_COMMITS:] for path, ids in found.items()}

    def path_events(self, commit: str | None) -> list[PathEvent]:
        """Return the files added, deleted and renamed after a commit and in the index, oldest first."""
        since = f"{commit}..HEAD" if commit is not None and _COMMIT.fullmatch(commit) else "HEAD"
        options = (*_RAW, "--find-renames", "--diff-filter=ADR")
        log = self._output("log", "--format=", *options, f"--max-count={_MAX_COMMITS}", since)
        return [*_path_events(log)[::-1], *_path_events(self._output("diff", "--cached", *options, "HEAD"))]

    def dated_contents(self, path: str) -> list[tuple[int, str]]:
        """Return the time of each committed content of a file, in seconds, and its id, newest first."""
        arguments = ("--format=%ct", f"--max-count={_MAX_COMMITS}", "HEAD", "--", path)
        rows = _rows(self._output(*_LOG, *arguments))
        return [(seconds, blob) for seconds, blob, _, _ in rows if blob.strip("0")]

    def find_past_texts(self, path: str, texts: Iterable[str]) -> set[str]:
        """Return which of some texts a file contained in a commit of any branch, within a time limit."""
        sought = {text: text.encode() for text in texts}
        end = monotonic() + _SECONDS
        listed = _events(self._output(*_LOG, "--all", f"--max-count={_MAX_COMMITS}", "--", path))
        held: set[str] = set()
        for blob in _by_path(listed).get(path, ()):
            if len(held) == len(sought) or monotonic() > end:
                break
            data = self.blob(blob) or b""
            held |= {text for text, wanted in sought.items() if wanted in data}
        return held

    def person(self) -> str | None:
        """Return the user's name in git's configuration, if any."""
        with suppress(HoldfastError):
            return None if self._git is None else self._git.identity().name
        return None

    def close(self) -> None:
        """End the process that reads objects, if it runs."""
        if self._git is not None:
            self._git.close()

    def _blob(self, name: str) -> bytes | None:
        assert self._git is not None
        try:
            found = self._git.objects().read(name, LIMITS.comment_source_bytes)
        except (TooLarge, Unavailable, DeadlineExceeded):
            return None
        return found.data if found is not None and found.kind == "blob" else None

    def _log(self, commit: str, *arguments: str, seconds: float = _SECONDS) -> list[tuple[str, str]]:
        if not _COMMIT.fullmatch(commit):
            return []
        return _events(self._output(*_LOG, f"{commit}..HEAD", *arguments, seconds=seconds))

    def _output(self, *arguments: str, seconds: float = _SECONDS) -> bytes:
        """Return git's output; empty if it fails or takes too long."""
        if self._git is None:
            return b""
        try:
            result = self._git.execute(*arguments, seconds=seconds)
        except (TooLarge, Unavailable, DeadlineExceeded):
            return b""
        return result.output if result.status == 0 else b""


def _rows(output: bytes) -> Iterator[tuple[int, str, str, list[str]]]:
    """Yield the rows of `git log --raw -z`: the commit's time, if printed; id, kind and paths."""
    seconds = 0
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        head = field.lstrip("\n")
        if head.startswith(":"):
            blob, kind = head.split(" ")[3:5]
            yield seconds, blob, kind, list(islice(fields, 2 if kind[0] in "RC" else 1))
        elif head.isdecimal():
            seconds = int(head)


def _path_events(output: bytes) -> list[PathEvent]:
    """Return the events in the output of `git log --raw -z` with renames."""
    return [
        PathEvent("" if kind == "A" else paths[0], "" if kind == "D" else paths[-1], blob)
        for _, blob, kind, paths in _rows(output)
    ]


def _events(output: bytes) -> list[tuple[str, str]]:
    """Return path and blob id (empty if deleted) of each change, oldest first, from `git log --raw -z`."""
    return [(path, blob.strip("0") and blob) for _, blob, _, [path] in _rows(output)][::-1]


def _by_path(events: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the ids of each file's contents, oldest first."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, blob in events:
        if blob:
            found[path].append(blob)
    return found
