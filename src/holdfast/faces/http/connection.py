"""Connections: the listening socket, how long a client may be silent, and writes that leave together.

Uvicorn waits for a request line and headers for as long as the client likes. Here a connection has a few
seconds for them, and when there are too many connections the ones that wait for nothing make room.

An HTTP answer is written in pieces: status and headers, a chunk, the end. Each would be a system call, and
would wake the client for a part of what it waits for. So small writes of one moment leave together.

A request is often refused before its body has come. A connection that is closed while bytes still come in is
reset, and the client loses the refusal that was on its way. So such a connection is closed for writing first,
and what still comes is dropped for a moment.
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

_AT_ONCE = 16 * 1024
_LINGER_SECONDS = 1.0


class BufferedTransport:
    """A transport that holds back what is written until the event loop comes around, or it is enough."""

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, expects_more: Callable[[], bool]
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._expects_more = expects_more
        self._lingers = False
        self._gathered: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Write soon; at once when more has gathered than is worth holding."""
        if not self._gathered:
            self._loop.call_soon(self.flush)
        self._gathered.append(data)
        self._size += len(data)
        if self._size > _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered."""
        if self._gathered:
            gathered, self._gathered, self._size = b"".join(self._gathered), [], 0
            self._transport.write(gathered)

    def close(self) -> None:
        """Close once everything is written; a client that is still sending gets a moment to read why."""
        self.flush()
        if self.is_closing() or not self._expects_more():
            self._transport.close()
            return
        self._lingers = True
        self._transport.write_eof()
        self._transport.resume_reading()
        self._loop.call_later(_LINGER_SECONDS, self._transport.close)

    def is_closing(self) -> bool:
        """Tell whether nothing more is read or written."""
        return self._lingers or self._transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


_BACKLOG = 1024


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, before anything else is prepared.

    Its protocol is named, because asyncio turns off Nagle's delay only for sockets that say they are TCP.
    Without that an answer in two writes waits for the client's delayed acknowledgement, forty milliseconds.
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
    """One connection, with a bound on how long its next request may take to begin."""

    limits: Limits = LIMITS
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, if there is room or room can be made."""
        if len(self.connections) >= self.limits.connections and not self._make_room():
            transport.abort()
            return
        super().connection_made(BufferedTransport(transport, self.loop, self._expects_more))  # type: ignore[arg-type]
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._stop_waiting()
        if self in self.connections:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; once a request began, its own limits apply. After a refusal they are dropped."""
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
