"""Request bodies: whole, within a size and a time."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive

from holdfast.faces.http.boundary import Headers
from holdfast.faces.http.refusals import TooSlow
from holdfast.kernel.errors import Cancelled, TooLarge
from holdfast.kernel.limits import Limits


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
