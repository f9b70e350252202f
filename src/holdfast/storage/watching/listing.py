"""Lists the files of a work tree with wanted names, without reading unchanged folders again.

Contract:
- No link is followed, and only folders that may contain source are entered (see `source_folders`).
- A folder or a name that cannot be read is left out; opening the file reports what is wrong with it.
- A folder is read again only if its modification time has changed, or is so recent that another change could
  have the same time. So no file is missed.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.source_folders import entries

RECENT_NANOSECONDS = 2_000_000_000
"""The minimum age of a reliable time. The coarsest time stamps in use are those of FAT: two seconds
(<https://learn.microsoft.com/windows/win32/sysinfo/file-times>)."""

Signature = tuple[int, int, int]
"""Inode, size and modification time of a file; when one differs, the file may have changed."""


class _Folder(NamedTuple):
    modified: int
    read_at: int
    folders: tuple[str, ...]
    names: tuple[str, ...]
    without_companion: tuple[str, ...]
    """The names of files whose companion file is missing."""


class Listing:
    """The files of a work tree with wanted names. Thread-safe."""

    def __init__(
        self,
        repository: Repository,
        wanted: Callable[[str], bool],
        companion_of: Callable[[str], str] | None = None,
    ) -> None:
        """`companion_of` returns the name of a wanted file's companion in the same folder.

        Only `without_companion` needs it.
        """
        self._root = repository.root
        self._wanted = wanted
        self._companion_of = companion_of
        self._folders: dict[str, _Folder] = {}
        self._without_companion: tuple[list[tuple[str, int]], list[str]] = ([], [])
        """The folders with their modification times, and what `without_companion` returned for them."""
        self._lock = threading.Lock()

    def paths(self) -> list[str]:
        """Return the paths of the wanted files, relative to the root and sorted."""
        self._walk()
        return self.last_paths()

    def last_paths(self) -> list[str]:
        """Return the paths that the last scan found, without another scan."""
        found = []
        for relative, folder in self._folders.items():
            prefix = f"{relative}/" if relative else ""
            found += [prefix + name for name in folder.names]
        return sorted(found)

    def without_companion(self) -> list[str]:
        """Return the paths of wanted files whose companion is missing.

        While nothing changes, this costs one stat for each folder and none for the files.
        """
        known_folders, found = self._without_companion
        try:
            is_unchanged = all(os.stat(path).st_mtime_ns == modified for path, modified in known_folders)
            if known_folders and is_unchanged:
                return found
        except OSError:
            pass  # a folder is gone
        walked = self._walk()
        found = sorted(prefix + name for prefix, folder in walked for name in folder.without_companion)
        are_times_reliable = all(
            folder.read_at - folder.modified > RECENT_NANOSECONDS for _, folder in walked
        )
        folders = [(os.path.join(self._root, prefix), folder.modified) for prefix, folder in walked]
        self._without_companion = (folders if are_times_reliable else [], found)
        return found

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

    def _walk(self) -> list[tuple[str, _Folder]]:
        """Return every folder, with the prefix of the paths in it."""
        with self._lock:
            found: dict[str, _Folder] = {}
            pending, walked = [""], []
            while pending:
                relative = pending.pop()
                folder = self._read(relative)
                if folder is None:
                    continue
                found[relative] = folder
                prefix = f"{relative}/" if relative else ""
                walked.append((prefix, folder))
                pending.extend(prefix + name for name in folder.folders)
            self._folders = found
        return walked

    def _read(self, relative: str) -> _Folder | None:
        path = os.path.join(self._root, relative)
        try:
            modified = os.stat(path, follow_symlinks=False).st_mtime_ns
            known = self._folders.get(relative)
            if (
                known is not None
                and known.modified == modified
                and known.read_at - modified > RECENT_NANOSECONDS
            ):
                return known
            read_at = time.time_ns()
            folders, names = entries(path, self._wanted)
        except OSError:
            return None
        without_companion = (
            name
            for name in names
            if self._companion_of is not None
            and not os.path.lexists(os.path.join(path, self._companion_of(name)))
        )
        return _Folder(modified, read_at, tuple(folders), tuple(names), tuple(without_companion))
