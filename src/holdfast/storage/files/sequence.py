"""Numbers that no other process gets, without a database.

Contract: numbers from one file grow and never repeat, whichever process asks. They are not flushed: after a
power cut the file may be older, so callers give a lower bound that grows by itself, such as the time.
"""

from __future__ import annotations

import fcntl
import os

from holdfast.storage.files.atomic import StrPath
from holdfast.storage.files.os_errors import disk_failures_named

_DIGITS = 32


def next_number(path: StrPath, at_least: int, count: int = 1) -> int:
    """Return the first of `count` new numbers, none smaller than `at_least`."""
    name = os.path.basename(os.fspath(path))
    with disk_failures_named(name):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            written = os.pread(descriptor, _DIGITS, 0).strip()
            first = max(at_least, int(written) + 1 if written.isdigit() else 0)
            os.pwrite(descriptor, str(first + count - 1).rjust(_DIGITS).encode(), 0)
            return first
        finally:
            os.close(descriptor)
