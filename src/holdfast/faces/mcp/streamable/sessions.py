"""The sessions of the handshake era, limited in number and lifetime.

Contract:
- A session belongs to the client that opened it. Other clients cannot find it.
- When a client, or all clients combined, have too many sessions, the one that was idle longest is closed. A
  new session is refused only when none is idle.
- A session that was not used for `session_idle_seconds` is closed.
- A session's identity starts with the number of the worker process that holds the session.
"""

from __future__ import annotations

import asyncio
import secrets
import time

from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.streamable.handshake_session import HandshakeSession
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import Limits

_IDENTITY_BYTES = 18
"""144 random bits, in 24 characters. The protocol asks for a globally unique, cryptographically secure
identity, for which 128 bits are common practice; multiples of three bytes need no padding in Base64."""

_EXPIRY_CHECKS_PER_LIFETIME = 4
"""A judgement: a session is closed at most a quarter of its idle time late, and checks stay rare."""


class Sessions:
    """Opens, finds and closes sessions."""

    def __init__(self, server: ProtocolServer, limits: Limits, worker: int) -> None:
        self._server = server
        self._limits = limits
        self._worker = worker
        self._open: dict[str, HandshakeSession] = {}

    def open(self, owner: str) -> HandshakeSession:
        """Return a new session, closing an idle one if there are too many."""
        own = [session for session in self._open.values() if session.owner == owner]
        if len(own) >= self._limits.sessions_per_client:
            _close_idle(own)
        elif len(self._open) >= self._limits.sessions:
            _close_idle(list(self._open.values()))
        identity = f"{self._worker}-{secrets.token_urlsafe(_IDENTITY_BYTES)}"
        session = self._open[identity] = HandshakeSession(identity, owner, self._server, self._limits)
        session.on_closed = lambda closed: self._open.pop(closed.identity, None)
        return session

    def find(self, identity: str, owner: str) -> HandshakeSession | None:
        session = self._open.get(identity)
        return session if session is not None and session.owner == owner else None

    def end_streams(self) -> None:
        for session in self._open.values():
            session.end_streams()

    def close(self) -> None:
        for session in list(self._open.values()):
            session.close()

    async def close_expired(self) -> None:
        """Close sessions as they expire, until cancelled."""
        seconds = self._limits.session_idle_seconds
        while True:
            await asyncio.sleep(seconds / _EXPIRY_CHECKS_PER_LIFETIME)
            for session in list(self._open.values()):
                if session.is_idle and time.monotonic() - session.last_used > seconds:
                    session.close()


def _close_idle(sessions: list[HandshakeSession]) -> None:
    idle = min((item for item in sessions if item.is_idle), key=lambda item: item.last_used, default=None)
    if idle is None:
        raise Busy("Too many sessions are open, and all are in use.", hint="Close one, or try again later.")
    idle.close()
