"""Reads an HTTP request and sends a short response, in ASGI's terms."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.types import Message, Receive, Send

from holdfast.faces.http.problems import TooSlow
from holdfast.kernel.errors import Cancelled, Invalid, TooLarge
from holdfast.kernel.limits import Limits

Headers = dict[bytes, bytes]
"""The headers of a request by name, in lower case; of a repeated header, the last value."""
RawHeaders = list[tuple[bytes, bytes]]
"""Headers as ASGI passes them."""

_NOT_REPEATABLE = frozenset(
    {b"host", b"origin", b"authorization", b"content-type", b"sec-fetch-site", b"cookie"}
)
"""The headers that decide whether a request is allowed. With two values, a proxy and this server could decide
by different ones."""


def single_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return headers by name; refuse a repeated header that decides whether a request is allowed."""
    headers: Headers = {}
    for name, value in raw:
        if name in headers and name in _NOT_REPEATABLE:
            raise Invalid(f"The header {name.decode('latin-1')} was sent twice.", hint="Send it once.")
        headers[name] = value
    return headers


async def read_body(headers: Headers, receive: Receive, limits: Limits) -> bytes:
    """Return the complete body of a request; raise when it is too long, too slow or cut off."""
    content_length = headers.get(b"content-length", b"")
    if content_length.isdigit() and int(content_length) > limits.request_bytes:
        raise _too_large(limits)
    if content_length in (b"", b"0") and b"transfer-encoding" not in headers:
        # Without a body there is nothing to wait for, so most GET requests need no timer.
        return await _receive_body(receive, limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _receive_body(receive, limits)
    except TimeoutError:
        raise TooSlow(
            f"The body did not arrive within {limits.body_seconds:g} seconds.", hint="Send it without pauses."
        ) from None


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


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return an ASGI `receive` that returns a body that was read already, and then receives as before."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return pending.pop() if pending else await receive()

    return receive_again


async def send_json(send: Send, status: int, body: bytes, headers: RawHeaders | None = None) -> None:
    """Send a complete JSON response."""
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
