"""Reads objects through one long-lived `git cat-file --batch`, instead of one process for each object.

Contract:
- Usable from many threads; one request is sent at a time.
- An answer is read to its end, or the process is killed, so that the rest of an answer is never taken for the
  next one.
- A process that has died is started again, at most once per request.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from holdfast.kernel.errors import InvalidArguments, NotFetched, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.processes.child import end_group, wait_until_readable
from holdfast.storage.processes.time_limit import TimeLimit, acquired

if TYPE_CHECKING:
    from subprocess import Popen

OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""The hexadecimal digits of an object's SHA-1 or SHA-256."""
_ABSENT = (b"missing", b"ambiguous")
"""The last word of the answer if no single object has the requested name."""


class GitObject(NamedTuple):
    """One object: its id, its kind (`blob`, `tree`, `commit`, `tag`) and its content."""

    id: str
    kind: str
    data: bytes


def not_fetched_error() -> NotFetched:
    """Return the error for an object that a partial clone has not fetched."""
    hint = "Get them with `git fetch --refetch --no-filter`."
    return NotFetched("This partial clone lacks contents of older commits.", hint=hint)


class _ProcessGone(Exception):
    """The process ended before it answered."""


class BatchReader:
    """Reads objects by name through one git process."""

    def __init__(self, start: Callable[[], Popen[bytes]], is_partial: Callable[[], bool]) -> None:
        self._start = start
        self._is_partial = is_partial
        self._process: Popen[bytes] | None = None
        self._buffer = bytearray()
        self._lock = threading.Lock()

    def read(self, name: str, limit: int) -> GitObject | None:
        """Return the object of that name, or None if there is none; over `limit` bytes raises `TooLarge`.

        An object that a partial clone has not fetched raises `NotFetched`.
        """
        if "\n" in name or "\0" in name:
            raise InvalidArguments("The name of an object cannot contain a line break.", hint="Remove it.")
        time_limit = TimeLimit(LIMITS.git_seconds, "Reading an object")
        with acquired(self._lock, time_limit):
            return self._read_with_restart(name, limit, time_limit)

    def close(self) -> None:
        """End the process; the next `read` starts another."""
        with self._lock:
            self._stop()

    def _read_with_restart(self, name: str, limit: int, time_limit: TimeLimit) -> GitObject | None:
        is_first_request = self._process is None
        try:
            return self._request(name, limit, time_limit)
        except _ProcessGone:
            self._stop()
            if not is_first_request:
                return self._read_with_restart(name, limit, time_limit)
            if self._is_partial():  # git exits if an object was not fetched
                raise not_fetched_error() from None
            raise Unavailable(
                "git ended while it read an object.", hint="Run `git fsck` to see why."
            ) from None
        except BaseException:
            # The rest of this answer must not become the start of the next.
            self._stop()
            raise

    def _request(self, name: str, limit: int, time_limit: TimeLimit) -> GitObject | None:
        self._send(name.encode("utf-8", "surrogateescape") + b"\n")
        header = self._take_line(time_limit)
        if header.rpartition(b" ")[2] in _ABSENT:
            return None
        object_id, kind, size = header.decode("ascii").split(" ")
        if int(size) > limit:
            raise TooLarge(
                f"An object of {size} bytes is larger than {limit} bytes.",
                hint="Use a smaller file.",
                limit=limit,
            )
        data = self._take(int(size) + 1, time_limit)[:-1]
        return GitObject(object_id, kind, data)

    def _send(self, request: bytes) -> None:
        if self._process is None:
            self._process = self._start()
            self._buffer.clear()
        assert self._process.stdin is not None
        try:
            while request:
                request = request[os.write(self._process.stdin.fileno(), request) :]
        except OSError:
            # The pipe is broken; a new process has a new one.
            raise _ProcessGone from None

    def _take_line(self, time_limit: TimeLimit) -> bytes:
        while b"\n" not in self._buffer:
            self._fill(time_limit)
        return self._take(self._buffer.index(b"\n") + 1, time_limit)[:-1]

    def _take(self, size: int, time_limit: TimeLimit) -> bytes:
        while len(self._buffer) < size:
            self._fill(time_limit)
        taken = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return taken

    def _fill(self, time_limit: TimeLimit) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        wait_until_readable(descriptor, time_limit)
        piece = os.read(descriptor, LIMITS.read_chunk)
        if not piece:
            raise _ProcessGone
        self._buffer += piece

    def _stop(self) -> None:
        process, self._process = self._process, None
        self._buffer.clear()
        if process is not None:
            end_group(process)
