"""Telling by a look, without opening them, that files are as they were.

Contract:
- Two equal signs mean that each of the files has the same content, or is missing, as before; a link is never
  followed, except in the folders on the way.
- A file so young that another change could share its time has no sign, and neither have those beside it.

Quick commands import this module, so it keeps to what Python loads at start anyway.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

_YOUNG_NANOSECONDS = 2_000_000_000

Sign = tuple[tuple[int, int, int, int] | None, ...]


def sign_of(places: Iterable[str], now: int | None = None) -> Sign | None:
    """Return what tells whether one of these files or folders changed, or None when that cannot be told."""
    newest = (time.time_ns() if now is None else now) - _YOUNG_NANOSECONDS
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
