"""Reads and writes files of a work tree, so that no path and no link leads out of it.

Contract:
- `Tree` walks a path one component at a time. Each is opened relative to the directory before it, and never
  followed as a link, so no directory can be replaced by a link between the check and the use.
- A symbolic link anywhere in a path is refused, even if it stays inside the work tree: not every supported
  system can check that atomically, and git does not follow links either.
- Only regular files are read; a FIFO, device or socket is refused at once.
- A write replaces the directory entry, so other hard links to the file keep the old content. A file whose
  mode is read-only is refused, although its directory would allow the replacement.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from holdfast.kernel.errors import Denied, InvalidPath, NotFound, Unavailable
from holdfast.kernel.machine import disk_failure, translate_disk_errors, translate_flush_errors
from holdfast.storage.files.atomic import replace_at
from holdfast.storage.files.directories import DIRECTORY_FLAGS
from holdfast.storage.files.regular_file import open_regular, read_descriptor
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX, sweep_at
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.own_writes import announce

_WRITABLE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Tree:
    """The work tree of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._swept: set[tuple[str, ...]] = set()
        """The segments of the folders in which temporary files of killed writers were removed."""

    def open_read(self, path: RepoPath) -> BinaryIO:
        """Open a regular file for reading; the caller closes it."""
        with self._parent_of(path) as parent:
            return os.fdopen(open_regular(path.name, directory=parent, label=path.text), "rb")

    def read_bytes(self, path: RepoPath, limit: int) -> bytes:
        """Return the content of a regular file of at most `limit` bytes."""
        with self.open_read(path) as file, translate_disk_errors(path.text):
            return read_descriptor(file.fileno(), limit, label=path.text)

    def exists(self, path: RepoPath) -> bool:
        """Return whether there is a regular file at a path."""
        return self.signature(path) is not None

    def files_in(self, directory: RepoPath) -> list[RepoPath]:
        """Return the regular files directly in a directory, sorted; none if it does not exist."""
        any_file = RepoPath((*directory.segments, "_"))
        try:
            with self._parent_of(any_file) as folder:
                names = [name for name in sorted(os.listdir(folder)) if _is_regular(folder, name)]
        except NotFound:
            return []
        return [path for name in names if (path := _child(directory, name)) is not None]

    def write(self, path: RepoPath, data: bytes) -> None:
        """Replace the content of a file durably and atomically; its directory must exist."""
        with self._parent_of(path) as parent:
            _refuse_to_replace(parent, path)
            if path.segments[:-1] not in self._swept:
                self._swept.add(path.segments[:-1])
                self._repository.ignore(f"*{TEMPORARY_SUFFIX}")
                sweep_at(parent)
            replace_at(parent, path.name, data, label=path.text)
        announce(os.path.join(self._repository.root, path.text))

    def sweep(self, path: RepoPath) -> list[str]:
        """Remove the temporary files that killed writers left in the folder of a file; return their names."""
        with self._parent_of(path) as folder:
            return sweep_at(folder)

    def signature(self, path: RepoPath) -> tuple[int, int, int] | None:
        """Return inode, size and modification time of a regular file, or None if there is none."""
        try:
            with self._parent_of(path) as parent:
                status = os.stat(path.name, dir_fd=parent, follow_symlinks=False)
        except (NotFound, InvalidPath):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def remove(self, path: RepoPath) -> None:
        """Remove a regular file durably."""
        with self._parent_of(path) as parent:
            _refuse_to_replace(parent, path)
            os.unlink(path.name, dir_fd=parent)
            with translate_flush_errors(path.text):
                os.fsync(parent)
        announce(os.path.join(self._repository.root, path.text))

    def make_parents(self, path: RepoPath) -> None:
        """Create the missing directories on the way to a file."""
        with self._parent_of(path, makes_missing=True):
            pass

    @contextmanager
    def _parent_of(self, path: RepoPath, *, makes_missing: bool = False) -> Iterator[int]:
        """Open the directory of a file for a `with` block; errors in the block name the path."""
        try:
            descriptor = self._root()
            try:
                for segment in path.segments[:-1]:
                    if makes_missing:
                        _make_directory(descriptor, segment)
                    descriptor = _step_into(descriptor, segment, path)
                yield descriptor
            finally:
                os.close(descriptor)
        except OSError as error:
            raise disk_failure(error, path.text) from error

    def _root(self) -> int:
        if self._repository.bare:
            raise Unavailable("A bare repository has no files to open.", hint="Use a clone with a work tree.")
        return os.open(self._repository.root, DIRECTORY_FLAGS)


def _is_regular(directory: int, name: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _child(directory: RepoPath, name: str) -> RepoPath | None:
    try:
        return RepoPath.parse("/".join((*directory.segments, name)))
    except InvalidPath:
        return None


def _make_directory(directory: int, name: str) -> None:
    try:
        os.mkdir(name, dir_fd=directory)
    except FileExistsError:
        return  # the next step fails if it is not a directory
    os.fsync(directory)


def _step_into(directory: int, segment: str, path: RepoPath) -> int:
    """Open the subdirectory `segment`, close its parent, and return the new descriptor."""
    try:
        subdirectory = os.open(segment, DIRECTORY_FLAGS | os.O_NOFOLLOW, dir_fd=directory)
    except NotADirectoryError:
        # Linux gives this error for a link as well; the message distinguishes the two.
        _refuse_link(directory, segment, path)
        raise
    os.close(directory)
    return subdirectory


def _refuse_link(directory: int, name: str, path: RepoPath) -> None:
    if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
        raise InvalidPath(
            f"'{path.text}' leads through the symbolic link '{name}'.",
            hint="Name the file by its own path; links are not followed.",
            path=path.text,
        )


def _refuse_to_replace(directory: int, path: RepoPath) -> None:
    """Refuse anything but a regular file, and a file that is read-only by its mode."""
    try:
        mode = os.stat(path.name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise InvalidPath(
            f"'{path.text}' is not a regular file.", hint="Name a regular file.", path=path.text
        )
    if not mode & _WRITABLE_BITS:
        raise Denied(f"'{path.text}' is read-only.", hint="Make the file writable first.", path=path.text)
