"""One client's session of the handshake era: its requests, its streams, and the server's requests to it."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mcp_types.version import is_version_at_least

from holdfast.faces.mcp.engine import SdkEngine
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.streamable.event_stream import EventStream
from holdfast.faces.mcp.streamable.post_request import PostedRequest, Refusal
from holdfast.faces.mcp.wire.exchange import Exchange
from holdfast.faces.mcp.wire.messages import (
    STOPPED,
    Notification,
    RequestId,
    Response,
    encode,
    invalid_request,
    notification,
)
from holdfast.faces.mcp.wire.outstanding_requests import OutstandingRequests
from holdfast.kernel.limits import Limits
from holdfast.kernel.text import parse_natural

_FIRST_PRIMED_REVISION = "2025-11-25"
"""From this revision on, a stream starts with an event that has an id and no message
(<https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>)."""

_STANDALONE_NAME = "0"
"""The name of the stream for messages that belong to no answer; streams of answers are numbered from 1."""


class HandshakeSession:
    """The state that connects the requests of one client."""

    def __init__(self, identity: str, owner: str, server: ProtocolServer, limits: Limits) -> None:
        self.identity = self.client = identity
        self.owner = owner
        """The key of the caller that opened the session."""
        self.outstanding = OutstandingRequests()
        self.standalone = EventStream(_STANDALONE_NAME, limits)
        """Messages that belong to no answer; a GET request reads them."""
        self.last_used = time.monotonic()
        """When the last request or stream ended; a monotonic time."""
        self.on_closed: Callable[[HandshakeSession], object] = lambda _: None
        self._server = server
        self.limits = limits
        self._engine = SdkEngine(server)
        self._engine.attach(self)
        self._requests: dict[RequestId, PostedRequest] = {}
        self._streams: OrderedDict[str, EventStream] = OrderedDict()
        self._streams_opened = 0
        self._open_uses = 0
        """The number of requests and streams that are open."""
        self._closed = False

    @property
    def is_idle(self) -> bool:
        return self._open_uses == 0

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the session from expiring while the block runs."""
        self._open_uses += 1
        try:
            yield
        finally:
            self._open_uses -= 1
            self.last_used = time.monotonic()

    # From the client

    async def answer(self, posted: PostedRequest) -> None:
        request = posted.exchange.request
        if request.id in self._requests:
            problem = invalid_request(f"the id {request.id!r} is still in use", "duplicate_id")
            raise Refusal(400, problem, request.id)
        self._requests[request.id] = posted
        try:
            with self.in_use():
                await posted.answer(self._respond)
        finally:
            del self._requests[request.id]

    async def _respond(self, exchange: Exchange) -> Any:
        if exchange.request.method == "ping":
            return {}
        return await self._engine.respond(exchange)

    def handle_notification(self, message: Notification) -> None:
        self.last_used = time.monotonic()
        if message.method == "notifications/cancelled":
            self._cancel((message.params or {}).get("requestId"))
        else:
            self._engine.handle_notification(message)

    def handle_response(self, response: Response) -> None:
        self.last_used = time.monotonic()
        self.outstanding.resolve(response)

    def _cancel(self, identity: object) -> None:
        posted = self._requests.get(identity) if isinstance(identity, str | int) else None
        if posted is not None and posted.exchange.request.method != "initialize":
            posted.cancel()

    # To the client

    async def wait_uncongested(self) -> None:
        """Return at once: storage for a client that does not read is bounded."""

    def send_notification(self, method: str, params: dict[str, Any] | None) -> None:
        self.standalone.add(encode(notification(method, params)), is_needed=False)

    async def send_request(
        self, method: str, params: dict[str, Any] | None, seconds: float | None
    ) -> dict[str, Any]:
        return await self.outstanding.send_request(method, params, seconds, self._send)

    def _send(self, message: dict[str, Any]) -> None:
        self.standalone.add(encode(message), is_needed=True)

    def new_stream(self) -> EventStream:
        """Return a stream for one answer, which can be resumed while it is stored."""
        self._streams_opened += 1
        name = str(self._streams_opened)
        stream = self._streams[name] = EventStream(name, self.limits)
        if is_version_at_least(self._engine.protocol_version, _FIRST_PRIMED_REVISION):
            stream.prime()
        self._drop_oldest_streams()
        return stream

    def find_resumed(self, event_id: str) -> tuple[EventStream, int]:
        """Return the stream of an event id, and the number of the message after which to continue."""
        name, _, number = event_id.partition("-")
        stream = self.standalone if name == _STANDALONE_NAME else self._streams.get(name)
        after = parse_natural(number)
        if stream is None or after is None:
            raise Refusal(400, "Bad Request: that Last-Event-ID is unknown.")
        return stream, after

    def _drop_oldest_streams(self) -> None:
        finished = deque(name for name, stream in self._streams.items() if stream.is_finished)
        size = sum(stream.stored_bytes for stream in self._streams.values())
        limits = self.limits
        while finished and (len(finished) > limits.session_streams or size > limits.session_event_bytes):
            size -= self._streams.pop(finished.popleft()).stored_bytes

    # The end

    def end_streams(self) -> None:
        self.standalone.finish()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for posted in list(self._requests.values()):
            posted.cancel()
        self.outstanding.fail_all(STOPPED)
        self.end_streams()
        self._server.forget(self.identity)
        self._engine.release()
        self.on_closed(self)
