"""Reads whole regular files, within a size limit and without ever blocking.

Contract: a symbolic link as the last component, a FIFO, a device or a socket is refused at once.
"""

from __future__ import annotations

import os
import stat

from holdfast.kernel.errors import InvalidPath, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import StrPath

READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Follows no link, waits for no writer of a FIFO, and takes no terminal as the controlling one."""


def read_limited(path: StrPath, limit: int, *, directory: int | None = None) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    A relative path may be relative to `directory`, a descriptor.
    """
    name = os.path.basename(os.fspath(path))
    with translate_disk_errors(name):
        descriptor = open_regular(path, label=name, directory=directory)
        try:
            return read_descriptor(descriptor, limit, label=name)
        finally:
            os.close(descriptor)


def open_regular(path: StrPath, *, label: str, directory: int | None = None) -> int:
    """Return a descriptor for reading a regular file; `label` names it in errors."""
    descriptor = os.open(path, READ_FLAGS, dir_fd=directory)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise InvalidPath(f"'{label}' is not a regular file.", hint="Name a regular file.", path=label)


def read_descriptor(descriptor: int, limit: int, *, label: str) -> bytes:
    """Return the content of an open file, or raise `TooLarge` as soon as it exceeds `limit`."""
    size = os.fstat(descriptor).st_size
    pieces: list[bytes] = []
    remaining = limit + 1  # one byte more than allowed, to notice a file that grows
    while size <= limit and remaining > 0:
        piece = os.read(descriptor, min(remaining, LIMITS.read_chunk))
        if not piece:
            break
        pieces.append(piece)
        remaining -= len(piece)
    if size > limit or remaining <= 0:
        raise TooLarge(
            f"'{label}' is larger than {limit} bytes.", hint="Use a smaller file.", path=label, limit=limit
        )
    return b"".join(pieces)
