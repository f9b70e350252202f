"""Connections that say nothing do not stay, and do not keep others out.

Uvicorn waits for a request line and headers for as long as the client likes. Here a connection has a few
seconds for them, and when there are too many connections the ones that wait for nothing make room.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.faces.http.gathering import Gathering
from holdfast.kernel.limits import LIMITS, Limits


class PatientProtocol(H11Protocol):
    """One connection, with a bound on how long its next request may take to begin."""

    limits: Limits = LIMITS
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, if there is room or room can be made."""
        if len(self.connections) >= self.limits.connections and not self._make_room():
            transport.abort()
            return
        super().connection_made(Gathering(transport, self.loop))  # type: ignore[arg-type]
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._stop_waiting()
        if self in self.connections:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; once a request began, its own limits apply."""
        super().data_received(data)
        if self.is_idle:
            self._wait_for_request()
        else:
            self._stop_waiting()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

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
            (item for item in self.connections if isinstance(item, PatientProtocol) and item.is_idle), None
        )
        if idle is None:
            return False
        idle.transport.abort()
        return True
