"""One HTTP request in ASGI's terms: its headers, its whole body, its response, and a disconnecting client.

Contract:
- A body is read completely, within limits on size and time.
- A call is settled as answered only after the bytes of its answer were passed to a connection that was still
  open: the last part of a JSON response, or the event that holds the answer in a stream. A long body is sent
  in pieces, each of which waits until the client has read the previous ones, so that a client that stopped
  reading is noticed.
- A call whose client disconnected is settled as not answered, even if the operation finishes later.
- Settling may write to a store, so it runs in a thread. The same client's next request in this process waits
  for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic_core import from_json
from starlette.types import Message, Receive, Scope, Send

from holdfast.faces.http.problems import Misdirected, TooSlow
from holdfast.faces.mcp.wire.messages import decode, encode_error, response_too_large
from holdfast.faces.settlements import Settleable
from holdfast.kernel.errors import Cancelled, TooLarge
from holdfast.kernel.limits import LIMITS, Limits

if TYPE_CHECKING:
    from holdfast.faces.http.access import Principal

EXCHANGE = "holdfast.exchange"
"""The key of a request's exchange in its ASGI scope."""

KEEP_ALIVE_COMMENT = b": still here\n\n"
"""The comment that an event stream sends periodically, so that proxies do not close an idle connection."""

_PIECE_BYTES = 64 * 1024
"""Uvicorn's high-water mark for writing, beyond which `send` waits for the client."""


class HttpExchange(Settleable):
    """A request with its caller, and the calls that are settled with its answer."""

    def __init__(self, caller: Principal, headers: Headers | None = None, body: bytes = b"") -> None:
        super().__init__()
        self.caller = caller
        self.actor = caller.name
        """The name under which rooms record the caller's changes."""
        self.headers = headers or {}
        self.body = body
        self.failed = False
        """Whether an error is sent instead of an answer."""


class ResponseSender:
    """Sends the response to one request, and records whether the client was connected to receive it."""

    def __init__(
        self,
        exchange: HttpExchange,
        receive: Receive,
        send: Send,
        *,
        lasting: bool = False,
        request: bytes = b"",
        limit: int = LIMITS.response_bytes,
    ) -> None:
        self._request = request
        self._limit = limit
        self._exchange = exchange
        self._receive = receive
        self._send = send
        self._lasting = lasting
        self._start: Message | None = None
        self._is_stream = False
        self.was_sent = False
        """Whether the answer was sent while the client was connected."""
        self.has_started = False

    async def send(self, message: Message) -> None:
        """Send a part of the response. The headers are held back and sent with the first part of the body."""
        if message["type"] == "http.response.start":
            self.has_started = True
            self._is_stream = _is_event_stream(message)
            self._start = message
            if self._lasting:
                await self._send_start()
            return
        if len(message.get("body", b"")) > self._limit:
            await self._refuse_length(message)
            return
        await self._send_start()
        if self._carries_answer(message):
            self.was_sent = await self._send_answer(message)
        else:
            await self._send(message)

    async def _refuse_length(self, message: Message) -> None:
        identity = getattr(decode(self._request), "id", None)
        refusal = encode_error(identity, response_too_large(len(message["body"]), self._limit))
        if self._is_stream:
            refusal = b"event: message\r\ndata: " + refusal + b"\r\n\r\n"
        elif self._start is not None:
            rest = [header for header in self._start["headers"] if header[0].lower() != b"content-length"]
            self._start["headers"] = [*rest, (b"content-length", b"%d" % len(refusal))]
        await self._send_start()
        await self._send({**message, "body": refusal})

    async def _send_start(self) -> None:
        if self._start is not None:
            start, self._start = self._start, None
            await self._send(start)

    def _carries_answer(self, message: Message) -> bool:
        if not self._is_stream:
            return not message.get("more_body", False)
        return self._exchange.awaits_answer and _holds_answer(message.get("body", b""))

    async def _send_answer(self, message: Message) -> bool:
        if not self._exchange.awaits_answer:
            await self._send(message)
            return True
        body = message.get("body", b"")
        while len(body) > _PIECE_BYTES:
            await self._send({"type": message["type"], "body": body[:_PIECE_BYTES], "more_body": True})
            body = body[_PIECE_BYTES:]
        disconnected = await _is_disconnected(self._receive)
        await self._send({**message, "body": body})
        return not disconnected


async def _is_disconnected(receive: Receive) -> bool:
    """Return whether the client closed its connection, after which servers ignore what is sent."""
    next_message = asyncio.ensure_future(receive())
    await asyncio.wait({next_message}, timeout=0)
    if next_message.done():
        return bool(next_message.result()["type"] == "http.disconnect")
    next_message.cancel()
    await asyncio.wait({next_message})
    return False


def _is_event_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message.get("headers", ())
    )


def _holds_answer(chunk: bytes) -> bool:
    """Return whether an event holds a JSON-RPC answer, rather than a notification or a keep-alive comment."""
    data = b"".join(line[5:] for line in chunk.splitlines() if line.startswith(b"data:"))
    if not data:
        return False
    message = from_json(data)
    return isinstance(message, dict) and "id" in message and "method" not in message


def exchange_of(scope: Scope) -> HttpExchange | None:
    """Return the exchange of an admitted request, or None for any other."""
    exchange = scope.get(EXCHANGE)
    return exchange if isinstance(exchange, HttpExchange) else None


Headers = dict[bytes, bytes]

_NOT_REPEATABLE = frozenset(
    {b"host", b"origin", b"authorization", b"content-type", b"sec-fetch-site", b"cookie"}
)
"""The headers that decide whether a request is allowed."""


def single_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return headers by name; refuse a repeated header that decides whether a request is allowed."""
    headers: Headers = {}
    for name, value in raw:
        if name in headers and name in _NOT_REPEATABLE:
            raise Misdirected(f"The header {name.decode('latin-1')} was sent twice.", hint="Send it once.")
        headers[name] = value
    return headers


RawHeaders = list[tuple[bytes, bytes]]


async def send_json(send: Send, status: int, body: bytes, headers: RawHeaders | None = None) -> None:
    """Send a JSON response."""
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *(headers or ())]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def send_accepted(send: Send) -> None:
    """Send 202 for a message that has no answer."""
    head = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 202, "headers": head})
    await send({"type": "http.response.body", "body": b""})


async def wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def read_body(headers: Headers, receive: Receive, limits: Limits) -> bytes:
    """Return the body of a request; raise when it is too long, too slow or cut off."""
    content_length = headers.get(b"content-length", b"")
    if content_length.isdigit() and int(content_length) > limits.request_bytes:
        raise _too_large(limits)
    if content_length in (b"", b"0") and b"transfer-encoding" not in headers:
        return await _receive_body(receive, limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _receive_body(receive, limits)
    except TimeoutError:
        raise TooSlow(
            f"The body did not arrive within {limits.body_seconds:g} seconds.", hint="Send it without pauses."
        ) from None


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return an ASGI `receive` that returns a body that was read already, and then receives as before."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return pending.pop() if pending else await receive()

    return receive_again


async def _receive_body(receive: Receive, limits: Limits) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Cancelled("The client disconnected before its request was complete.")
        chunk = message.get("body", b"")
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.request_bytes:
            raise _too_large(limits)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _too_large(limits: Limits) -> TooLarge:
    return TooLarge(
        f"A request may have at most {limits.request_bytes} bytes.",
        hint="Send less at once.",
        limit=limits.request_bytes,
    )
