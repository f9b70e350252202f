"""Reads the small files of one flat folder, such as a folder of templates.

Contract:
- A symbolic link is refused, both as the folder and as a file in it.
- For a file that cannot be read, the result has the error; the others are still read.
- A folder that does not exist has no files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import open_directory
from holdfast.storage.files.regular_file import read_limited

Fingerprint = tuple[tuple[str, int, int, int], ...]
"""Name, inode, size and modification time of every file; equal fingerprints mean that nothing changed."""


class Folder:
    """The files with one suffix directly in a directory, up to a maximum number."""

    def __init__(self, path: str, suffix: str, *, max_files: int, limit: int) -> None:
        """Read the first `max_files` files in the order of names, each of at most `limit` bytes."""
        self._path = path
        self._label = os.path.basename(path)
        self._suffix = suffix
        self._max_files = max_files
        self._limit = limit

    def fingerprint(self) -> Fingerprint:
        """Return a value that changes when a file is added, removed or written."""
        if not os.access(self._path, os.F_OK):
            return ()  # the usual case; an exception would take longer
        try:
            folder = os.lstat(self._path)
            if not stat.S_ISDIR(folder.st_mode):
                return (_stat(self._label, folder),)
            with os.scandir(self._path) as entries:
                files = [entry for entry in entries if entry.name.endswith(self._suffix)]
                return tuple(sorted(_stat(item.name, item.stat(follow_symlinks=False)) for item in files))
        except OSError:
            return ()

    def read(self) -> Mapping[str, bytes | HoldfastError]:
        """Return each file's content, or why it could not be read, by its name, in the order of names.

        A folder that cannot be read is an entry itself.
        """
        try:
            with translate_disk_errors(self._label), open_directory(self._path, follows_link=False) as folder:
                names = sorted(name for name in os.listdir(folder) if name.endswith(self._suffix))
                return {name: self._content(folder, name) for name in names[: self._max_files]}
        except HoldfastError as failure:
            return {self._label: failure} if os.path.lexists(self._path) else {}

    def _content(self, folder: int, name: str) -> bytes | HoldfastError:
        try:
            return read_limited(name, self._limit, directory=folder)
        except HoldfastError as failure:
            return failure


def _stat(name: str, status: os.stat_result) -> tuple[str, int, int, int]:
    size = status.st_size if stat.S_ISREG(status.st_mode) else -1
    return name, status.st_ino, size, status.st_mtime_ns
