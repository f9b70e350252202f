"""Counters in files, from which all processes take their numbers.

Contract: the numbers of a counter increase, and no two processes get the same one. The file is not flushed,
and may be older after a power failure: callers pass a lower bound that increases by itself, such as the time.
"""

from __future__ import annotations

import fcntl
import os

from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import StrPath

_WIDTH = 32
"""The file has a fixed width, so that each number overwrites the last one completely."""


def reserve_numbers(path: StrPath, count: int, *, at_least: int) -> int:
    """Reserve `count` consecutive numbers, the first at least `at_least`, and return the first."""
    with translate_disk_errors(os.path.basename(os.fspath(path))):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            # Without a time limit: the lock is held for one read and one write.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            last = os.pread(descriptor, _WIDTH, 0).strip()
            first = max(at_least, int(last) + 1 if last.isdigit() else 0)
            os.pwrite(descriptor, str(first + count - 1).rjust(_WIDTH).encode(), 0)
            return first
        finally:
            os.close(descriptor)
