"""Finds commits whose message contains a name such as `TP-12`, without running git for each search.

Contract: results include the last commit. All commits are read at the first search, later only new ones.
Outside git, in a repository without commits, and if git does not answer in time, nothing is found.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.kernel.errors import Cancelled, HoldfastError
from holdfast.storage.git.command import Git
from holdfast.storage.git.ref_files import HeadFile
from holdfast.storage.git.repository import Repository

_GIT_SECONDS = 5.0
"""How long git may take. A judgement: a task can be shown without its commits, and should not wait longer."""
_MAX_COMMITS_PER_NAME = 50
"""A judgement: far more than any list shows."""
_NAME = re.compile(r"(?<![\w-])(?P<prefix>[A-Za-z]{1,10})-0*(?P<number>\d{1,9})(?!\w)", re.ASCII)
_LOG = (
    "log", "--extended-regexp", "--grep=[A-Za-z]-[0-9]", "--no-show-signature", "--no-color",
    "--format=%H%x1f%an%x1f%cI%x1f%s%x1f%b", "-z",
)  # fmt: skip


class NamedCommit(NamedTuple):
    """The summary of a commit; its time is the committer's, as ISO 8601 with the offset from UTC."""

    id: str
    author: str
    time: str
    subject: str


class CommitSearch:
    """The commits of one repository by the names in their messages. Close it to end its git process."""

    def __init__(self, repository: Repository) -> None:
        self._git = git = None if repository.git_dir is None else Git(repository)
        places = (repository.git_dir or "", repository.common_dir or "")
        self._head_file = HeadFile(*places, lambda: None if git is None else git.head())
        self._head: str | None = None
        self._by_name: dict[str, list[NamedCommit]] = {}
        self._read_lock = threading.Lock()

    def commits_naming(self, name: str, limit: int) -> list[NamedCommit]:
        """Return the newest commits whose message contains this name; its case does not matter."""
        match = _NAME.fullmatch(name)
        if self._git is None or match is None:
            return []
        with self._read_lock:
            self._catch_up(self._git)
        return self._by_name.get(_key(match), [])[:limit]

    def close(self) -> None:
        """End the process that reads objects, if it runs."""
        if self._git is not None:
            self._git.close()

    def _catch_up(self, git: Git) -> None:
        """Read the commits since the last search, or all of them if history was rewritten."""
        try:
            head = self._head_file.commit()
            if head == self._head:
                return
            is_continued = self._is_continued_by(git, head)
            revisions = f"{self._head}..{head}" if is_continued else head
            added = {} if revisions is None else _by_name(_read(git, revisions))
        except Cancelled:
            raise
        except HoldfastError:
            return  # the cache stays as it is; the next call tries again
        if is_continued:
            for name, commits in added.items():
                self._by_name[name] = [*commits, *self._by_name.get(name, [])][:_MAX_COMMITS_PER_NAME]
        else:
            self._by_name = added
        self._head = head

    def _is_continued_by(self, git: Git, head: str | None) -> bool:
        """Return whether `head` descends from the last commit that was read."""
        if self._head is None or head is None:
            return False
        return git.execute("merge-base", "--is-ancestor", self._head, head, seconds=_GIT_SECONDS).status == 0


def _read(git: Git, revisions: str) -> list[tuple[NamedCommit, str]]:
    """Return the commits that may name something, newest first, each with its message."""
    output = git.run(*_LOG, revisions, "--", seconds=_GIT_SECONDS).decode(errors="replace")
    fields_of_commits = (item.split("\x1f", 4) for item in output.split("\0") if item)
    return [
        (NamedCommit(commit, author, time, subject), f"{subject}\n{body}")
        for commit, author, time, subject, body in fields_of_commits
    ]


def _by_name(commits: Iterable[tuple[NamedCommit, str]]) -> dict[str, list[NamedCommit]]:
    """Return commits by each name in their messages, newest first."""
    named: dict[str, list[NamedCommit]] = defaultdict(list)
    for commit, message in commits:
        for key in {_key(match) for match in _NAME.finditer(message)}:
            if len(named[key]) < _MAX_COMMITS_PER_NAME:
                named[key].append(commit)
    return dict(named)


def _key(match: re.Match[str]) -> str:
    return f"{match['prefix'].lower()}-{match['number']}"
