"""What the kernel says about changed directories, where it says anything (inotify on Linux).

Contract:
- A change that completed before `take` was called is in its answer: the kernel queues a notice as part of the
  change itself. Nothing runs in the background.
- When notices were lost, or the watching cannot go on, `take` says so by raising `NoticesLost`; the caller
  looks at everything itself and starts anew, or does without.
"""

from __future__ import annotations

import os
import struct
import sys

_CREATE, _DELETE, _MODIFY, _ATTRIBUTES, _CLOSE_WRITE = 0x100, 0x200, 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _DELETE_SELF, _MOVE_SELF = 0x40, 0x80, 0x400, 0x800
_UNMOUNT, _OVERFLOW, _IGNORED, _IS_DIRECTORY = 0x2000, 0x4000, 0x8000, 0x40000000
_ONLY_DIRECTORY, _NO_LINK = 0x01000000, 0x02000000
_MASK = (
    _CREATE | _DELETE | _MODIFY | _ATTRIBUTES | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _DELETE_SELF
    | _MOVE_SELF | _ONLY_DIRECTORY | _NO_LINK
)  # fmt: skip
_HEADER = struct.Struct("iIII")
_BUFFER_BYTES = 256 * 1024

Notice = tuple[str, str, bool]
"""The directory, the name in it (empty: the directory itself went away), and whether that is a directory."""


class NoticesLost(Exception):
    """What changed is no longer known, or nobody can say."""


class Notices:
    """Notices about directories, each known by a name that the caller gives it."""

    def __init__(self) -> None:
        """Begin watching, or raise `NoticesLost` where the system cannot."""
        if not sys.platform.startswith("linux"):
            raise NoticesLost("only Linux has them")
        import ctypes  # here, because it takes a while to load

        self._errno = ctypes.get_errno
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor: int = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise NoticesLost("the system gives none")
        self._names: dict[int, str] = {}

    def watch(self, directory: str, name: str) -> int:
        """Watch a directory from now on and return the number by which to leave it alone again."""
        number: int = self._library.inotify_add_watch(self._descriptor, os.fsencode(directory), _MASK)
        if number < 0:
            if self._errno() in _GONE:
                return -1
            raise NoticesLost("no more directories can be watched")
        self._names[number] = name
        return number

    def leave(self, number: int, name: str) -> None:
        """Stop watching a directory, unless it is watched under another name by now."""
        if self._names.get(number) == name:
            del self._names[number]
            self._library.inotify_rm_watch(self._descriptor, number)

    def take(self) -> list[Notice]:
        """Return what was noticed since the last time."""
        found: list[Notice] = []
        while data := self._read():
            found += self._parsed(data)
        return found

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
            raise NoticesLost("they cannot be read") from None

    def _parsed(self, data: bytes) -> list[Notice]:
        found: list[Notice] = []
        position = 0
        while position < len(data):
            number, mask, _, length = _HEADER.unpack_from(data, position)
            position += _HEADER.size
            name = os.fsdecode(data[position : position + length].rstrip(b"\0"))
            position += length
            if mask & (_OVERFLOW | _UNMOUNT):
                raise NoticesLost("there were too many")
            directory = self._names.get(number)
            if directory is None:
                continue
            if mask & (_IGNORED | _DELETE_SELF | _MOVE_SELF):
                found.append((directory, "", True))
            elif name:
                found.append((directory, name, bool(mask & _IS_DIRECTORY)))
        return found


_GONE = frozenset({2, 20})  # ENOENT, ENOTDIR: it went away meanwhile, of which its parent gives notice
