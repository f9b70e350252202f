"""SQLite's write-ahead log, read by us where SQLite would drop writes from it, or cannot read it.

The format is described in sqlite.org/fileformat2.html#walformat.

Contract:
- A log with a wrong checksum before its end is *damaged*: SQLite takes over the writes before the damage, and
  silently overwrites or deletes the rest. What a killed writer left unfinished is no damage: it was never
  acknowledged.
- While any process has the store open, its log is not read: SQLite then has its own index of the log and
  drops nothing, and we could read a write half done.
- Damage is searched for in the first `DAMAGED_BYTES` of a log, and no more of it is copied.
- Quick commands import this module, so it imports only what they may.
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
"""A judgement: 256 MiB. SQLite moves a log into its store at about 4 MiB, unless readers prevent it."""
_OPEN_STORE_LOCK = "128 128"
"""The byte of the shared memory that every connection locks (UNIX_SHM_DMS in SQLite's os_unix.c)."""


def read_log(store: str, limit: int = -1) -> bytes:
    """Return the log of a store, or its beginning; empty if there is none."""
    try:
        with open(f"{store}-wal", "rb") as file:
            return file.read(limit)
    except FileNotFoundError:
        return b""


def damaged_log(store: str) -> bytes | None:
    """Return the log of a store that no process has open, if SQLite would drop finished writes from it."""
    try:
        if os.lstat(f"{store}-wal").st_size <= _HEADER.size or _is_in_use(f"{store}-shm"):
            return None
        log = read_log(store, DAMAGED_BYTES)
    except OSError:
        return None  # opening the store reports what the disk refused
    return log if count_dropped_writes(log) else None


def _is_in_use(shared_memory: str) -> bool:
    """Return whether a process has the store open, without opening it: closing would drop our locks."""
    try:
        held = f":{os.stat(shared_memory).st_ino} {_OPEN_STORE_LOCK}\n"
        with open("/proc/locks", encoding="ascii") as locks:
            return any(line.endswith(held) for line in locks)
    except OSError:
        return False


def count_dropped_writes(log: bytes) -> int:
    """Return how many finished writes SQLite would drop, because they or earlier ones are damaged."""
    return sum(commits and not is_sound for is_sound, commits, _, _ in _frames(log))


def committed_pages(log: bytes) -> tuple[dict[int, bytes], int]:
    """Return the newest content of each page in the finished writes of a log, and the final size in pages."""
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
    """Yield each frame: whether SQLite accepts it, the size if it ends a write, page number and content.

    Behind the current frames there may be older ones, which neither count nor are damaged: they have other
    salts.
    """
    if len(log) <= _HEADER.size or not log.strip(b"\0"):
        return  # nothing was ever written to it
    magic, _, page_size, _, *salts, first, second = _HEADER.unpack_from(log)
    order = _WORD_ORDERS.get(magic)
    sums = _checksum(order or "<", log[:24], (0, 0))
    is_sound = order is not None and sums == (first, second)
    if not is_sound:
        yield False, 1, 0, b""  # SQLite drops all of it
        return
    size = _FRAME.size + page_size
    for start in range(_HEADER.size, len(log) - size + 1, size):
        number, commits, *of_frame, first, second = _FRAME.unpack_from(log, start)
        page = log[start + _FRAME.size : start + size]
        if is_sound and of_frame == salts:
            sums = _checksum(order or "<", log[start : start + 8] + page, sums)
        is_sound = is_sound and of_frame == salts and sums == (first, second)
        # One of the salts may be what is damaged; older frames share neither.
        if of_frame[0] == salts[0] or of_frame[1] == salts[1]:
            yield is_sound, commits, number, page


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & _MASK
        second = (second + other + first) & _MASK
    return first, second
