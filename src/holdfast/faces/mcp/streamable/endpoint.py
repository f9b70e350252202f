"""The protocol at one path, for both eras, which the headers and the envelope of a request distinguish.

When a request arrives here, its host, origin, caller and limits have been checked and its body has been read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import Headers, send_accepted, send_json
from holdfast.faces.http.exchange import EXCHANGE, HttpExchange
from holdfast.faces.http.settings import SESSION_HEADER
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.streamable.event_stream import send_stream
from holdfast.faces.mcp.streamable.handshake_session import HandshakeSession
from holdfast.faces.mcp.streamable.post_request import PostedRequest, Refusal
from holdfast.faces.mcp.streamable.sessions import Sessions
from holdfast.faces.mcp.streamable.stateless import StatelessRequests, check_version
from holdfast.faces.mcp.wire.exchange import has_envelope
from holdfast.faces.mcp.wire.messages import (
    Message,
    Notification,
    Refused,
    Response,
    WireError,
    WireRequest,
    decode,
)
from holdfast.kernel.limits import Limits

_JSON_RANGES = frozenset({"*/*", "application/json", "application/*"})
_EVENT_RANGES = frozenset({"*/*", "text/event-stream", "text/*"})
_HANDSHAKE_VERSIONS = frozenset(version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS)
_VERSION_HEADER = b"mcp-protocol-version"
_MAX_CACHED_ACCEPT_HEADERS = 64
"""A judgement: a client sends the same header with every request, and a server has few kinds of clients."""


def is_handshake_revision(version: bytes | None) -> bool:
    """Return whether a version header belongs to the handshake era; so does its absence (None)."""
    return version is None or version in _HANDSHAKE_VERSIONS


def check_post_headers(headers: Headers) -> None:
    """Raise when a message is not JSON, or its sender does not accept both JSON and events as an answer."""
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if media_type != b"application/json":
        raise Refusal(415, "Unsupported Media Type: Content-Type must be application/json.")
    accepted = _accepted_ranges(headers.get(b"accept", b""))
    if not (accepted & _JSON_RANGES and accepted & _EVENT_RANGES):
        raise Refusal(406, "Not Acceptable: Client must accept both application/json and text/event-stream.")


@lru_cache(maxsize=_MAX_CACHED_ACCEPT_HEADERS)
def _accepted_ranges(accept: bytes) -> frozenset[str]:
    """Return the media ranges of an Accept header, without those that it excludes."""
    media_ranges = accept.decode("latin-1").lower().split(",")
    return frozenset(item.partition(";")[0].strip() for item in media_ranges if not _is_excluded(item))


def _is_excluded(media_range: str) -> bool:
    """Return whether a media range has the quality value zero."""
    parameters = [part.strip() for part in media_range.split(";")[1:]]
    return any(part.startswith("q=") and not part[2:].strip("0.") for part in parameters)


class ProtocolEndpoint:
    """The endpoint of one protocol server over Streamable HTTP."""

    def __init__(self, server: ProtocolServer, limits: Limits, worker: int = 0) -> None:
        self._limits = limits
        self._sessions = Sessions(server, limits, worker)
        self._stateless = StatelessRequests(server, limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._answer(scope, receive, send)
        except Refusal as refused:
            await send_json(send, refused.status, refused.body, refused.headers)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Close sessions as they expire while the block runs, and all others at its end."""
        expiry = asyncio.create_task(self._sessions.close_expired())
        try:
            yield
        finally:
            expiry.cancel()
            self._sessions.close()

    def end_streams(self) -> None:
        self._sessions.end_streams()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        http: HttpExchange = scope[EXCHANGE]
        version = http.headers.get(_VERSION_HEADER)
        method = scope["method"]
        if method == "POST":
            check_post_headers(http.headers)
            await self._handle_post(scope, http, decode(http.body), receive, send)
        elif not is_handshake_revision(version):
            raise _method_not_allowed("POST")
        elif method == "GET":
            await self._listen(http, receive, send)
        elif method == "DELETE":
            self._session(http).close()
            await send_json(send, 200, b"")
        else:
            raise _method_not_allowed("GET, POST, DELETE")

    async def _handle_post(
        self, scope: Scope, http: HttpExchange, message: Message, receive: Receive, send: Send
    ) -> None:
        if isinstance(message, Refused):
            raise Refusal(400, WireError(message.code, message.message), message.id)
        version = http.headers.get(_VERSION_HEADER)
        is_enveloped = isinstance(message, WireRequest) and version is None and has_envelope(message.params)
        if is_enveloped or not is_handshake_revision(version):
            await self._handle_stateless_post(scope, http, message, receive, send)
            return
        if isinstance(message, WireRequest):
            await self._handle_request(http, message, receive, send)
            return
        session = self._session(http)
        if isinstance(message, Notification):
            session.handle_notification(message)
        else:
            session.handle_response(message)
        await send_accepted(send)

    async def _handle_stateless_post(
        self,
        scope: Scope,
        http: HttpExchange,
        message: WireRequest | Notification | Response,
        receive: Receive,
        send: Send,
    ) -> None:
        if isinstance(message, Response):
            raise Refusal(400, "Body must be a single JSON-RPC request or notification object.")
        if isinstance(message, Notification):
            # This era defines no notifications for servers, but clients send them.
            check_version(http.headers)
            await send_accepted(send)
            return
        if not has_envelope(message.params):
            check_version(http.headers, message.id)
        route = self._stateless.route(scope, http.headers, message)
        await self._stateless.answer(PostedRequest(self._stateless, message, http, receive, send, route))

    async def _handle_request(
        self, http: HttpExchange, request: WireRequest, receive: Receive, send: Send
    ) -> None:
        if request.method != "initialize":
            session = self._session(http, request)
            await session.answer(PostedRequest(session, request, http, receive, send))
            return
        if SESSION_HEADER in http.headers:
            raise Refusal(400, "Bad Request: this session is initialized already.", request.id)
        session = self._sessions.open(http.caller.key)
        posted = PostedRequest(session, request, http, receive, send)
        posted.headers = [(SESSION_HEADER, session.identity.encode())]
        is_established = False
        try:
            await session.answer(posted)
            is_established = not posted.failed
        finally:
            if not is_established:
                session.close()

    async def _listen(self, http: HttpExchange, receive: Receive, send: Send) -> None:
        if not _accepted_ranges(http.headers.get(b"accept", b"")) & _EVENT_RANGES:
            raise Refusal(406, "Not Acceptable: Client must accept text/event-stream.")
        session = self._session(http)
        last_id = http.headers.get(b"last-event-id")
        stream, after = session.standalone, session.standalone.sent
        if last_id is not None:
            stream, after = session.find_resumed(last_id.decode("latin-1"))
        headers = [(SESSION_HEADER, session.identity.encode())]
        with session.in_use():
            ping_seconds = self._limits.event_stream_ping_seconds
            await send_stream(stream, after, ping_seconds, receive, send, headers)

    def _session(self, http: HttpExchange, request: WireRequest | None = None) -> HandshakeSession:
        """Return the session that a request names; refuse if it does not exist for this caller."""
        identity = http.headers.get(SESSION_HEADER)
        request_id = None if request is None else request.id
        if identity is None:
            raise Refusal(400, "Bad Request: Missing session ID.", request_id)
        session = self._sessions.find(identity.decode("latin-1"), http.caller.key)
        if session is None:
            raise Refusal(404, "Session not found.", request_id)
        return session


def _method_not_allowed(methods: str) -> Refusal:
    return Refusal(405, "Method Not Allowed.", headers=[(b"allow", methods.encode())])
