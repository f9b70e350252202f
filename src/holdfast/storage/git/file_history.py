"""What git knows about the past of one file: its committed content, and its revisions since some commit.

Contract: outside git, in a repository without commits, and where git cannot answer within its time, the
answer is that nothing is known. No command reads the work tree.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from holdfast.kernel.cache import Memory
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import DeadlineExceeded, HoldfastError, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST_COMMITS = 512
_SECONDS = 5.0
_LOG = ("log", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--format=", "-z")


class FileHistory:
    """The past of the files of one repository. Close it to end the process that reads objects."""

    def __init__(self, repository: Repository) -> None:
        self._git = None if repository.git_dir is None else Git(repository)
        self.held: Memory[set[str]] = Memory()
        """What files held in any commit, for those who ask the same again."""

    def head(self) -> str | None:
        """Return the id of the last commit."""
        if self._git is None:
            return None
        try:
            return self._git.head()
        except HoldfastError:
            return None

    def committed(self, path: str, commit: str = "HEAD") -> bytes | None:
        """Return a file's content in a commit, or None when that has no such file."""
        if self._git is None or not (commit == "HEAD" or _COMMIT.fullmatch(commit)):
            return None
        return self._blob(f"{commit}:{RepoPath.parse(path).text}")

    def blob(self, blob: str) -> bytes | None:
        """Return the content that git keeps under an id."""
        if self._git is None or not _COMMIT.fullmatch(blob):
            return None
        return self._blob(blob)

    def staged(self, path: str, stage: int) -> bytes | None:
        """Return one side of an unfinished merge: 1 what both come from, 2 ours, 3 theirs."""
        return None if self._git is None else self._blob(f":{stage:d}:{RepoPath.parse(path).text}")

    def revisions(self, path: str, commit: str) -> list[str]:
        """Return the ids of what a file held in each commit after `commit` that changed it, oldest first."""
        return self._log(commit, ("--", path)).get(path, [])

    def all_revisions(self, commit: str) -> dict[str, list[str]]:
        """Return the same for every file that changed, in one go."""
        return self._log(commit, ())

    def dated(self, path: str) -> list[tuple[int, str]]:
        """Return when each committed content of a file came, in seconds, and its id, newest first."""
        arguments = ("--format=%ct", f"--max-count={_MOST_COMMITS}", "HEAD", "--", path)
        return _parsed_dates(self._output(*_LOG, *arguments))

    def ever_held(self, path: str, texts: Iterable[str]) -> set[str]:
        """Return which of some texts a file held in a commit of any branch, as far as can be read in time."""
        sought = {text: text.encode() for text in texts}
        end = monotonic() + _SECONDS
        listed = _parsed(self._output(*_LOG, "--all", f"--max-count={_MOST_COMMITS}", "--", path))
        held: set[str] = set()
        for blob in dict.fromkeys(listed.get(path, ())):
            if len(held) == len(sought) or monotonic() > end:
                break
            data = self.blob(blob) or b""
            held |= {text for text, wanted in sought.items() if wanted in data}
        return held

    def person(self) -> str | None:
        """Return the name that the user gave git, if any."""
        if self._git is None:
            return None
        try:
            identity = self._git.identity()
        except HoldfastError:
            return None
        return None if identity is None else identity.name

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

    def _log(self, commit: str, paths: tuple[str, ...]) -> dict[str, list[str]]:
        if not _COMMIT.fullmatch(commit):
            return {}
        return _parsed(self._output(*_LOG, f"--max-count={_MOST_COMMITS}", f"{commit}..HEAD", *paths))

    def _output(self, *arguments: str) -> bytes:
        """Return what git answers in time; nothing where it fails."""
        if self._git is None:
            return b""
        try:
            finished = self._git.execute(*arguments, seconds=_SECONDS)
        except (TooLarge, Unavailable, DeadlineExceeded):
            return b""
        return finished.output if finished.status == 0 else b""


def _parsed_dates(output: bytes) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    seconds = 0
    for field in output.decode("utf-8", "surrogateescape").split("\0"):
        head = field.lstrip("\n")
        if head.isdecimal():
            seconds = int(head)
        elif head.startswith(":"):
            new = head.split(" ")[3]
            if new.strip("0"):
                found.append((seconds, new))
    return found


def _parsed(output: bytes) -> dict[str, list[str]]:
    """Return the ids of each file's contents, oldest first, from what `git log --raw -z` prints."""
    found: dict[str, list[str]] = defaultdict(list)
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        head = field.lstrip("\n")
        if head.startswith(":"):
            new, path = head.split(" ")[3], next(fields, "")
            if new.strip("0"):
                found[path].append(new)
    return {path: ids[::-1] for path, ids in found.items()}
