"""Detects unchanged files from their stat, without opening them.

Contract:
- Two equal signs mean that each of the files has the same content, or is missing, as before. Links are not
  followed, except in the folders of the path.
- A file changed so recently that another change could share its time has no sign, and neither has a group of
  files with such a one in it.

Quick commands import this module, so it only imports what Python has loaded at start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

_RECENT_NANOSECONDS = 2_000_000_000
"""The coarsest time stamps in use are those of FAT: two seconds
(<https://learn.microsoft.com/windows/win32/sysinfo/file-times>)."""

FileSignature = tuple[tuple[int, int, int, int] | None, ...]
"""Inode, size, modification and change time of each file; None for a missing one."""


def signature_of(places: Iterable[str], now: int | None = None) -> FileSignature | None:
    """Return the sign of these files or folders, or None if one changed too recently or cannot be read."""
    newest = (time.time_ns() if now is None else now) - _RECENT_NANOSECONDS
    found: list[tuple[int, int, int, int] | None] = []
    for place in places:
        try:
            status = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            found.append(None)
            continue
        except (OSError, ValueError):
            return None
        if status.st_mtime_ns > newest or status.st_ctime_ns > newest:
            return None
        found.append((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return tuple(found)
