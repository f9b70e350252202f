"""Translates failures of disk, memory and imports to our errors.

Contract:
- A message names a file by a label: a path inside the repository, or a file name. The absolute path in an
  `OSError` stays in the exception, and never reaches a client.
- `machine_failure` recognises failures that are not defects of ours. Modules are imported when they are first
  needed, so a failing disk can make an import fail in any operation. Python discards a module whose import
  failed, so the next attempt imports it again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from holdfast.kernel.errors import (
    Busy,
    Denied,
    HoldfastError,
    InvalidPath,
    NotFound,
    OutOfSpace,
    Unavailable,
    Unconfirmed,
)

CHECK_PERMISSIONS = "Check who owns it and what its permissions are."
_REGULAR_FILES_ONLY = "Only regular files inside the repository are read and written."
FREE_SPACE = "Free some space and try again; what was stored before is unchanged."
CHECK_DISK = "Check the disk, then try again; `holdfast doctor` verifies the stores."
_FREE_MEMORY = "Free some memory or narrow the request, then try again; what was stored before is unchanged."
_CHECK_FIRST = "It is in place: check it before you repeat this. A power failure may undo it."
TRY_AGAIN = "Try again in a moment."
_IMPORT_AGAIN = "Try again; if it still fails, check the disk, then reinstall Holdfast."

FILE_REASONS: dict[int, tuple[type[HoldfastError], str, str]] = {
    errno.ENOENT: (NotFound, "does not exist", "Check the spelling of the path."),
    errno.EACCES: (Denied, "may not be opened or changed", CHECK_PERMISSIONS),
    errno.EPERM: (Denied, "may not be opened or changed", CHECK_PERMISSIONS),
    errno.EROFS: (Denied, "is on a read-only file system", "Use a repository on a writable file system."),
    errno.ELOOP: (InvalidPath, "is a symbolic link, or leads through one", _REGULAR_FILES_ONLY),
    errno.ENOTDIR: (InvalidPath, "leads through something that is not a directory", _REGULAR_FILES_ONLY),
    errno.EISDIR: (InvalidPath, "is a directory", _REGULAR_FILES_ONLY),
    errno.ENXIO: (InvalidPath, "is not a regular file", _REGULAR_FILES_ONLY),
    errno.ENODEV: (InvalidPath, "is not a regular file", _REGULAR_FILES_ONLY),
    errno.ENAMETOOLONG: (InvalidPath, "has a name that is too long", "Use a shorter path."),
    errno.ENOLCK: (Unavailable, "is on a file system without locks", "Use a local file system."),
}
"""Failures that concern one file: the error, the rest of its sentence after the name, and the hint."""

MACHINE_REASONS: dict[int, tuple[type[HoldfastError], str, str, str]] = {
    errno.ENOSPC: (OutOfSpace, "could not be written", "the disk is full", FREE_SPACE),
    errno.EDQUOT: (OutOfSpace, "could not be written", "the disk quota is used up", FREE_SPACE),
    errno.EIO: (Unavailable, "could not be read or written", "the disk reported an error", CHECK_DISK),
    errno.EMFILE: (Busy, "could not be opened", "too many files are open", TRY_AGAIN),
    errno.ENFILE: (Busy, "could not be opened", "too many files are open", TRY_AGAIN),
    errno.ENOMEM: (Unavailable, "could not be used", "there is no memory left", _FREE_MEMORY),
}
"""Failures of the machine, never defects of ours: the error, what could not be done, why, and the hint."""
_IMPORT_SYSTEM = "<frozen importlib."
"""How the file names of CPython's import system begin in a traceback."""


def disk_failure(error: OSError, label: str) -> HoldfastError:
    """Return the error to report for an `OSError` about the file `label`."""
    number = error.errno or 0
    if number in FILE_REASONS:
        kind, rest, hint = FILE_REASONS[number]
        return kind(f"'{label}' {rest}.", hint=hint, path=label)
    unknown = (Unavailable, "could not be used", _system_message(error), CHECK_DISK)
    kind, effect, cause, hint = MACHINE_REASONS.get(number, unknown)
    return kind(f"'{label}' {effect}: {cause}.", hint=hint, path=label)


@contextmanager
def translate_disk_errors(label: str) -> Iterator[None]:
    """Raise every `OSError` in the `with` block as an error that names the file `label`."""
    try:
        yield
    except OSError as error:
        raise disk_failure(error, label) from error


@contextmanager
def translate_flush_errors(label: str) -> Iterator[None]:
    """Raise every `OSError` in the block as `Unconfirmed`: the file is in place, but was not flushed."""
    try:
        yield
    except OSError as error:
        raise Unconfirmed(
            f"'{label}' was written, but the disk could not confirm it.", hint=_CHECK_FIRST, path=label
        ) from error


def machine_failure(failure: BaseException) -> HoldfastError | None:
    """Return the error to report for an unexpected exception, or None if it is a defect of ours."""
    if isinstance(failure, MemoryError):
        return Unavailable("There is not enough memory for that.", hint=_FREE_MEMORY)
    if isinstance(failure, ImportError):
        # If a module was imported but lacks a name, that is a defect.
        is_defect = str(failure).startswith("cannot import name")
        return None if is_defect else _import_failure(failure.name, None)
    if not isinstance(failure, OSError):
        return None
    if any(frame.f_code.co_filename.startswith(_IMPORT_SYSTEM) for frame in _frames(failure)):
        return _import_failure(_module_being_imported(failure), failure)
    if failure.errno not in MACHINE_REASONS:
        return None
    name = os.path.basename(failure.filename) if isinstance(failure.filename, str) else ""
    return disk_failure(failure, name or "A file")


def _import_failure(module: str | None, error: OSError | None) -> HoldfastError:
    subject = "A part of Holdfast" if module is None else f"A part of Holdfast, {module},"
    if error is None:
        return Unavailable(f"{subject} could not be loaded.", hint=_IMPORT_AGAIN)
    unknown = (Unavailable, "", _system_message(error), _IMPORT_AGAIN)
    kind, _, cause, hint = MACHINE_REASONS.get(error.errno or 0, unknown)
    return kind(f"{subject} could not be loaded: {cause}.", hint=hint)


def _module_being_imported(failure: BaseException) -> str | None:
    # CPython's import system has a function `_find_and_load(name, …)`.
    frames = [frame for frame in _frames(failure) if frame.f_code.co_name == "_find_and_load"]
    names = [frame.f_locals.get("name") for frame in frames]
    return next((name for name in reversed(names) if isinstance(name, str)), None)


def _frames(failure: BaseException) -> Iterator[FrameType]:
    trace = failure.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _system_message(error: OSError) -> str:
    return os.strerror(error.errno or errno.EIO)
