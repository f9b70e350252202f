"""Connections below uvicorn: the listening socket, timeouts for idle clients, and buffered writes.

Uvicorn waits for request line and headers without a limit. Here a connection has a few seconds for them, and
when there are too many connections an idle one is closed to make room.

An HTTP response is written in pieces: the head, a chunk, the end. Each would be a system call of its own and
wake the client for part of an answer. So small writes are buffered until the event loop comes around.

A request is often refused before its body has arrived. Closing a socket with unread bytes resets the
connection, and the client may lose the response. So such a connection is first closed for writing, and what
still arrives is dropped for a short time ("lingering close").
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import LIMITS, Limits

_BUFFER_BYTES = 16 * 1024
_LINGER_SECONDS = 1.0
"""Both are judgements: a copy saves nothing for larger bodies, and a second suffices to read a refusal."""


class BufferedTransport:
    """A transport that collects small writes until the event loop comes around or the buffer is full."""

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
        """Add to the buffer; flush it if it is full."""
        if not self._buffer:
            self._loop.call_soon(self.flush)
        self._buffer.append(data)
        self._size += len(data)
        if self._size > _BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the buffer to the socket."""
        if self._buffer:
            data, self._buffer, self._size = b"".join(self._buffer), [], 0
            self._transport.write(data)

    def close(self) -> None:
        """Close after everything is written; give a client that is still sending time to read it."""
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


_BACKLOG = 1024
"""More than the connections that are served at once; the kernel may lower it (net.core.somaxconn)."""


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Its protocol is given explicitly, because asyncio disables Nagle's algorithm only on sockets whose
    protocol is TCP. With it, a response in two writes would wait for the client's delayed acknowledgement, 40
    ms on Linux.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as failure:
        listener.close()
        raise Busy(
            f"Cannot listen on {host} port {port}: {os.strerror(failure.errno or 0)}.",
            hint="Choose another port with --http HOST:PORT; port 0 takes a free one.",
        ) from None
    return listener


class IdleTimeoutProtocol(H11Protocol):
    """One connection, with a limit on how long its next request may take to arrive."""

    limits: Limits = LIMITS
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Accept a connection, closing an idle one if there are too many; refuse it if none is idle."""
        if len(self.connections) >= self.limits.connections and not self._make_room():
            transport.abort()
            return
        super().connection_made(BufferedTransport(transport, self.loop, self._expects_more))  # type: ignore[arg-type]
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up after a connection."""
        self._stop_waiting()
        if self in self.connections:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse bytes and restart or stop the timer; after a refusal, drop them."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.is_idle:
            self._wait_for_request()
        else:
            self._stop_waiting()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _expects_more(self) -> bool:
        return self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    def _wait_for_request(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.limits.header_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.is_idle and not self.transport.is_closing():
            self.transport.close()

    def _make_room(self) -> bool:
        idle = next(
            (item for item in self.connections if isinstance(item, IdleTimeoutProtocol) and item.is_idle),
            None,
        )
        if idle is None:
            return False
        idle.transport.abort()
        return True
