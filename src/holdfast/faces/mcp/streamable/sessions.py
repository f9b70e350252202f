"""Clients of the handshake era: each one's requests, streams and questions, bounded in number and in time.

Contract:
- A session belongs to whoever opened it. For anybody else it does not exist.
- Whoever opens more sessions than allowed loses the one that was idle longest; so does everybody together.
  Only when none is idle a new one is refused.
- A session that nobody used for long enough is closed.
- An identity begins with the number of the worker process that holds the session.
"""

from __future__ import annotations

import asyncio
import secrets
import time

from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.streamable.handshake_session import HandshakeSession
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import Limits

_RANDOM_BYTES = 18
_LOOKS_PER_LIFE = 4


class Sessions:
    """Opens, finds and closes sessions."""

    def __init__(self, server: ProtocolServer, limits: Limits, worker: int) -> None:
        self._server = server
        self._limits = limits
        self._worker = worker
        self._open: dict[str, HandshakeSession] = {}

    def open(self, owner: str) -> HandshakeSession:
        """Return a new session, making room for it if need be."""
        own = [session for session in self._open.values() if session.owner == owner]
        if len(own) >= self._limits.sessions_per_client:
            _close_idle(own)
        elif len(self._open) >= self._limits.sessions:
            _close_idle(list(self._open.values()))
        identity = f"{self._worker}-{secrets.token_urlsafe(_RANDOM_BYTES)}"
        session = self._open[identity] = HandshakeSession(identity, owner, self._server, self._limits)
        session.on_closed = lambda closed: self._open.pop(closed.identity, None)
        return session

    def find(self, identity: str, owner: str) -> HandshakeSession | None:
        """Return a session of this owner, if there is one by that identity."""
        session = self._open.get(identity)
        return session if session is not None and session.owner == owner else None

    def end_streams(self) -> None:
        """End the streams that would never end by themselves."""
        for session in self._open.values():
            session.end_streams()

    def close(self) -> None:
        """Close every session."""
        for session in list(self._open.values()):
            session.close()

    async def close_expired(self) -> None:
        """Close sessions as they expire, forever."""
        seconds = self._limits.session_idle_seconds
        while True:
            await asyncio.sleep(seconds / _LOOKS_PER_LIFE)
            for session in list(self._open.values()):
                if session.is_idle and time.monotonic() - session.last_used > seconds:
                    session.close()


def _close_idle(sessions: list[HandshakeSession]) -> None:
    idle = min((item for item in sessions if item.is_idle), key=lambda item: item.last_used, default=None)
    if idle is None:
        raise Busy("Too many sessions are open, and all are in use.", hint="Close one, or try again later.")
    idle.close()
