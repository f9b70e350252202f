"""The two byte streams of a connection: reading can be paused, and writing never blocks the event loop.

Contract:
- `InputStream` reads pipes, sockets, terminals and files.
- `OutputStream` writes lines completely and in order, in chunks of at most `chunk` bytes.
- The `written` callback of a line runs once: with True after the operating system accepted its last byte, or
  with False when it never will.
- Back-pressure: `queued` counts the bytes that the reader has not read yet; `wait_uncongested` waits until
  enough of them were read.
- While serving, descriptor 1 is standard error and descriptor 0 the null device, so that a stray print, a
  warning or a child process can neither write to the connection nor read from it. The connection itself uses
  private duplicates, which child processes do not inherit.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from holdfast.kernel.errors import Unavailable

Written = Callable[[bool], None]
"""Receives whether a line was written completely."""

_CHUNKS_PER_TURN = 64
"""Chunks written before other tasks of the event loop run. A judgement: a few milliseconds for them to wait,
and few turns for a long answer."""
_FLUSH_CHECK_SECONDS = 0.005
"""Between checks at the end of a connection. A judgement: no one notices the delay."""
_FIRST_PRIVATE_DESCRIPTOR = 3
"""After standard input, output and error."""
_SLOW_READER_DIVISOR = 32
"""A reader is slow when more than the limit divided by this is queued. A judgement: a small fraction, so that
the queue stops growing long before the limit."""


class OutputStream:
    """The write side of a connection."""

    def __init__(self, descriptor: int, *, chunk: int, limit: int) -> None:
        self._descriptor = descriptor
        self._chunk = chunk
        self._limit = limit
        self._lines: deque[tuple[memoryview, Written | None]] = deque()
        self._loop = asyncio.get_running_loop()
        self._has_space = asyncio.Event()
        self._has_space.set()
        self._watching = False
        self.queued = 0
        """The number of bytes that the reader has not read yet."""
        self.is_broken = False
        """Whether nothing more can be written."""
        self.on_broken: Callable[[], None] = lambda: None
        self.on_congestion: Callable[[bool], None] = lambda _: None
        self._can_block = not _supports_readiness(descriptor)
        os.set_blocking(descriptor, self._can_block)

    def send(self, line: bytes, written: Written | None = None) -> None:
        """Queue one line, including its line feed, and write as much as the reader accepts now."""
        if self.is_broken:
            _report(written, success=False)
            return
        self._lines.append((memoryview(line), written))
        self.queued += len(line)
        if not self._watching:
            self._write()
        if self.queued > self._limit and self._has_space.is_set():
            self._has_space.clear()
            self.on_congestion(True)

    @property
    def is_slow(self) -> bool:
        """Whether the reader is behind by a considerable part of the limit."""
        return self.queued > self._limit // _SLOW_READER_DIVISOR

    async def wait_uncongested(self) -> None:
        # Checked again after waking: others that woke earlier may have filled the queue again.
        while not self._has_space.is_set():
            await self._has_space.wait()

    async def wait_flushed(self) -> None:
        while self._lines and not self.is_broken:
            await asyncio.sleep(_FLUSH_CHECK_SECONDS)

    def close(self) -> None:
        """Stop writing; report the queued lines as not written."""
        self._stop_watching()
        self.is_broken = True
        lines, self._lines = self._lines, deque()
        self.queued = 0
        self._has_space.set()
        for _, written in lines:
            _report(written, success=False)

    def _write(self) -> None:
        for _ in range(_CHUNKS_PER_TURN):
            if not self._lines:
                break
            try:
                size = os.write(self._descriptor, self._lines[0][0][: self._chunk])
            except BlockingIOError:
                break
            except OSError:
                self.close()
                self.on_broken()
                return
            self._remove_written(size)
        self._watch_or_stop()

    def _remove_written(self, size: int) -> None:
        line, written = self._lines[0]
        self.queued -= size
        if size < len(line):
            self._lines[0] = (line[size:], written)
            return
        self._lines.popleft()
        _report(written, success=True)

    def _watch_or_stop(self) -> None:
        if self._lines and self._can_block:
            self._loop.call_soon(self._write)
        elif self._lines and not self._watching:
            self._loop.add_writer(self._descriptor, self._write)
            self._watching = True
        elif not self._lines:
            self._stop_watching()
        if self.queued <= self._limit // 2 and not self._has_space.is_set():
            self._has_space.set()
            self.on_congestion(False)

    def _stop_watching(self) -> None:
        if self._watching:
            self._loop.remove_writer(self._descriptor)
            self._watching = False


def _supports_readiness(descriptor: int) -> bool:
    """Return whether the event loop can wait for the descriptor and set it to non-blocking mode.

    It can for pipes and sockets, not for files. A terminal is shared with the parent shell, so its mode must
    not be changed.
    """
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _report(written: Written | None, *, success: bool) -> None:
    if written is not None:
        written(success)


class InputStream:
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
        self._by_readiness = True
        """Whether the event loop waits for the descriptor; otherwise a thread reads it."""
        try:
            self._loop.add_reader(descriptor, self._read)
        except PermissionError:
            # Regular files are always ready, and epoll refuses them.
            self._by_readiness = False
            threading.Thread(target=self._read_in_thread, name="holdfast-input", daemon=True).start()
        self._flowing.set()

    def pause(self, congested: bool) -> None:
        """Stop reading while the client does not read its answers; continue when it does."""
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
        if self._by_readiness and not self._closed:
            self._loop.remove_reader(self._descriptor)
        self._closed = True

    def _read(self) -> None:
        if (data := self._read_chunk()) is not None:
            self._process(data)

    def _read_in_thread(self) -> None:
        while self._flowing.wait() and not self._closed:
            # Only files are read here, which always have data or have ended.
            data = self._read_chunk() or b""
            processed = threading.Event()
            try:
                self._loop.call_soon_threadsafe(self._process, data, processed)
            except RuntimeError:
                return
            if not data:
                return
            processed.wait()

    def _read_chunk(self) -> bytes | None:
        """Return the data, empty at the end, or None if another reader of the same pipe was faster."""
        try:
            return os.read(self._descriptor, self._chunk)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _process(self, data: bytes, processed: threading.Event | None = None) -> None:
        if self._closed:
            return
        if data:
            self._received(data)
        else:
            self.close()
            self._ended()
        if processed is not None:
            processed.set()


@contextmanager
def claimed_standard_streams() -> Iterator[tuple[int, int]]:
    """Yield private descriptors for the connection, and restore the standard ones afterwards."""
    if sys.stdout is None:
        raise Unavailable("Standard output is closed.", hint="Start the server with a pipe for its answers.")
    sys.stdout.flush()
    wire_in = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE_DESCRIPTOR)
    wire_out = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE_DESCRIPTOR)
    null_device = os.open(os.devnull, os.O_RDONLY)
    original_stdout, sys.stdout = sys.stdout, sys.stderr
    os.dup2(null_device, 0)
    os.dup2(2, 1)
    os.close(null_device)
    try:
        yield wire_in, wire_out
    finally:
        os.set_blocking(wire_out, True)
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)
        sys.stdout = original_stdout
