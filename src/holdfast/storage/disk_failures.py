"""What the operating system refuses, said so that a person knows the thing and the next step.

Messages name a file by the label the caller gives (a path inside the repository, or a file name); the
absolute path in an `OSError` stays in the chained exception and never reaches a face.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.errors import Busy, Denied, HoldfastError, InvalidPath, NotFound, OutOfSpace, Unavailable

_Reason = tuple[type[HoldfastError], str, str]

_CHECK_PERMISSIONS = "Check who owns it and what its permissions are."
_REGULAR_FILES_ONLY = "Only regular files inside the repository are read and written."
_FREE_SPACE = "Free some space and try again; what was stored before is unchanged."
_CHECK_DISK = "Check the disk, then try again; `holdfast doctor` verifies the stores."

_REASONS: dict[int, _Reason] = {
    errno.ENOENT: (NotFound, "does not exist", "Check the spelling of the path."),
    errno.EACCES: (Denied, "may not be opened or changed", _CHECK_PERMISSIONS),
    errno.EPERM: (Denied, "may not be opened or changed", _CHECK_PERMISSIONS),
    errno.EROFS: (Denied, "is on a read-only file system", "Use a repository on a writable file system."),
    errno.ENOSPC: (OutOfSpace, "could not be written: the disk is full", _FREE_SPACE),
    errno.EDQUOT: (OutOfSpace, "could not be written: the disk quota is used up", _FREE_SPACE),
    errno.EIO: (Unavailable, "could not be read or written: the disk reported an error", _CHECK_DISK),
    errno.ELOOP: (InvalidPath, "is a symbolic link, or leads through one", _REGULAR_FILES_ONLY),
    errno.ENOTDIR: (InvalidPath, "leads through something that is not a directory", _REGULAR_FILES_ONLY),
    errno.EISDIR: (InvalidPath, "is a directory", _REGULAR_FILES_ONLY),
    errno.ENXIO: (InvalidPath, "is not a regular file", _REGULAR_FILES_ONLY),
    errno.ENODEV: (InvalidPath, "is not a regular file", _REGULAR_FILES_ONLY),
    errno.ENAMETOOLONG: (InvalidPath, "has a name that is too long", "Use a shorter path."),
    errno.EMFILE: (Busy, "could not be opened: too many files are open", "Try again in a moment."),
    errno.ENFILE: (Busy, "could not be opened: too many files are open", "Try again in a moment."),
    errno.ENOLCK: (
        Unavailable,
        "could not be locked: its file system has no locks",
        "Use a local file system.",
    ),
}


def disk_failure(error: OSError, label: str) -> HoldfastError:
    """Return the failure that tells a caller what `error` means for the file called `label`."""
    kind, reason, hint = _REASONS.get(
        error.errno or 0,
        (Unavailable, f"could not be used: {os.strerror(error.errno or errno.EIO)}", _CHECK_DISK),
    )
    return kind(f"'{label}' {reason}.", hint=hint, path=label)


@contextmanager
def disk_failures_named(label: str) -> Iterator[None]:
    """Turn every `OSError` of the code inside into a failure that names `label`."""
    try:
        yield
    except OSError as error:
        raise disk_failure(error, label) from error
