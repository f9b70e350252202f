"""Sends a stream of events as the body of a response, until it ends or the client leaves."""

from __future__ import annotations

import asyncio

from starlette.types import Receive, Send

from holdfast.faces.mcp.streamable.event_stream import EventStream
from holdfast.faces.mcp.streamable.refusal import RawHeaders

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


async def send_stream(
    stream: EventStream,
    after: int,
    patience: float,
    receive: Receive,
    send: Send,
    headers: RawHeaders | None = None,
) -> bool:
    """Send what a stream holds after a number; return whether the client stayed."""
    reader = stream.read()
    leaving = asyncio.ensure_future(client_left(receive))
    leaving.add_done_callback(lambda _: stream.leave(reader))
    try:
        await send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS, *(headers or ())]})
        async for frame in stream.frames(reader, after, patience):
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        stayed = not leaving.done()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return stayed
    finally:
        stream.leave(reader)
        leaving.cancel()


async def client_left(receive: Receive) -> None:
    """Return when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
