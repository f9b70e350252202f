"""One of uvicorn's connections, with a timeout for idle clients and a limit on the number of connections.

Uvicorn waits for the request line and the headers without a limit. Here they have to arrive within a few
seconds, and when there are too many connections an idle one is closed to make room.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.faces.http.buffered_transport import BufferedTransport
from holdfast.kernel.limits import LIMITS, Limits


class IdleTimeoutProtocol(H11Protocol):
    """One connection, with a limit on how long its next request may take to arrive."""

    limits: Limits = LIMITS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Accept a connection, closing an idle one if there are too many; refuse it if none is idle."""
        if len(self.connections) >= self.limits.connections and not self._close_idle():
            transport.abort()
            return
        super().connection_made(BufferedTransport(transport, self.loop, self._expects_more))  # type: ignore[arg-type]
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        if self in self.connections:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse bytes and restart or stop the timer; drop bytes that arrive after a refusal."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.is_idle:
            self._start_timer()
        else:
            self._stop_timer()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _expects_more(self) -> bool:
        """Return whether the client is still sending its request."""
        return self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.limits.header_seconds, self._close_if_idle)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_if_idle(self) -> None:
        self._timer = None
        if self.is_idle and not self.transport.is_closing():
            self.transport.close()

    def _close_idle(self) -> bool:
        """Close an idle connection; return whether there was one."""
        idle = next(
            (item for item in self.connections if isinstance(item, IdleTimeoutProtocol) and item.is_idle),
            None,
        )
        if idle is None:
            return False
        idle.transport.abort()
        return True
