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
from contextlib import suppress
from typing import NamedTuple

from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.file_signature import RECENT_NANOSECONDS
from holdfast.storage.watching.source_folders import entries

Signature = tuple[int, int, int]
"""Inode, size and modification time of a file; when one differs, the file may have changed."""


class _Folder(NamedTuple):
    modified: int
    """Its modification time, and below when it was read: both in nanoseconds since 1970."""
    read_at: int
    folders: list[str]
    names: list[str]
    without_companion: list[str]
    """The names of files whose companion file is missing."""

    @property
    def has_reliable_time(self) -> bool:
        return self.read_at - self.modified > RECENT_NANOSECONDS


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
        return sorted(prefix + name for prefix, folder in self._folders.items() for name in folder.names)

    def without_companion(self) -> list[str]:
        """Return the paths of wanted files whose companion is missing.

        While nothing changes, this costs one stat for each folder and none for the files.
        """
        folders, paths = self._without_companion
        with suppress(OSError):  # a folder is gone
            if folders and all(os.stat(folder).st_mtime_ns == modified for folder, modified in folders):
                return paths
        walked = self._walk()
        paths = sorted(
            prefix + name for prefix, folder in walked.items() for name in folder.without_companion
        )
        folders = [(os.path.join(self._root, prefix), folder.modified) for prefix, folder in walked.items()]
        has_reliable_times = all(folder.has_reliable_time for folder in walked.values())
        self._without_companion = (folders if has_reliable_times else [], paths)
        return paths

    def signatures(self) -> dict[str, Signature]:
        """Return the signature of each wanted file."""
        signatures = ((path, self.signature(path)) for path in self.paths())
        return {path: signature for path, signature in signatures if signature is not None}

    def signature(self, path: str) -> Signature | None:
        """Return the signature of one file, or None when there is none."""
        try:
            status = os.stat(os.path.join(self._root, path), follow_symlinks=False)
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _walk(self) -> dict[str, _Folder]:
        """Return every folder, by the prefix of the paths in it, such as `src/`; empty for the root."""
        with self._lock:
            folders: dict[str, _Folder] = {}
            pending = [""]
            while pending:
                prefix = pending.pop()
                folder = self._read(prefix)
                if folder is not None:
                    folders[prefix] = folder
                    pending.extend(f"{prefix}{name}/" for name in folder.folders)
            self._folders = folders
        return folders

    def _read(self, prefix: str) -> _Folder | None:
        path = os.path.join(self._root, prefix.rstrip("/"))
        try:
            modified = os.stat(path, follow_symlinks=False).st_mtime_ns
            last = self._folders.get(prefix)
            if last is not None and last.modified == modified and last.has_reliable_time:
                return last
            read_at = time.time_ns()
            folders, names = entries(path, self._wanted)
        except OSError:
            return None
        without_companion = [
            name
            for name in names
            if self._companion_of is not None
            and not os.path.lexists(os.path.join(path, self._companion_of(name)))
        ]
        return _Folder(modified, read_at, list(folders), names, without_companion)
