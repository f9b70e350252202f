"""Numbers by which processes that share a store tell whether one of them is still alive.

Contract: a process keeps its number until it ends, however it ends, because the kernel then releases the lock
of that number. A number of a process that has ended is given to another one.
"""

from __future__ import annotations

import os

from holdfast.kernel.errors import Busy
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import StrPath
from holdfast.storage.files.locks import try_lock

_SLOTS = 256
"""A judgement: more than the servers that one machine runs on one repository."""


class ProcessSlot:
    """The number of this process among those that share the file `path`."""

    def __init__(self, path: StrPath) -> None:
        self._path = os.fspath(path)
        for number in range(_SLOTS):
            descriptor = self._try(number)
            if descriptor is not None:
                self.number, self._descriptor = number, descriptor
                return
        name = os.path.basename(self._path)
        raise Busy(f"'{name}' is in use by {_SLOTS} processes.", hint="Stop servers that nobody uses.")

    def is_alive(self, number: int) -> bool:
        """Return whether the process with a number is alive."""
        if number == self.number:
            return True
        descriptor = self._try(number)
        if descriptor is None:
            return True
        os.close(descriptor)
        return False

    def close(self) -> None:
        """Give the number back."""
        os.close(self._descriptor)

    def _try(self, number: int) -> int | None:
        with translate_disk_errors(os.path.basename(self._path)):
            return try_lock(f"{self._path}-{number}.lock")
