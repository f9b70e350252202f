"""Atomic writes: after a crash at any point a file holds its old content or its new content, complete.

Contract:
- When `atomic_write` returns, the new content and the directory entry are on disk. When it raises, the file
  has its old content. There is one exception: if the last step fails, flushing the directory, the file has
  its new content, and the error is `Unconfirmed`. No temporary file is left.
- `streamed_file` changes nothing at its path until everything written to it is on disk. An existing file is
  replaced only with `replace`, and keeps its permissions; without `replace`, the file is created only if
  there is none, atomically. Only regular files are ever replaced.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from holdfast.kernel.errors import Conflict, InvalidPath, NotFound
from holdfast.kernel.machine import translate_disk_errors, translate_flush_errors
from holdfast.storage.files.directories import StrPath, open_directory
from holdfast.storage.files.temporary import create_temporary, temporary_name, write_all

_NEW_FILE_MODE = 0o644
"""Every user may read a new file, as with other programs under the usual umask of 022."""


def atomic_write(path: StrPath, data: bytes, *, mode: int | None = None) -> None:
    """Replace the content of a file durably and atomically.

    Without `mode` an existing file keeps its permissions and a new one gets 0644.
    """
    directory, name = os.path.split(os.fspath(path))
    with translate_disk_errors(name), open_directory(directory or os.curdir) as descriptor:
        replace_at(descriptor, name, data, mode=mode)


def replace_at(
    directory: int, name: str, data: bytes, *, label: str | None = None, mode: int | None = None
) -> None:
    """Do what `atomic_write` does, for a name in an open directory."""
    temporary = temporary_name(name)
    with translate_disk_errors(label or name):
        try:
            _write_temporary(directory, temporary, data, _mode_of(directory, name) if mode is None else mode)
            os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            _remove_if_present(directory, temporary)
            raise
        with translate_flush_errors(label or name):
            os.fsync(directory)


def _write_temporary(directory: int, temporary: str, data: bytes, mode: int) -> None:
    descriptor = create_temporary(temporary, 0o600, directory=directory)
    try:
        os.fchmod(descriptor, mode)
        write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _mode_of(directory: int, name: str) -> int:
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return _NEW_FILE_MODE
    return status.st_mode & 0o777 if stat.S_ISREG(status.st_mode) else _NEW_FILE_MODE


def _remove_if_present(directory: int, name: str) -> None:
    with suppress(OSError):  # another failure is being reported; `sweep_orphans` removes what is left
        os.unlink(name, dir_fd=directory)


@contextmanager
def streamed_file(path: str, *, replace: bool = False) -> Iterator[BinaryIO]:
    """Yield a file to write to, which is renamed to its path when the block ends without an exception."""
    directory, name = os.path.split(path)
    directory = directory or os.curdir
    if name in ("", os.curdir, os.pardir):
        raise InvalidPath("That path names no file.", hint="Add the name of a file to it.")
    if not os.path.isdir(directory):
        raise NotFound(f"The folder of '{name}' does not exist.", hint="Make it first.", path=name)
    with translate_disk_errors(name), open_directory(directory) as folder:
        mode = _replaced_mode(folder, name, replace=replace)
        temporary = temporary_name(name)
        try:
            descriptor = create_temporary(temporary, _NEW_FILE_MODE, directory=folder)
            with os.fdopen(descriptor, "wb") as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
            _rename(folder, temporary, name, replace=replace)
        finally:
            _remove_if_present(folder, temporary)
        with translate_flush_errors(name):
            os.fsync(folder)


def _rename(folder: int, temporary: str, name: str, *, replace: bool) -> None:
    if replace:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        # A link fails if the name exists by now; a rename would replace the file.
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise _conflict(name) from None


def _replaced_mode(folder: int, name: str, *, replace: bool) -> int | None:
    """Return the permissions of the file to be replaced, None if there is none; raise if it may not be."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not replace:
        raise _conflict(name)
    if not stat.S_ISREG(status.st_mode):
        raise InvalidPath(f"'{name}' is not a regular file.", hint="Name a file, or one that does not exist.")
    return stat.S_IMODE(status.st_mode)


def _conflict(name: str) -> Conflict:
    return Conflict(f"The file '{name}' exists already.", hint="Name one that does not.", path=name)
