"""A transport that combines small writes, and that lets a client read the response before it closes.

An HTTP response is written in pieces: headers, chunks, the end. Each would be a separate system call and wake
the client for part of an answer. So small writes are buffered until the next iteration of the event loop.

A request is often refused before its body has arrived. Closing a socket with unread bytes resets the
connection, and the client may lose the response. So such a connection is first closed for writing, and the
bytes that still arrive are dropped for a short time ("lingering close").
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

_BUFFER_BYTES = 16 * 1024
"""A judgement: for larger bodies, saving a system call does not outweigh the copy."""
_LINGER_SECONDS = 1.0
"""A judgement: enough for a client to read a refusal."""


class BufferedTransport:
    """Collects small writes until the next iteration of the event loop, or until the buffer is full."""

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, expects_more: Callable[[], bool]
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._expects_more = expects_more
        self._lingers = False
        self._buffer: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        if not self._buffer:
            self._loop.call_soon(self.flush)
        self._buffer.append(data)
        self._size += len(data)
        if self._size > _BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._buffer:
            data, self._buffer, self._size = b"".join(self._buffer), [], 0
            self._transport.write(data)

    def close(self) -> None:
        """Close after everything is written; give a client that is still sending time to read that."""
        self.flush()
        if self.is_closing() or not self._expects_more():
            self._transport.close()
            return
        self._lingers = True
        self._transport.write_eof()
        self._transport.resume_reading()
        self._loop.call_later(_LINGER_SECONDS, self._transport.close)

    def is_closing(self) -> bool:
        """Return whether nothing more is read or written."""
        return self._lingers or self._transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
