"""Folders as a whole: small files read from a flat one, and a set of files put into one together.

Contract of `Folder`:
- The folder itself and each file in it are opened as what they are: a symbolic link is refused in both
  places.
- One file that cannot be read is one failure in the answer; the others are read all the same.
- A folder that does not exist has no files.

Contract of `FileSet`:
- A directory that does not exist yet appears complete, in one step, or not at all. What a killed writer left
  of one beside it is removed by the next, an hour later.
- In a directory that exists, nothing is written while a file that differs was not named for replacement. Each
  file is replaced in one step; after an interruption the same call finishes the work.
- Links inside the directory are never followed (see `work_tree.py`).
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from holdfast.kernel.errors import Conflict, HoldfastError, NotFound
from holdfast.kernel.machine import disk_failures_named
from holdfast.storage.files.atomic import flush_directory, is_temporary_name, read_limited, temporary_name
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.storage.git.repository import Repository

_ABANDONED_SECONDS = 3600
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
            return read_limited(name, self._limit, directory=folder)
        except HoldfastError as failure:
            return failure


def _identity(name: str, status: os.stat_result) -> tuple[str, int, int, int]:
    size = status.st_size if stat.S_ISREG(status.st_mode) else -1
    return name, status.st_ino, size, status.st_mtime_ns


Files = Mapping[RepoPath, bytes]

_COMPARED_BYTES = 16 * 1024 * 1024


class FileSet:
    """Files by their path inside one directory."""

    def __init__(self, directory: str, files: Files) -> None:
        self._directory = os.path.abspath(directory)
        self._label = os.path.basename(self._directory)
        self._files = files

    def present(self) -> dict[RepoPath, bytes]:
        """Return what stands in the directory now under the paths of the set."""
        if not os.path.lexists(self._directory):
            return {}
        tree = self._tree(self._directory)
        found: dict[RepoPath, bytes] = {}
        for path in self._files:
            try:
                found[path] = tree.read_bytes(path, _COMPARED_BYTES)
            except NotFound:
                continue
        return found

    def write(self, *, replacing: Collection[RepoPath] = ()) -> list[RepoPath]:
        """Put the files in place and return those that were not there already, as they are."""
        if not os.path.lexists(self._directory):
            with appearing(self._directory) as temporary:
                self._fill(temporary, self._files)
            return list(self._files)
        present = self.present()
        wanted = [path for path, data in self._files.items() if present.get(path) != data]
        refused = [path for path in wanted if path in present and path not in replacing]
        if refused:
            raise Conflict(
                f"{len(refused)} of the files are there already with other content: "
                f"{', '.join(path.text for path in refused)}.",
                hint="Name each one that may be replaced.",
                paths=[path.text for path in refused],
            )
        self._fill(self._directory, wanted)
        return wanted

    def _fill(self, directory: str, paths: Collection[RepoPath]) -> None:
        tree = self._tree(directory)
        for path in paths:
            tree.make_parents(path)
            tree.write(path, self._files[path])

    def _tree(self, directory: str) -> Tree:
        # Whatever encloses it: only this one directory is written to.
        with disk_failures_named(self._label):
            return Tree(Repository(os.path.realpath(directory)))


@contextmanager
def appearing(directory: str) -> Iterator[str]:
    """Yield an empty folder that gets its name when the block ends, and is gone again when the block fails.

    What has the name by then may only be an empty folder.
    """
    parent, label = os.path.split(os.path.abspath(directory))
    temporary = os.path.join(parent, temporary_name(label))
    with disk_failures_named(label):
        os.makedirs(parent, exist_ok=True)
        for name in filter(is_temporary_name, os.listdir(parent)):
            if os.lstat(os.path.join(parent, name)).st_mtime < time.time() - _ABANDONED_SECONDS:
                _remove_folder(os.path.join(parent, name))
        os.mkdir(temporary)
        try:
            yield temporary
            os.rename(temporary, directory)
        except BaseException:
            _remove_folder(temporary)
            raise
        flush_directory(parent)


def made_folder(path: str) -> str:
    """Make a folder and those above it, as far as they are missing, and return its path."""
    with disk_failures_named(os.path.basename(path) or path):
        os.makedirs(path, exist_ok=True)
    return path


def _remove_folder(directory: str) -> None:
    import shutil  # here, because every command that knows of scaffolds would pay for it

    shutil.rmtree(directory, ignore_errors=True)
