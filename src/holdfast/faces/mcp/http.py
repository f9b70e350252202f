"""Many clients over HTTP on this machine, each with the repository's token.

Every request needs the token, whatever its path: other programs and web pages on this machine can
reach the port, and only the owner of the repository can read the file the token is in. The checks
of host and origin keep a web page from using a browser that has it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from holdfast.faces.mcp.server import ProtocolServer
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import LIMITS, Limits

PATH = "/mcp"

_SCHEME = "Bearer "


class TokenGate:
    """Lets only requests with the token through."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 401."""
        if scope["type"] != "http" or self._admits(dict(scope["headers"]).get(b"authorization", b"")):
            await self._app(scope, receive, send)
            return
        refusal = JSONResponse(
            {"error": "A bearer token is needed. It is in the file token of Holdfast's store."},
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await refusal(scope, receive, send)

    def _admits(self, header: bytes) -> bool:
        scheme, presented = header[: len(_SCHEME)], header[len(_SCHEME) :]
        return scheme.decode("latin-1") == _SCHEME and hmac.compare_digest(presented.strip(), self._token)


class GracefulServer(uvicorn.Server):
    """Ends the streams that never end by themselves before it waits for connections."""

    def __init__(self, config: uvicorn.Config, server: ProtocolServer) -> None:
        super().__init__(config)
        self._protocol_server = server

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ARG002 - the signature of a signal handler
        """Take a signal to stop; a second one does not wait for connections.

        The base class would raise the signal again at the end. Stopping when asked is not a failure.
        """
        self._protocol_server.stopping()
        self.force_exit = self.should_exit
        self.should_exit = True


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, before anything else is prepared."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as failure:
        raise Busy(
            f"Cannot listen on {host} port {port}: {failure.strerror}.",
            hint="Choose another port with --http HOST:PORT; port 0 takes a free one.",
        ) from None


def run_http(server: ProtocolServer, listener: socket.socket, token: str, limits: Limits = LIMITS) -> None:
    """Serve on a listening socket until a signal comes."""
    config = uvicorn.Config(
        application(server, listener, token, limits),
        log_level="warning",
        timeout_graceful_shutdown=round(limits.drain_seconds),
        server_header=False,
    )
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(GracefulServer(config, server).serve(sockets=[listener]))
    server.close()


def application(server: ProtocolServer, listener: socket.socket, token: str, limits: Limits) -> ASGIApp:
    """Return the endpoint behind the gate."""
    return TokenGate(endpoint(server, listener, limits), token)


def endpoint(server: ProtocolServer, listener: socket.socket, limits: Limits) -> ASGIApp:
    """Return the SDK's application for both eras, for requests to this very address only."""
    host, port = listener.getsockname()[:2]
    names = [f"[{host}]" if ":" in host else host, "localhost"]
    hosts = [f"{name}:{port}" for name in names]
    return server.sdk.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        max_request_body_size=limits.request_bytes,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{name}" for name in hosts],
        ),
    )
