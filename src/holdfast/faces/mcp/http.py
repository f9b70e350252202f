"""The protocol over HTTP: the SDK's Streamable HTTP, both eras on one path.

Everything that is not the protocol is done before a request gets here: host and origin, authentication,
limits, the body. The SDK's own check of host and origin stays on as a second door.

A client of the handshake era gets a session that lives in one process. Where several processes share the
port its requests may reach any of them; then it is served without a session, one request at a time, and is
not offered what needs one: subscriptions and log messages. Clients of the stateless era notice no difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Receive, Scope, Send

from holdfast.faces.mcp.server import ProtocolServer
from holdfast.kernel.limits import Limits


class ProtocolEndpoint:
    """One protocol server behind a path."""

    def __init__(
        self, server: ProtocolServer, hosts: Iterable[str], origins: Iterable[str], limits: Limits
    ) -> None:
        self._manager = StreamableHTTPSessionManager(
            server.sdk,
            stateless=not server.keeps_sessions,
            max_request_body_size=limits.request_bytes,
            security_settings=TransportSecuritySettings(
                enable_dns_rebinding_protection=True,
                allowed_hosts=list(hosts),
                allowed_origins=list(origins),
            ),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that was let in."""
        await self._manager.handle_request(scope, receive, send)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return what has to be entered while requests are answered."""
        return self._manager.run()
