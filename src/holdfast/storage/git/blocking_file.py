"""Detects that a git command waits for a named pipe where a repository should have a regular file.

git opens ignore rules, attributes, `.mailmap` and the files of the git directory without checking what they
are. Opening a named pipe waits for another process to write to it, usually for ever, and then git would
neither notice that its caller has ended.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.text import printable_path
from holdfast.storage.git.repository import Repository, is_inside
from holdfast.storage.processes.time_limit import TimeLimit

_SILENT_SECONDS = 1.0
"""How long a command may be silent before the files are examined. A judgement: most commands end sooner, and
examining the files of a large work tree takes about as long."""
_READ_IN_WORK_TREE = frozenset((".gitattributes", ".gitignore", ".mailmap"))


class WaitsForPipe(Unavailable, kind="waits_for_pipe", number=5014):
    """git waits for a named pipe."""


class GitTimeLimit(TimeLimit):
    """The limit for one git command, which also ends when the command waits for a named pipe."""

    def __init__(self, seconds: float, work: str, repository: Repository) -> None:
        super().__init__(seconds, work)
        self._repository = repository
        self._examine_at = monotonic() + _SILENT_SECONDS

    def answered(self) -> None:
        """Record that the command has printed something, so that it does not wait for a pipe now."""
        self._examine_at = monotonic() + _SILENT_SECONDS

    def check(self) -> None:
        super().check()
        if monotonic() < self._examine_at:
            return
        self._examine_at = float("inf")  # once is enough: whatever blocks git is there already
        pipe = _find_pipe(self._repository, super().check)
        if pipe is not None:
            raise WaitsForPipe(
                f"{self._work} waits for '{pipe}', which is a named pipe and not a file.",
                hint="Move it out of the repository, then try again.",
                path=pipe,
            )


def _find_pipe(repository: Repository, check: Callable[[], None]) -> str | None:
    """Return the path of a named pipe that git may open, from the root of the work tree."""
    places = [repository.root]
    if repository.common_dir is not None and not is_inside(repository.common_dir, repository.root):
        places.append(repository.common_dir)
    while places:
        check()
        folder = places.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                places.append(entry.path)
            elif not entry.is_file(follow_symlinks=False) and _is_pipe(entry.path):
                is_in_git = repository.common_dir is not None and is_inside(folder, repository.common_dir)
                if is_in_git or entry.name in _READ_IN_WORK_TREE:
                    return printable_path(os.path.relpath(entry.path, repository.root))
    return None


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False
