"""Locks for things that have no place of their own for a lock file, such as files of the work tree.

Contract: as in `files.locked`. Keys share a fixed number of lock files, so that these stay few; several keys
are locked in one order, so that nobody waits in a circle.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.atomic import locked
from holdfast.storage.files.os_errors import disk_failures_named
from holdfast.storage.git.repository import Repository

_LOCKS = 64


class Locks:
    """The locks of one room."""

    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self._name = name

    @contextmanager
    def holding(self, *keys: str) -> Iterator[None]:
        """Hold the locks of some keys against processes and threads."""
        directory = os.path.join(self._repository.ensure_store(), self._name)
        with disk_failures_named(self._name):
            os.makedirs(directory, 0o700, exist_ok=True)
        with ExitStack() as stack:
            for number in sorted({_number(key) for key in keys}):
                self._wait(stack, os.path.join(directory, f"{number:02x}"), keys[0])
            yield

    def _wait(self, stack: ExitStack, path: str, key: str) -> None:
        try:
            stack.enter_context(locked(path, wait=LIMITS.crowded_lock_seconds))
        except Busy:
            raise Busy(f"'{key}' is in use by others.", hint="Try again in a moment.", path=key) from None


def _number(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") % _LOCKS
