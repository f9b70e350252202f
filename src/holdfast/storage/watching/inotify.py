"""Reads events of changed directories from Linux's inotify.

Contract:
- `read` returns every change that was complete before the call, because the kernel queues the event as part
  of the change.
- A full queue, an unmounted file system and a failed read raise `EventsLost`; the caller then scans
  everything.
- Where inotify cannot be used (another system, limits exhausted), `WatchUnavailable` is raised.

The constants and the layout of an event are those of <https://man7.org/linux/man-pages/man7/inotify.7.html>.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from typing import NamedTuple

from holdfast.storage.watching.errors import EventsLost, WatchUnavailable

_MODIFY, _ATTRIBUTES, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
_UNMOUNT, _OVERFLOW, _IGNORED, _IS_DIRECTORY = 0x2000, 0x4000, 0x8000, 0x40000000
_ONLY_DIRECTORY, _NO_LINK, _ADD_TO_MASK = 0x01000000, 0x02000000, 0x20000000
_ENTRY_EVENTS = (
    _CREATE | _DELETE | _MOVED_FROM | _MOVED_TO | _DELETE_SELF | _MOVE_SELF
    | _ONLY_DIRECTORY | _NO_LINK | _ADD_TO_MASK
)  # fmt: skip
_CONTENT_EVENTS = _MODIFY | _ATTRIBUTES | _CLOSE_WRITE
_HEADER = struct.Struct("iIII")
_BUFFER_BYTES = 256 * 1024
"""Holds about 8,000 events with short names; the kernel queues 16,384 (`fs.inotify.max_queued_events`)."""
_MISSING_ERRORS = frozenset({errno.ENOENT, errno.ENOTDIR})


class DirectoryEvent(NamedTuple):
    """One change in a watched directory."""

    directory: str
    name: str
    """The entry that changed; empty when the directory itself was removed, moved or unwatched."""
    is_directory: bool


class Inotify:
    """One inotify instance, whose directories are known by labels that the caller chooses."""

    def __init__(self) -> None:
        if not sys.platform.startswith("linux"):
            raise WatchUnavailable("only Linux has inotify")
        import ctypes  # here, because it takes a while to load

        self._errno = ctypes.get_errno
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor: int = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise WatchUnavailable("this user has no inotify instance left")
        self._labels: dict[int, str] = {}

    def fileno(self) -> int:
        """Return the descriptor, which is readable while events are queued."""
        return self._descriptor

    def watch(self, directory: str, label: str, *, content: bool = True) -> int:
        """Watch a directory and return its number, or -1 when it is missing or not a directory.

        Without `content` only created, removed and renamed entries are reported, not writes to files.
        """
        mask = _ENTRY_EVENTS | _CONTENT_EVENTS if content else _ENTRY_EVENTS
        number: int = self._library.inotify_add_watch(self._descriptor, os.fsencode(directory), mask)
        if number < 0:
            if self._errno() in _MISSING_ERRORS:
                return -1
            raise WatchUnavailable("no more directories can be watched (fs.inotify.max_user_watches)")
        self._labels[number] = label
        return number

    def unwatch(self, number: int, label: str) -> None:
        """Stop watching a directory, unless it is watched under another label by now."""
        if self._labels.get(number) == label:
            del self._labels[number]
            self._library.inotify_rm_watch(self._descriptor, number)

    def read(self) -> list[DirectoryEvent]:
        """Return the events since the last call."""
        events: list[DirectoryEvent] = []
        while data := self._read():
            events += self._parse(data)
        return events

    def close(self) -> None:
        """Stop watching everything."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _BUFFER_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            raise EventsLost("the events cannot be read") from None

    def _parse(self, data: bytes) -> list[DirectoryEvent]:
        events: list[DirectoryEvent] = []
        position = 0
        while position < len(data):
            number, mask, _, length = _HEADER.unpack_from(data, position)
            position += _HEADER.size
            name = os.fsdecode(data[position : position + length].rstrip(b"\0"))
            position += length
            if mask & (_OVERFLOW | _UNMOUNT):
                raise EventsLost("the queue overflowed or a file system was unmounted")
            directory = self._labels.get(number)
            if directory is None:
                continue
            if mask & (_IGNORED | _DELETE_SELF | _MOVE_SELF):
                events.append(DirectoryEvent(directory, "", is_directory=True))
            elif name:
                events.append(DirectoryEvent(directory, name, bool(mask & _IS_DIRECTORY)))
        return events
