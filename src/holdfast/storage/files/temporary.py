"""Temporary files: their names, and the removal of those that killed processes left behind.

Contract: a process holds a `flock` on its temporary file as long as it needs the file, so that a sweep can
distinguish the files of killed processes from those of slow ones.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import StrPath, open_directory
from holdfast.storage.files.regular_file import READ_FLAGS

TEMPORARY_SUFFIX = ".holdfast-tmp"
ORPHAN_AGE_SECONDS = 10.0
"""A judgement: a process locks a temporary file far sooner than ten seconds after creating it."""

_MAX_NAME_CHARACTERS = 48
"""How much of the target's name is used. At four bytes a character, the whole stays below 255 (NAME_MAX)."""
_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_RANDOM_BYTES = 8
"""In a temporary name: two writers of one file never choose the same one by chance."""
_NAME = re.compile(rf"\..*\.[0-9a-f]{{{2 * _RANDOM_BYTES}}}{re.escape(TEMPORARY_SUFFIX)}", re.DOTALL)


def temporary_name(name: str) -> str:
    """Return an unused name for a file that is renamed to `name` once it is complete."""
    return f".{name[:_MAX_NAME_CHARACTERS]}.{os.urandom(_RANDOM_BYTES).hex()}{TEMPORARY_SUFFIX}"


def is_temporary_name(name: str) -> bool:
    """Return whether `temporary_name` could have returned this name."""
    return _NAME.fullmatch(name) is not None


def create_temporary(path: StrPath, mode: int, *, directory: int | None = None) -> int:
    """Create a temporary file, locked by this process, and return its descriptor."""
    descriptor = os.open(path, _NEW_FILE_FLAGS, mode, dir_fd=directory)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; a single `write` may stop early."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


@contextmanager
def temporary_file(temporary: str, data: bytes, mode: int, *, durable: bool = True) -> Iterator[None]:
    """Write a temporary file, and keep it until the block ends; the block may rename or link it.

    At the end the file is removed, unless it was renamed.
    """
    descriptor = create_temporary(temporary, mode)
    try:
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
        yield
    finally:
        os.close(descriptor)
        if os.path.lexists(temporary):
            os.unlink(temporary)


def sweep_orphans(directory: StrPath, *, older_than: float = ORPHAN_AGE_SECONDS) -> list[str]:
    """Remove the temporary files that killed writers left in a directory, and return their names.

    A file younger than `older_than` seconds, or still locked by its writer, is left alone.
    """
    name = os.path.basename(os.fspath(directory))
    with translate_disk_errors(name), open_directory(directory) as descriptor:
        return _sweep(descriptor, older_than, lambda entry: entry.endswith(TEMPORARY_SUFFIX))


def sweep_at(directory: int) -> list[str]:
    """Sweep an open directory that is not ours: only names of the form of `temporary_name`."""
    try:
        return _sweep(directory, ORPHAN_AGE_SECONDS, is_temporary_name)
    except OSError:
        return []  # the directory may be writable but not readable


def _sweep(directory: int, older_than: float, is_wanted: Callable[[str], bool]) -> list[str]:
    temporaries = sorted(entry for entry in os.listdir(directory) if is_wanted(entry))
    max_time = time.time() - older_than
    return [entry for entry in temporaries if _remove_orphan(directory, entry, max_time)]


def _remove_orphan(directory: int, name: str, max_time: float) -> bool:
    try:
        descriptor = os.open(name, READ_FLAGS, dir_fd=directory)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_mtime > max_time:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(name, dir_fd=directory)
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(descriptor)
    return True


def remove_if_unchanged(path: str, is_unchanged: Callable[[str], bool]) -> None:
    """Remove a file that other programs may replace, but only if it is unchanged; failures are ignored."""
    if not is_unchanged(path):
        return
    aside = f"{path}.{os.urandom(_RANDOM_BYTES).hex()}"
    # After the rename, other programs no longer write to this file: only now is the check conclusive.
    with suppress(OSError):
        os.rename(path, aside)
        if not is_unchanged(aside):
            with suppress(FileExistsError):  # a newer file has the name now, and would have replaced this one
                os.link(aside, path, follow_symlinks=False)
        os.unlink(aside)
