"""The commits that changed a file, or lines of it, newest first, from `git log --follow` and `git log -L`.

Contract: git reads objects only and runs no conversion, whatever the repository configures. Renames are
followed. Names are those of the mailmap.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.history import log_stream
from holdfast.storage.git.line_diff import LineRange

_FIELDS = ("%H", "%aN", "%at", "%s", "%b")


class LoggedCommit(NamedTuple):
    """A commit that changed a file."""

    id: str
    author: str
    time: int
    """The author's time, in seconds since 1970."""
    subject: str
    body: str
    path: str | None
    """The path of the file in the commit; None in the history of lines."""


def commit_log(
    git: Git, commit: str, path: RepoPath, lines: LineRange | None, limit: int
) -> list[LoggedCommit]:
    """Return the newest commits, up to and including `commit`, that changed a file, or lines of it there."""
    selection: tuple[str, ...] = ("--raw", "--follow", commit, "--", path.text)
    if lines is not None:
        selection = ("--no-patch", f"-L{lines[0]},{lines[1]}:{path.text}", commit)
    format_ = f"--format={'%x00'.join(_FIELDS)}"
    output = git.run("log", *log_stream.PLAIN, format_, f"--max-count={limit}", *selection)
    logged = log_stream.commits(log_stream.fields([output]), len(_FIELDS))
    return [
        LoggedCommit(name, author, int(time), subject, body.strip(), rows[0][-1] if rows else None)
        for (name, author, time, subject, body), rows in islice(logged, limit)
    ]
