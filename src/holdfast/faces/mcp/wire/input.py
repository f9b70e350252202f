"""Bytes from a file descriptor to a callback, pausable, from pipes, sockets, terminals and files alike."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable


class Input:
    """The read side of a connection."""

    def __init__(
        self, descriptor: int, chunk: int, received: Callable[[bytes], None], ended: Callable[[], None]
    ) -> None:
        self._descriptor = descriptor
        self._chunk = chunk
        self._received = received
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._flowing = threading.Event()
        self._closed = False
        self._by_readiness = self._try_readiness()
        if not self._by_readiness:
            threading.Thread(target=self._read_in_thread, name="holdfast-input", daemon=True).start()
        self._flowing.set()

    def pause(self, congested: bool) -> None:
        """Stop reading while the client does not take our answers; go on when it does."""
        if congested:
            self._flowing.clear()
        else:
            self._flowing.set()
        if self._by_readiness and not self._closed:
            if congested:
                self._loop.remove_reader(self._descriptor)
            else:
                self._loop.add_reader(self._descriptor, self._read)

    def close(self) -> None:
        """Read no more."""
        if self._by_readiness and not self._closed:
            self._loop.remove_reader(self._descriptor)
        self._closed = True

    def _try_readiness(self) -> bool:
        try:
            self._loop.add_reader(self._descriptor, self._read)
        except PermissionError:
            # Regular files are always ready, and refuse to be waited for.
            return False
        return True

    def _read(self) -> None:
        self._take(self._read_chunk())

    def _read_in_thread(self) -> None:
        while self._flowing.wait() and not self._closed:
            data = self._read_chunk()
            taken = threading.Event()
            try:
                self._loop.call_soon_threadsafe(self._take, data, taken)
            except RuntimeError:
                return
            if not data:
                return
            taken.wait()

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, self._chunk)
        except BlockingIOError:
            return b"\n"
        except OSError:
            return b""

    def _take(self, data: bytes, taken: threading.Event | None = None) -> None:
        if self._closed:
            return
        if data:
            self._received(data)
        else:
            self.close()
            self._ended()
        if taken is not None:
            taken.set()
