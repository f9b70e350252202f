"""Changes configuration files of other programs, so that a person can always undo the change.

Contract:
- A file is replaced atomically and keeps its permissions. It is replaced only if it still has the content on
  which the change is based (compare-and-swap); otherwise `Conflict` is raised, and nothing is changed.
- Only one process of ours changes files of a directory at a time. The directory itself is locked, so that no
  lock files are left beside the files.
- The first change saves the earlier content beside the file, under the same name with `BACKUP_SUFFIX`.
- A symbolic link is followed if the link and its target both belong to the user; then the target is changed.
  A file that must be inside a directory is refused if a link leads out of it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from holdfast.kernel.errors import Busy, Conflict, Denied, InvalidPath
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.directories import flush_directory, open_directory
from holdfast.storage.files.locks import wait_for_lock
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.files.temporary import sweep_orphans

BACKUP_SUFFIX = ".holdfast-backup"
_PROGRAM_LOCK_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Backup(Enum):
    """What a change does with the backup of the earlier content."""

    WRITE = "write"
    LEAVE = "leave"
    REMOVE = "remove"


@dataclass(frozen=True)
class ConfigurationFile:
    """A file by its path, named `label` in messages."""

    path: str
    label: str
    required_parent: str | None = None
    """The directory that the file must be in or below, for files that may have come with a repository."""
    is_private: bool = False
    """Whether only the user may access a new file, and the directories that are created for it."""
    program_lock_suffix: str | None = None
    """The suffix of the lock file that the program itself creates beside its file while it writes."""

    def read(self) -> bytes | None:
        """Return the content, or None if the file does not exist."""
        return _content(self._real_path(), self.label)

    def read_backup(self) -> bytes | None:
        """Return the content from before the first change, or None if there is no backup."""
        return _content(self._real_path() + BACKUP_SUFFIX, self.label + BACKUP_SUFFIX)

    def replace(self, before: bytes | None, after: bytes | None, *, backup: Backup) -> None:
        """Replace the content `before` with `after`, durably; None means that there is no file."""
        path = self._real_path()
        self._make_directory(path)
        with translate_disk_errors(self.label), self._directory_lock(path), self._program_lock(path):
            if _content(path, self.label) != before:
                raise Conflict(f"'{self.label}' was changed just now by another program.", hint="Try again.")
            self._check_owner(path)
            sweep_orphans(os.path.dirname(path))
            if backup is Backup.WRITE and before is not None:
                atomic_write(path + BACKUP_SUFFIX, before, mode=stat.S_IMODE(os.stat(path).st_mode))
            if after is None:
                _remove(path)
            elif after != before:
                mode = 0o600 if self.is_private and before is None else None
                atomic_write(path, after, mode=mode)
            if backup is Backup.REMOVE:
                _remove(path + BACKUP_SUFFIX)

    def remove_empty_directories(self) -> None:
        """Remove the empty directories above a removed file, up to `required_parent`."""
        directory = os.path.dirname(self._real_path())
        while self.required_parent is not None and directory != os.path.realpath(self.required_parent):
            try:
                os.rmdir(directory)
            except OSError:
                return  # it is not empty, or may not be removed
            directory = os.path.dirname(directory)

    def _real_path(self) -> str:
        with translate_disk_errors(self.label):
            if os.path.islink(self.path):
                self._check_link()
            path = os.path.realpath(self.path)
        if self.required_parent is not None:
            directory = os.path.realpath(self.required_parent)
            if os.path.commonpath([directory, path]) != directory:
                raise InvalidPath(
                    f"'{self.label}' leads out of the repository.",
                    hint="Replace the symbolic link with a file.",
                )
        return path

    def _check_link(self) -> None:
        if not os.path.exists(self.path):
            raise InvalidPath(
                f"'{self.label}' is a symbolic link that leads nowhere.", hint="Create the file it names."
            )
        owners = {os.lstat(self.path).st_uid, os.stat(self.path).st_uid}
        if owners != {os.geteuid()}:
            raise Denied(
                f"'{self.label}' is a symbolic link, and it or its file belongs to another user.",
                hint="Replace the symbolic link with a file that belongs to you.",
            )

    def _check_owner(self, path: str) -> None:
        # A replaced file would belong to another user than before.
        if self.is_private and os.path.exists(path) and os.stat(path).st_uid != os.geteuid():
            raise Denied(
                f"'{self.label}' belongs to another user.", hint="Run the command as the user it belongs to."
            )

    def _make_directory(self, path: str) -> None:
        label = os.path.dirname(self.label) or self.label
        mode = 0o700 if self.is_private else 0o755
        with translate_disk_errors(label):
            try:
                os.makedirs(os.path.dirname(path), mode=mode, exist_ok=True)
            except FileExistsError as error:
                raise NotADirectoryError(errno.ENOTDIR, label) from error

    @contextmanager
    def _directory_lock(self, path: str) -> Iterator[None]:
        """Keep our other processes from changing files of the directory."""
        with open_directory(os.path.dirname(path)) as directory:
            wait_for_lock(lambda: _try_lock(directory), self.label)
            yield

    @contextmanager
    def _program_lock(self, path: str) -> Iterator[None]:
        """Keep the program that the configuration belongs to from writing it, if it uses a lock file."""
        if self.program_lock_suffix is None:
            yield
            return
        lock = path + self.program_lock_suffix
        try:
            os.close(os.open(lock, _PROGRAM_LOCK_FLAGS, 0o600))
        except FileExistsError:
            raise Busy(f"Another program is writing '{self.label}'.", hint="Try again in a moment.") from None
        try:
            yield
        finally:
            os.unlink(lock)


def _try_lock(descriptor: int) -> int | None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    return descriptor


def _content(path: str, label: str) -> bytes | None:
    with translate_disk_errors(label):
        if not os.path.lexists(path):
            return None
        return read_limited(path, LIMITS.configuration_file_bytes)


def _remove(path: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)
        flush_directory(os.path.dirname(path))
