"""The changes of each commit: author, time, and the number of changed lines per file, as git counts them.

Contract:
- The result depends only on the commit, and on which files the repository declares binary. No setting for
  comparisons changes it, so it can be cached by the commit's id. Names of people are as committed.
- A merge has no changes itself: they belong to the commits that were merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.defect_fixes import is_fix
from holdfast.storage.git.history.log_stream import EXACT_RENAMES, PLAIN, commits, fields

_LOG = ("log", *PLAIN, "--no-diff-merges", "--no-walk=unsorted", "--stdin")
_FORMAT = "--format=%H%x00%P%x00%ct%x00%an%x00%ae%x00%B"
_MAX_TIMESTAMP = 253_402_300_799
"""The last second of the year 9999, the latest date that Python can represent."""
_MAX_SUBJECT_CHARACTERS = 200
"""Several times the usual 50 to 72; a longer one, such as a message without line breaks, is cut."""
_MAX_FIX_FILES = 40
"""A judgement: a commit that changes more files is a sweeping change, even if its message names a defect; a
lower limit would miss fixes that also update tests and callers."""


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
    """Whether the message is about fixing a defect, and at most `_MAX_FIX_FILES` files changed."""


class NumstatRow(NamedTuple):
    """One file that a commit changed."""

    path: str
    former_path: str
    """Empty unless the file was renamed."""
    added: str
    """The number of added lines in decimal digits, or `-` for a binary file and if lines were not counted."""
    deleted: str
    """The number of deleted lines, likewise."""


def rows(changes: str) -> list[NumstatRow]:
    """Return the files in `CommitChanges.changes`.

    After the counts, a row has the path, or for a rename nothing, and then two texts: the old and new path.
    """
    files = []
    texts = iter(changes.split("\0") if changes else ())
    for text in texts:
        added, deleted, path = text.split("\t", 2)
        former_path = "" if path else next(texts)
        files.append(NumstatRow(path or next(texts), former_path, added, deleted))
    return files


def commits_since(git: Git, since: int | None) -> list[str]:
    """Return the ids of HEAD's commit and its ancestors, children first: all, or those since an epoch second.

    As with `git log --since`, the walk stops where all commits are older.
    """
    period = () if since is None else (f"--since=@{since:d} +0000",)
    listed = git.run("rev-list", "--topo-order", *period, "HEAD", "--", limit=LIMITS.listed_bytes)
    return listed.decode("ascii").split()


def read_commits(git: Git, ids: Iterable[str], *, count_lines: bool = True) -> Iterator[CommitChanges]:
    """Yield the changes of commits, in the order of their ids. Without counts, git needs no file contents."""
    rows_options = ("--numstat",) if count_lines else ("--raw", EXACT_RENAMES)
    stdin = "".join(f"{commit}\n" for commit in ids).encode()
    texts = fields(git.stream(*_LOG, *rows_options, _FORMAT, stdin=stdin, seconds=LIMITS.index_seconds))
    for (commit, parents, time, name, email, message), changed in commits(texts, header_fields=6):
        numstat = changed if count_lines else [_uncounted_row(*paths) for _, *paths in changed]
        yield CommitChanges(
            commit,
            min(max(int(time or 0), 0), _MAX_TIMESTAMP),
            is_merge=" " in parents,
            name=name,
            email=email,
            changes="\0".join(text for row in numstat for text in row),
            subject=message.partition("\n")[0][:_MAX_SUBJECT_CHARACTERS],
            is_fix=len(changed) <= _MAX_FIX_FILES and is_fix(message),
        )


def _uncounted_row(path: str, *new_path: str) -> tuple[str, ...]:
    """Return the texts of a numstat row without counts; `new_path` is given only for a rename."""
    return ("-\t-\t", path, *new_path) if new_path else (f"-\t-\t{path}",)
