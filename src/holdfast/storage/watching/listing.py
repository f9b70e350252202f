"""The files of a work tree with wanted names, and their signatures; unchanged folders are not read again.

Contract:
- No link is followed, and only folders that may hold source are entered (see `source_folders`).
- A folder or a name that cannot be read is left out; opening the file reports what is wrong with it.
- A folder whose modification time has not changed since it was read is not read again. A time so recent that
  another change could share it is not trusted, so no file is ever missed.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.source_folders import entries

_RECENT_NANOSECONDS = 2_000_000_000
"""The coarsest time stamps in use are those of FAT: two seconds
(<https://learn.microsoft.com/windows/win32/sysinfo/file-times>)."""

Signature = tuple[int, int, int]
"""Inode, size and modification time of a file; when one differs, the file may have changed."""


class _Folder(NamedTuple):
    modified: int
    read_at: int
    folders: tuple[str, ...]
    names: tuple[str, ...]
    lone: tuple[str, ...]
    """Those of the names whose companion is missing."""


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
        self._lone: tuple[list[tuple[str, int]], list[str]] = ([], [])
        """The folders with their times, and what `without_companion` returned for them."""
        self._lock = threading.Lock()

    def paths(self) -> list[str]:
        """Return the paths of the wanted files, relative to the root and sorted."""
        self._walk()
        return self.last_paths()

    def last_paths(self) -> list[str]:
        """Return the same as of the last scan, without another one."""
        folders = [(f"{relative}/" if relative else "", one) for relative, one in self._folders.items()]
        return sorted(prefix + name for prefix, folder in folders for name in folder.names)

    def without_companion(self) -> list[str]:
        """Return those whose companion is missing; costs one stat for each folder, none for each file."""
        known, found = self._lone
        try:
            if known and all(os.stat(place).st_mtime_ns == modified for place, modified in known):
                return found
        except OSError:
            pass  # a folder is gone
        walked = self._walk()
        found = sorted(prefix + name for prefix, folder in walked for name in folder.lone)
        is_old = all(folder.read_at - folder.modified > _RECENT_NANOSECONDS for _, folder in walked)
        places = [(os.path.join(self._root, prefix), folder.modified) for prefix, folder in walked]
        self._lone = (places if is_old else [], found)
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
            waiting, walked = [""], []
            while waiting:
                relative = waiting.pop()
                folder = self._read(relative)
                if folder is None:
                    continue
                found[relative] = folder
                prefix = f"{relative}/" if relative else ""
                walked.append((prefix, folder))
                waiting.extend(prefix + name for name in folder.folders)
            self._folders = found
        return walked

    def _read(self, relative: str) -> _Folder | None:
        place = os.path.join(self._root, relative)
        try:
            modified = os.stat(place, follow_symlinks=False).st_mtime_ns
            known = self._folders.get(relative)
            if (
                known is not None
                and known.modified == modified
                and known.read_at - modified > _RECENT_NANOSECONDS
            ):
                return known
            read_at = time.time_ns()
            folders, names = entries(place, self._wanted)
        except OSError:
            return None
        lone = (
            name
            for name in names
            if self._companion_of is not None
            and not os.path.lexists(os.path.join(place, self._companion_of(name)))
        )
        return _Folder(modified, read_at, tuple(folders), tuple(names), tuple(lone))
