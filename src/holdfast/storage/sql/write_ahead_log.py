"""A reader of SQLite's write-ahead log, for logs that SQLite would truncate or cannot read.

The format is described in <https://sqlite.org/fileformat2.html#walformat>.

Contract:
- A log with a wrong checksum before its end is *damaged*: SQLite keeps the writes before the damage, and
  silently overwrites or deletes the rest. An unfinished write of a killed process is no damage: it was never
  acknowledged.
- The log of a store that a process has open is not read: SQLite then has its own index of the log and drops
  nothing, and we could read a half-written frame.
- Only the first `MAX_LOG_BYTES` of a log are searched for damage and copied.
- Quick commands import this module, so it imports only what Python has loaded at its start.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False  # without `typing`, see above
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
# By the magic number at the start of a log, the byte order of its checksums.
_BYTE_ORDERS = {0x377F0682: "<", 0x377F0683: ">"}
_MASK_32_BITS = 0xFFFFFFFF
MAX_LOG_BYTES = 1 << 28
"""256 MiB. A judgement: SQLite checkpoints a log at about 4 MiB, unless readers prevent it."""
OPEN_STORE_LOCK = "128 128"
"""The range of the byte in the shared memory that every connection locks (UNIX_SHM_DMS in SQLite's
os_unix.c), as `/proc/locks` shows it."""


def read_log(store: str, limit: int = -1) -> bytes:
    """Return the log of a store, or its first `limit` bytes; empty if there is no log."""
    try:
        with open(f"{store}-wal", "rb") as file:
            return file.read(limit)
    except FileNotFoundError:
        return b""


def damaged_log(store: str) -> bytes | None:
    """Return the log of a store if SQLite would drop committed writes from it, and no process has it open."""
    try:
        if os.lstat(f"{store}-wal").st_size <= _HEADER.size or _is_in_use(f"{store}-shm"):
            return None
        log = read_log(store, MAX_LOG_BYTES)
    except OSError:
        return None  # opening the store reports the failure of the disk
    return log if count_dropped_writes(log) else None


def _is_in_use(shared_memory: str) -> bool:
    """Return whether a process has the store open; opening and closing the file would drop our locks."""
    try:
        lock = f":{os.stat(shared_memory).st_ino} {OPEN_STORE_LOCK}\n"
        with open("/proc/locks", encoding="ascii") as locks:
            return any(line.endswith(lock) for line in locks)
    except OSError:
        return False


def count_dropped_writes(log: bytes) -> int:
    """Return how many committed writes SQLite would drop, because they or earlier ones are damaged."""
    return sum(frame.ends_write and not frame.is_sound for frame in _frames(log))


def committed_pages(log: bytes) -> tuple[dict[int, bytes], int]:
    """Return the newest content of each page in the committed writes of a log, and the size in pages."""
    pages: dict[int, bytes] = {}
    uncommitted: dict[int, bytes] = {}
    page_count = 0
    for frame in _frames(log):
        if frame.is_sound:
            uncommitted[frame.page_number] = frame.page
            if frame.ends_write:
                pages |= uncommitted
                uncommitted = {}
                page_count = frame.page_count
    return pages, page_count


class _LogFrame:
    """One page in the log; `page_count` is the size of the store if the frame ends a write, else 0."""

    __slots__ = ("is_sound", "page", "page_count", "page_number")

    def __init__(self, *, is_sound: bool, page_count: int, page_number: int, page: bytes) -> None:
        self.is_sound = is_sound
        self.page_count = page_count
        self.page_number = page_number
        self.page = page

    @property
    def ends_write(self) -> bool:
        return self.page_count > 0


def _frames(log: bytes) -> Iterator[_LogFrame]:
    """Yield the frames of a log, and for each whether SQLite accepts it.

    Frames of an earlier log may follow the current ones. They have different salts, and are left out.
    """
    if len(log) <= _HEADER.size or not log.strip(b"\0"):
        return  # nothing was ever written to it
    magic, _, page_size, _, *log_salts, first, second = _HEADER.unpack_from(log)
    byte_order = _BYTE_ORDERS.get(magic)
    checksum = _checksum(byte_order or "<", log[:24], (0, 0))
    if byte_order is None or checksum != (first, second):
        yield _LogFrame(is_sound=False, page_count=1, page_number=0, page=b"")  # SQLite drops the whole log
        return
    is_sound = True
    frame_size = _FRAME.size + page_size
    for start in range(_HEADER.size, len(log) - frame_size + 1, frame_size):
        page_number, page_count, *salts, first, second = _FRAME.unpack_from(log, start)
        page = log[start + _FRAME.size : start + frame_size]
        if is_sound and salts == log_salts:
            checksum = _checksum(byte_order, log[start : start + 8] + page, checksum)
        is_sound = is_sound and salts == log_salts and checksum == (first, second)
        # One of the salts may itself be damaged; frames of an earlier log share neither.
        if salts[0] == log_salts[0] or salts[1] == log_salts[1]:
            yield _LogFrame(is_sound=is_sound, page_count=page_count, page_number=page_number, page=page)


def _checksum(byte_order: str, data: bytes, previous: tuple[int, int]) -> tuple[int, int]:
    """Return the checksum of data that follows data with the `previous` checksum."""
    first, second = previous
    words = iter(struct.unpack(f"{byte_order}{len(data) // 4}I", data))
    for even_word, odd_word in zip(words, words, strict=True):
        first = (first + even_word + second) & _MASK_32_BITS
        second = (second + odd_word + first) & _MASK_32_BITS
    return first, second
