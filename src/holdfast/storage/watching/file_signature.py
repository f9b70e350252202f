"""Detects unchanged files from their stat, without opening them.

Contract:
- If two signatures of a group of files are equal, each file has the same content as before, or is missing as
  before. A file that is a link is not followed.
- A group has no signature if one of its files changed so recently that another change could have the same
  time.

Quick commands import this module, so it imports only what Python has loaded at its start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

RECENT_NANOSECONDS = 2_000_000_000
"""The minimum age of a reliable time. The coarsest time stamps in use are those of FAT: two seconds
(<https://learn.microsoft.com/windows/win32/sysinfo/file-times>)."""

FileSignature = tuple[tuple[int, int, int, int] | None, ...]
"""Inode, size, modification and change time of each file; None for a missing one."""


def signature_of(paths: Iterable[str], now: int | None = None) -> FileSignature | None:
    """Return the signature of these files or folders; None if one changed too recently or cannot be read.

    `now` is in nanoseconds since 1970.
    """
    max_time = (time.time_ns() if now is None else now) - RECENT_NANOSECONDS
    stats: list[tuple[int, int, int, int] | None] = []
    for path in paths:
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            stats.append(None)
            continue
        except (OSError, ValueError):
            return None
        if status.st_mtime_ns > max_time or status.st_ctime_ns > max_time:
            return None
        stats.append((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return tuple(stats)
