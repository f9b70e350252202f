"""Small files of one flat folder, read within limits and without following links.

Contract:
- The folder itself and each file in it are opened as what they are: a symbolic link is refused in both
  places.
- One file that cannot be read is one failure in the answer; the others are read all the same.
- A folder that does not exist has no files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.atomic import open_regular, read_descriptor
from holdfast.storage.files.os_errors import disk_failures_named

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Fingerprint = tuple[tuple[str, int, int, int], ...]
"""Name, inode, size and time of every file; another one means that something changed."""


class Folder:
    """The files with one suffix that stand directly in a directory, at most so many of them."""

    def __init__(self, path: str, suffix: str, *, most: int, limit: int) -> None:
        self._path = path
        self._label = os.path.basename(path)
        self._suffix = suffix
        self._most = most
        self._limit = limit

    def fingerprint(self) -> Fingerprint:
        """Return what changes when a file is added, removed or written."""
        if not os.access(self._path, os.F_OK):
            return ()  # the usual case, without the price of an exception
        try:
            folder = os.lstat(self._path)
            if not stat.S_ISDIR(folder.st_mode):
                return (_identity(self._label, folder),)
            with os.scandir(self._path) as entries:
                found = [entry for entry in entries if entry.name.endswith(self._suffix)]
                return tuple(sorted(_identity(item.name, item.stat(follow_symlinks=False)) for item in found))
        except OSError:
            return ()

    def read(self) -> Mapping[str, bytes | HoldfastError]:
        """Return each file's content by name, or why it has none; in the order of names."""
        try:
            with disk_failures_named(self._label):
                folder = os.open(self._path, _FOLDER_FLAGS)
        except HoldfastError as failure:
            return {self._label: failure} if os.path.lexists(self._path) else {}
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(self._suffix))
            return {name: self._content(folder, name) for name in names[: self._most]}
        finally:
            os.close(folder)

    def _content(self, folder: int, name: str) -> bytes | HoldfastError:
        try:
            with disk_failures_named(name):
                descriptor = open_regular(name, label=name, directory=folder)
                try:
                    return read_descriptor(descriptor, self._limit, label=name)
                finally:
                    os.close(descriptor)
        except HoldfastError as failure:
            return failure


def _identity(name: str, status: os.stat_result) -> tuple[str, int, int, int]:
    size = status.st_size if stat.S_ISREG(status.st_mode) else -1
    return name, status.st_ino, size, status.st_mtime_ns
