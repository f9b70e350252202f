"""Which files of the work tree have a name of some kind, looked up again at the price of one look per folder.

Contract:
- No link is followed, and no folder is entered that belongs to git, to a store of ours, or to a program that
  installs or caches there; what stands in those is nobody's source.
- A folder whose time has not changed since it was read holds the same names. A time so young that another
  change could share it is not trusted, so that no file is ever missed.
- A folder or a name that cannot be read is left out; whoever opens a file hears what is wrong with it. A name
  that is no valid path here (see `repo_path`) is left out as well: no operation could name it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from holdfast.kernel.errors import InvalidPath
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository

FOREIGN_FOLDERS = frozenset(
    {
        ".git",
        ".holdfast",
        ".hg",
        ".svn",
        ".jj",
        "node_modules",
        "__pycache__",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".gradle",
        ".idea",
        ".vscode",
    }
)
"""Folders in which no source of this repository is looked for."""

_YOUNG_NANOSECONDS = 2_000_000_000

Signature = tuple[int, int, int]
"""Inode, size and time of a file; another one means that it may have changed."""


class _Folder(NamedTuple):
    modified: int
    read_at: int
    folders: tuple[str, ...]
    names: tuple[str, ...]


class Listing:
    """The files of a work tree whose names are wanted. Usable from many threads."""

    def __init__(self, repository: Repository, wanted: Callable[[str], bool]) -> None:
        self._root = repository.root
        self._wanted = wanted
        self._folders: dict[str, _Folder] = {}
        self._lock = threading.Lock()

    def paths(self) -> list[str]:
        """Return the paths of the wanted files from the root, in order."""
        with self._lock:
            found: dict[str, _Folder] = {}
            paths = sorted(self._walk("", found))
            self._folders = found
        return paths

    def signatures(self) -> dict[str, Signature]:
        """Return the signature of each wanted file."""
        found = ((path, self.signature(path)) for path in self.paths())
        return {path: signature for path, signature in found if signature is not None}

    def signature(self, path: str) -> Signature | None:
        """Return the signature of one file, or None when there is none."""
        try:
            status = os.stat(os.path.join(self._root, path), follow_symlinks=False)
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _walk(self, relative: str, found: dict[str, _Folder]) -> Iterator[str]:
        waiting = [relative]
        while waiting:
            relative = waiting.pop()
            folder = self._read(relative)
            if folder is None:
                continue
            found[relative] = folder
            prefix = f"{relative}/" if relative else ""
            yield from (prefix + name for name in folder.names)
            waiting.extend(prefix + name for name in folder.folders)

    def _read(self, relative: str) -> _Folder | None:
        place = os.path.join(self._root, relative)
        try:
            modified = os.stat(place, follow_symlinks=False).st_mtime_ns
            known = self._folders.get(relative)
            if (
                known is not None
                and known.modified == modified
                and known.read_at - modified > _YOUNG_NANOSECONDS
            ):
                return known
            read_at = time.time_ns()
            with os.scandir(place) as entries:
                folders, names = self._sorted_out(entries)
        except OSError:
            return None
        return _Folder(modified, read_at, folders, names)

    def _sorted_out(self, entries: Iterator[os.DirEntry[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        folders, names = [], []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in FOREIGN_FOLDERS and is_nameable(entry.name):
                    folders.append(entry.name)
            elif self._wanted(entry.name) and is_nameable(entry.name):
                names.append(entry.name)
        return tuple(folders), tuple(names)


def is_nameable(name: str) -> bool:
    """Tell whether a name can be part of a path here."""
    try:
        RepoPath.parse(name)
    except InvalidPath:
        return False
    return True
