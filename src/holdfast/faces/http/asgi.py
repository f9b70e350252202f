"""One request over HTTP as ASGI has it: headers, the whole body, whether the client left, and the answer.

Contract:
- A body is whole, within a size and a time.
- A call is settled as answered only after the bytes of its answer were handed to a connection whose client
  was still there: the last body of a JSON response, the event that holds the answer in a stream. A long body
  goes out in pieces, each waiting for the client to take the ones before, so that a client that stopped
  reading is noticed.
- A client that left is settled as not answered, also when the operation finishes later.
- Settling may write to a store. It runs beside the event loop, and the same client's next request in this
  process waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic_core import from_json
from starlette.types import Message, Receive, Scope, Send

from holdfast.faces.http.problems import Misdirected, TooSlow
from holdfast.faces.mcp.wire.messages import decode, encoded_error, too_long
from holdfast.faces.settlements import Followed
from holdfast.kernel.errors import Cancelled, TooLarge
from holdfast.kernel.limits import LIMITS, Limits

if TYPE_CHECKING:
    from holdfast.faces.http.access import Caller

EXCHANGE = "holdfast.exchange"
"""Where a request's scope holds its exchange."""

SIGN_OF_LIFE = b": still here\n\n"
"""What an event stream sends when there is nothing to tell."""

_PIECE = 64 * 1024


class HttpExchange(Followed):
    """Who asks what, and the calls that want to know whether their answer left."""

    def __init__(self, caller: Caller, headers: Headers | None = None, body: bytes = b"") -> None:
        super().__init__()
        self.caller = caller
        self.actor = caller.name
        """The name under which rooms record what this caller did."""
        self.headers = headers or {}
        self.body = body
        self.failed = False
        """Whether what is sent is no answer but an error."""


class Answer:
    """The sending side of one request, which notices whether the answer left."""

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
        self.left = False
        """Whether the answer was handed to a client that was there."""
        self.begun = False

    async def send(self, message: Message) -> None:
        """Pass a part of the response on. Its head waits for the first part of the body, to leave with it."""
        if message["type"] == "http.response.start":
            self.begun = True
            self._is_stream = _is_event_stream(message)
            self._start = message
            if self._lasting:
                await self._begin()
            return
        if len(message.get("body", b"")) > self._limit:
            await self._refuse_length(message)
            return
        await self._begin()
        if self._carries_answer(message):
            self.left = await self._hand_over(message)
        else:
            await self._send(message)

    async def _refuse_length(self, message: Message) -> None:
        identity = getattr(decode(self._request), "id", None)
        refusal = encoded_error(identity, too_long(len(message["body"]), self._limit))
        if self._is_stream:
            refusal = b"event: message\r\ndata: " + refusal + b"\r\n\r\n"
        elif self._start is not None:
            rest = [header for header in self._start["headers"] if header[0].lower() != b"content-length"]
            self._start["headers"] = [*rest, (b"content-length", b"%d" % len(refusal))]
        await self._begin()
        await self._send({**message, "body": refusal})

    async def _begin(self) -> None:
        if self._start is not None:
            start, self._start = self._start, None
            await self._send(start)

    def _carries_answer(self, message: Message) -> bool:
        if not self._is_stream:
            return not message.get("more_body", False)
        return self._exchange.awaits_answer and _holds_answer(message.get("body", b""))

    async def _hand_over(self, message: Message) -> bool:
        if not self._exchange.awaits_answer:
            await self._send(message)
            return True
        body = message.get("body", b"")
        while len(body) > _PIECE:
            await self._send({"type": message["type"], "body": body[:_PIECE], "more_body": True})
            body = body[_PIECE:]
        gone = await _has_left(self._receive)
        await self._send({**message, "body": body})
        return not gone


async def _has_left(receive: Receive) -> bool:
    """Return whether the client closed its connection; servers swallow what is sent after that."""
    coming = asyncio.ensure_future(receive())
    await asyncio.wait({coming}, timeout=0)
    if coming.done():
        return bool(coming.result()["type"] == "http.disconnect")
    coming.cancel()
    await asyncio.wait({coming})
    return False


def _is_event_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message.get("headers", ())
    )


def _holds_answer(chunk: bytes) -> bool:
    """Return whether an event holds a JSON-RPC answer, rather than a notification or a sign of life."""
    data = b"".join(line[5:] for line in chunk.splitlines() if line.startswith(b"data:"))
    if not data:
        return False
    message = from_json(data)
    return isinstance(message, dict) and "id" in message and "method" not in message


def exchange_of(scope: Scope) -> HttpExchange | None:
    """Return the exchange a request belongs to."""
    found = scope.get(EXCHANGE)
    return found if isinstance(found, HttpExchange) else None


Headers = dict[bytes, bytes]


_ONCE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"sec-fetch-site", b"cookie"})


def single_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return headers by name; one that decides something must not come twice."""
    headers: Headers = {}
    for name, value in raw:
        if name in headers and name in _ONCE:
            raise Misdirected(f"The header {name.decode('latin-1')} came twice.", hint="Send it once.")
        headers[name] = value
    return headers


RawHeaders = list[tuple[bytes, bytes]]


async def send_json(send: Send, status: int, body: bytes, headers: RawHeaders | None = None) -> None:
    """Send a whole response."""
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *(headers or ())]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def send_accepted(send: Send) -> None:
    """Say that a message was taken which has no answer."""
    head = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 202, "headers": head})
    await send({"type": "http.response.body", "body": b""})


async def client_left(receive: Receive) -> None:
    """Return when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def read_body(headers: Headers, receive: Receive, limits: Limits) -> bytes:
    """Return the body of a request; raise when it is too long, too slow or will never be whole."""
    stated = headers.get(b"content-length", b"")
    if stated.isdigit() and int(stated) > limits.request_bytes:
        raise _too_large(limits)
    if stated in (b"", b"0") and b"transfer-encoding" not in headers:
        return await _received(receive, limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _received(receive, limits)
    except TimeoutError:
        raise TooSlow(
            f"The body did not arrive within {limits.body_seconds:g} seconds.", hint="Send it in one go."
        ) from None


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that gives the body again, once, and then what follows it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


async def _received(receive: Receive, limits: Limits) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Cancelled("The client went away before its request was whole.")
        chunk = message.get("body", b"")
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.request_bytes:
            raise _too_large(limits)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _too_large(limits: Limits) -> TooLarge:
    return TooLarge(
        f"A request may have {limits.request_bytes} bytes.",
        hint="Send less at once.",
        limit=limits.request_bytes,
    )
