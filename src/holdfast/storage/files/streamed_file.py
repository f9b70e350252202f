"""A file written piece by piece that appears whole, or not at all.

Contract: until everything is on disk, the name leads to what it led to before. A file that is there is
replaced only when the caller says so, and keeps its permissions; whether it is there is decided in the step
that gives the name away. What is no regular file (a device, a link, a pipe) is never replaced.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from holdfast.kernel.errors import Conflict, InvalidPath, NotFound
from holdfast.kernel.machine import disk_failures_named
from holdfast.storage.files.atomic import TEMPORARY_SUFFIX, opened_directory

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def streamed_file(path: str, *, replace: bool = False) -> Iterator[BinaryIO]:
    """Yield a file to write to; when the block ends without an exception, the path leads to it."""
    directory, name = os.path.split(path)
    if name in ("", os.curdir, os.pardir):
        raise InvalidPath("That path names no file.", hint="Add the name of a file to it.")
    if not os.path.isdir(directory or os.curdir):
        raise NotFound(f"The folder of '{name}' does not exist.", hint="Make it first.", path=name)
    with disk_failures_named(name), opened_directory(directory or os.curdir) as folder:
        mode = _mode_to_give(folder, name, replace=replace)
        temporary = f".{name[:48]}.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}"
        try:
            with os.fdopen(os.open(temporary, _FLAGS, 0o644, dir_fd=folder), "wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
            _give_name(folder, temporary, name, replace=replace)
        finally:
            _remove(folder, temporary)
        os.fsync(folder)


def _give_name(folder: int, temporary: str, name: str, *, replace: bool) -> None:
    if replace:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        # A link is refused where the name is taken by now; a rename would not be.
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise _taken(name) from None


def _mode_to_give(folder: int, name: str, *, replace: bool) -> int | None:
    """Return the permissions of the file that will be replaced, or None where there is none."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not replace:
        raise _taken(name)
    if not stat.S_ISREG(found.st_mode):
        raise InvalidPath(f"'{name}' is not a regular file.", hint="Name a file, or one that is not there.")
    return stat.S_IMODE(found.st_mode)


def _taken(name: str) -> Conflict:
    return Conflict(f"The file '{name}' exists already.", hint="Name one that does not.", path=name)


def _remove(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
