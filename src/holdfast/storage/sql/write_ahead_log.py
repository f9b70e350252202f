"""The log that SQLite writes ahead of a store: read by us where SQLite would drop it, or cannot read it.

Contract:
- A log whose bytes changed after they were written (its checksums tell) is `damaged`: SQLite takes over what
  comes before the damage, and overwrites or deletes the rest without a word. What a killed writer left
  unfinished is no damage: nobody was told that it was stored.
- While any process has the store open, its log is not looked at: SQLite has its own list of what is in it
  then, drops nothing, and a look could meet a write half done.
- Damage is looked for in the first `DAMAGED_BYTES` of a log, and no more of it is kept.
- Imports nothing but what a quick command may.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_WORD_ORDERS = {0x377F0682: "<", 0x377F0683: ">"}
_MASK = 0xFFFFFFFF
DAMAGED_BYTES = 1 << 28
_OPEN_STORE_LOCK = "128 128"
"""The byte of the shared memory that everybody locks for as long as they have a store open."""


def log_of(store: str, limit: int = -1) -> bytes:
    """Return what the log of a store holds, or its beginning; nothing when there is none."""
    try:
        with open(f"{store}-wal", "rb") as file:
            return file.read(limit)
    except FileNotFoundError:
        return b""


def damaged_log(store: str) -> bytes | None:
    """Return the log of a store that nobody has open, if SQLite would drop finished writes from it."""
    try:
        if os.lstat(f"{store}-wal").st_size <= _HEADER.size or _is_in_use(f"{store}-shm"):
            return None
        log = log_of(store, DAMAGED_BYTES)
    except OSError:
        return None  # whoever opens the store says what the disk refused
    return log if dropped_writes(log) else None


def _is_in_use(shared_memory: str) -> bool:
    """Tell whether a process has the store open; asking the file itself would end our own process's locks."""
    try:
        held = f":{os.stat(shared_memory).st_ino} {_OPEN_STORE_LOCK}\n"
        with open("/proc/locks", encoding="ascii") as locks:
            return any(line.endswith(held) for line in locks)
    except OSError:
        return False


def dropped_writes(log: bytes) -> int:
    """Return how many finished writes SQLite would drop, because they or others before them are damaged."""
    return sum(commits and not is_sound for is_sound, commits, _, _ in _frames(log))


def pages_of(log: bytes) -> tuple[dict[int, bytes], int]:
    """Return the newest content of each page that finished writes in a log have, and the size they leave."""
    pages: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    size = 0
    for is_sound, commits, number, page in _frames(log):
        if is_sound:
            pending[number] = page
            if commits:
                pages, pending, size = pages | pending, {}, commits
    return pages, size


def _frames(log: bytes) -> Iterator[tuple[bool, int, int, bytes]]:
    """Yield for each page whether SQLite takes it, what it says about the end of a write, number and content.

    Behind the pages of now may be older ones, which neither count nor are damaged: they have other salts.
    """
    if len(log) <= _HEADER.size or not log.strip(b"\0"):
        return  # nothing was ever written there
    magic, _, page_size, _, *salts, first, second = _HEADER.unpack_from(log)
    order = _WORD_ORDERS.get(magic)
    sums = _checksum(order or "<", log[:24], (0, 0))
    is_sound = order is not None and sums == (first, second)
    if not is_sound:
        yield False, 1, 0, b""  # all of it is dropped
        return
    size = _FRAME.size + page_size
    for start in range(_HEADER.size, len(log) - size + 1, size):
        number, commits, *of_frame, first, second = _FRAME.unpack_from(log, start)
        page = log[start + _FRAME.size : start + size]
        if is_sound and of_frame == salts:
            sums = _checksum(order or "<", log[start : start + 8] + page, sums)
        is_sound = is_sound and of_frame == salts and sums == (first, second)
        # One salt alone may be what was damaged; older pages share neither.
        if of_frame[0] == salts[0] or of_frame[1] == salts[1]:
            yield is_sound, commits, number, page


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & _MASK
        second = (second + other + first) & _MASK
    return first, second
