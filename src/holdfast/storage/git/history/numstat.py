"""The changes of each commit: author, time, and the number of changed lines per file, as git counts them.

Contract:
- The result depends only on the commit, and on which files the repository declares binary. No setting for
  comparisons changes it, so it can be cached by the commit's id. Names of people are as committed.
- A merge has no changes itself: they belong to the commits that were merged.
- Of the work tree, only `.mailmap` is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.log_stream import EXACT_RENAMES, PLAIN, commits, fields

_LOG = ("log", *PLAIN, "--no-diff-merges", "--no-walk=unsorted", "--stdin")
_FORMAT = "--format=%H%x00%P%x00%ct%x00%an%x00%ae%x00%B"
_MAX_TIMESTAMP = 253_402_300_799
"""The last second of the year 9999, the latest date that Python can represent."""
_UNACCEPTED_CHARACTERS = frozenset("<>\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
"""Characters that `check-mailmap` does not accept in a contact, and those at which `splitlines` splits."""

_MAX_SUBJECT_CHARACTERS = 200
"""A judgement: by convention a subject has 50 to 72 characters."""
_MAX_FIX_FILES = 40
"""A judgement: a commit that changes more files is a sweeping change, even if its message names a defect."""
_FIX_WORDS = re.compile(
    r"\b(?:(?:hot|bug)?fix(?:e[sd]|ing)?|bugs?|defects?|crash(?:e[sd]|ing)?|regressions?|deadlocks?|leaks?"
    r"|(?:close[sd]?|resolve[sd]?):? +(?:\w+[/-])*#?\d+)\b",
    re.IGNORECASE,
)
_OTHER_FIX_WORDS = re.compile(
    r"\b(?:typos?|spelling|grammar|wording|docs?|documentation|readme|changelog|comments?|docstrings?|lint\w*"
    r"|format(?:ting)?|style|whitespace|indentation|flak[ey]\w*|ci|workflows?|bump|deps|release notes?)\b",
    re.IGNORECASE,
)

Person = tuple[str, str]
"""A name and an email address."""


class CommitChanges(NamedTuple):
    """A commit and what it changed."""

    id: str
    time: int
    """The time of the commit, in seconds since 1970."""
    is_merge: bool
    name: str
    email: str
    changes: str
    """The rows of `git log --numstat -z`, unparsed; see `rows`."""
    subject: str = ""
    """The first line of its message."""
    is_fix: bool = False
    """Whether the message says that it fixes a defect, and it is not a sweeping change."""


class NumstatRow(NamedTuple):
    """One file that a commit changed. Counts of lines are `-` for a binary file, or if none were counted."""

    path: str
    former_path: str
    """Empty unless the file was renamed."""
    added: str
    deleted: str


def rows(changes: str) -> list[NumstatRow]:
    """Return the files in `CommitChanges.changes`."""
    files = []
    parts = iter(changes.split("\0") if changes else ())
    for part in parts:
        added, deleted, path = part.split("\t", 2)
        former_path = "" if path else next(parts)
        files.append(NumstatRow(path or next(parts), former_path, added, deleted))
    return files


def is_fix(message: str) -> bool:
    """Return whether a message is about fixing a defect, rather than wording, formatting or checks."""
    subject = message.partition("\n")[0]
    return bool(_FIX_WORDS.search(message)) and not _OTHER_FIX_WORDS.search(subject)


def commits_since(git: Git, since: int | None) -> list[str]:
    """Return the ids of the last commit and its ancestors since a time, children first.

    As with `git log --since`, the walk stops where all commits are older.
    """
    period = () if since is None else (f"--since=@{since:d} +0000",)
    listed = git.run("rev-list", "--topo-order", *period, "HEAD", "--", limit=LIMITS.listed_bytes)
    return listed.decode("ascii").split()


def read_commits(git: Git, ids: Iterable[str], *, counted: bool = True) -> Iterator[CommitChanges]:
    """Yield the changes of commits. Unless lines are `counted`, git needs no file contents."""
    what = ("--numstat",) if counted else ("--raw", EXACT_RENAMES)
    stdin = "".join(f"{commit}\n" for commit in ids).encode()
    texts = fields(git.stream(*_LOG, *what, _FORMAT, stdin=stdin, seconds=LIMITS.index_seconds))
    for (commit, parents, time, name, email, message), changed in commits(texts, header_fields=6):
        seconds = min(max(int(time or 0), 0), _MAX_TIMESTAMP)
        rows_of_files = changed if counted else [_uncounted_row(*names) for _, *names in changed]
        changes = "\0".join(text for row in rows_of_files for text in row)
        subject = message.partition("\n")[0][:_MAX_SUBJECT_CHARACTERS]
        fixes = len(changed) <= _MAX_FIX_FILES and is_fix(message)
        yield CommitChanges(commit, seconds, " " in parents, name, email, changes, subject, fixes)


def _uncounted_row(path: str, *renamed: str) -> tuple[str, ...]:
    return ("-\t-\t", path, *renamed) if renamed else (f"-\t-\t{path}",)


def names_by_mailmap(git: Git, people: Iterable[Person]) -> dict[Person, str]:
    """Return each person's name according to `.mailmap`; unchanged where git would not accept the contact."""
    names = {person: person[0] for person in people}
    contacts = [person for person in names if _UNACCEPTED_CHARACTERS.isdisjoint("".join(person))]
    text = "".join(f"{name} <{email}>\n" for name, email in contacts)
    stdin = text.encode("utf-8", "surrogateescape")
    result = git.execute("check-mailmap", "--stdin", stdin=stdin)
    lines = result.output.decode("utf-8", "replace").splitlines()
    if result.status == 0 and len(lines) == len(contacts):
        names |= {person: line.rpartition(" <")[0] for person, line in zip(contacts, lines, strict=True)}
    return names


def tracked_files(git: Git) -> set[str]:
    """Return the files that git tracks."""
    listed = git.run("ls-files", "-z", "--cached", limit=LIMITS.listed_bytes)
    return set(os.fsdecode(listed).split("\0"))
