"""One request in an HTTP POST, and its response: JSON, or an event stream.

Contract:
- A response that consists of the answer alone is one JSON body. When the server sends a notification or a
  request first, or when the answer takes long, the response becomes an event stream that ends with the
  answer.
- In the handshake era a lost connection does not cancel a request: its stream can be resumed. In the
  stateless era nothing can be resumed, so closing the connection is how a client cancels.
- A request that was cancelled by a message is answered with an error in the handshake era, whose streams end
  only with an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Protocol

from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS, InboundModernRoute
from starlette.types import Receive, Send

from holdfast.faces.http.asgi import RawHeaders, send_json, wait_for_disconnect
from holdfast.faces.http.exchange import HttpExchange
from holdfast.faces.mcp.streamable.event_stream import EventStream, send_stream
from holdfast.faces.mcp.wire.exchange import Exchange
from holdfast.faces.mcp.wire.messages import (
    RequestId,
    WireError,
    WireRequest,
    encode,
    encode_error,
    encode_result,
    notification,
    response_too_large,
)
from holdfast.faces.mcp.wire.outstanding_requests import OutstandingRequests
from holdfast.kernel.call import Call
from holdfast.kernel.codes import INVALID_REQUEST
from holdfast.kernel.limits import Limits

Route = InboundModernRoute | None
"""The parsed envelope of the stateless era; None in the handshake era."""
Respond = Callable[[Exchange], Awaitable[Any]]

_REQUEST_CANCELLED = WireError(-32800, "Request cancelled")
"""The code of the Language Server Protocol (RequestCancelled); MCP defines none."""

_WATCH_DELAY_SECONDS = 0.05
"""How long a request runs before its connection is watched for a disconnect. A judgement: most requests are
answered by then."""


class Refusal(Exception):
    """An HTTP status and the JSON-RPC error that explains it."""

    def __init__(
        self,
        status: int,
        failure: WireError | str,
        identity: RequestId | None = None,
        headers: RawHeaders | None = None,
    ) -> None:
        failure = WireError(INVALID_REQUEST, failure) if isinstance(failure, str) else failure
        super().__init__(failure.message)
        self.status = status
        self.body = encode_error(identity, failure)
        self.headers = headers or []


class PostedExchange(Exchange):
    """A request over HTTP. Its calls are settled when its response was sent or could not be sent."""

    def __init__(
        self, request: WireRequest, channel: PostedRequest, http: HttpExchange, client: Hashable, route: Route
    ) -> None:
        super().__init__(request, channel, actor=http.actor, caller=http.caller.key, route=route)
        self.stateless = route is not None
        self.client = client
        self._http = http
        self.observed.face = "http"
        self.observed.client = http.actor

    def add_call(self, call: Call) -> None:
        self._http.add_call(call)


class Conversation(Protocol):
    """What a request belongs to: a session, or the requests of the stateless era."""

    @property
    def client(self) -> Hashable:
        """The client's identity."""

    @property
    def outstanding(self) -> OutstandingRequests:
        """Requests of the server that are not answered yet."""

    @property
    def limits(self) -> Limits:
        """The limits of an answer."""

    def new_stream(self) -> EventStream:
        """Return a stream for one answer and the messages before it."""


class PostedRequest:
    """The response to one request: JSON, or an event stream once something else has to be sent."""

    def __init__(
        self,
        conversation: Conversation,
        request: WireRequest,
        http: HttpExchange,
        receive: Receive,
        send: Send,
        route: Route = None,
    ) -> None:
        self.exchange = PostedExchange(request, self, http, conversation.client, route)
        self.headers: RawHeaders = []
        self.failed = False
        """Whether the answer is an error."""
        self._conversation = conversation
        self._http = http
        self._limits = conversation.limits
        self._ping_seconds = self._limits.event_stream_ping_seconds
        self._receive = receive
        self._send = send
        self._stream: EventStream | None = None
        self._sending: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None

    # For handlers

    async def wait_uncongested(self) -> None:
        """Return at once: each answer has its own connection."""

    def send_notification(self, method: str, params: dict[str, Any] | None) -> None:
        self._events().add(encode(notification(method, params)), is_needed=False)

    async def send_request(
        self, method: str, params: dict[str, Any] | None, seconds: float | None
    ) -> dict[str, Any]:
        return await self._conversation.outstanding.send_request(method, params, seconds, self._send_event)

    def _send_event(self, message: dict[str, Any]) -> None:
        self._events().add(encode(message), is_needed=True)

    # The answer

    def cancel(self) -> None:
        if self._task is not None and not self.exchange.cancelled:
            self.exchange.cancelled = True
            self._task.cancel()

    async def answer(self, respond: Respond) -> None:
        self._task = asyncio.current_task()
        self._start_timer(_WATCH_DELAY_SECONDS if self.exchange.stateless else self._ping_seconds)
        try:
            outcome = await self._produce_response(respond)
            # The answer is being sent, so the client can no longer cancel.
            self._task = None
            if outcome is not None:
                await self._finish(*outcome)
            self.exchange.observed.conclude(None if outcome is None else len(outcome[1]))
        finally:
            self._task = None
            self._stop()

    async def _produce_response(self, respond: Respond) -> tuple[int, bytes] | None:
        """Return the status and the body, or None when the client no longer waits."""
        identity = self.exchange.request.id
        try:
            body = encode_result(identity, await respond(self.exchange))
            if len(body) <= self._limits.response_bytes:
                return 200, body
            failure = response_too_large(len(body), self._limits.response_bytes)
        except WireError as refused:
            failure = refused
        except asyncio.CancelledError:
            if not self.exchange.cancelled:
                raise
            if self._task is not None:
                self._task.uncancel()
            failure = _REQUEST_CANCELLED
            if self.exchange.stateless:
                self.exchange.observed.failure = failure.kind
                return None
        self.exchange.observed.failure = self.exchange.observed.failure or failure.kind
        self.failed = self._http.failed = True
        status = ERROR_CODE_HTTP_STATUS.get(failure.code, 200) if self.exchange.stateless else 200
        return status, encode_error(identity, failure)

    async def _finish(self, status: int, body: bytes) -> None:
        if self._stream is None or self._sending is None:
            await send_json(self._send, status, body, self.headers)
            return
        self._stream.add(body, is_needed=True)
        self._stream.finish()
        await self._sending

    def _events(self) -> EventStream:
        """Return the event stream of the response, which becomes one with the first call."""
        if self._stream is None:
            self._stream = self._conversation.new_stream()
            self._sending = asyncio.create_task(self._send_events(self._stream))
        return self._stream

    async def _send_events(self, stream: EventStream) -> None:
        is_connected = await send_stream(
            stream, 0, self._ping_seconds, self._receive, self._send, self.headers
        )
        if not is_connected and self.exchange.stateless:
            self.cancel()

    # Slow answers

    def _start_timer(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._on_slow_answer)

    def _on_slow_answer(self) -> None:
        """In the stateless era, watch for a disconnect first; then make the response a stream.

        A stream keeps the connection alive, and notices a disconnect itself.
        """
        if self._stream is not None:
            return
        if self.exchange.stateless and self._watching is None:
            self._watching = asyncio.create_task(self._cancel_on_disconnect())
            self._start_timer(self._ping_seconds)
            return
        if self._watching is not None:
            self._watching.cancel()
        self._events()

    async def _cancel_on_disconnect(self) -> None:
        await wait_for_disconnect(self._receive)
        self.cancel()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for task in (self._watching, self._sending):
            if task is not None:
                task.cancel()
