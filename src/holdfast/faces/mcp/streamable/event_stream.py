"""The messages of one stream: numbered, sent in order, and stored for a client that reconnects.

Contract:
- A message has the id `<stream>-<number>`; a stream without a name has no ids and cannot be resumed.
- One reader follows a stream at a time. A newer one takes over: the older one's connection is broken.
- Storage is bounded. A message marked as needed (an answer, or a request of the server) is stored until it is
  sent; notifications are dropped when there are too many.
- A stream is sent as the body of a response (server-sent events) until it ends or the client leaves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.types import Receive, Send

from holdfast.faces.http.asgi import SIGN_OF_LIFE, RawHeaders, client_left
from holdfast.kernel.limits import Limits


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    frame: bytes
    needed: bool


class EventStream:
    """One sequence of messages to a client."""

    def __init__(self, name: str | None, limits: Limits) -> None:
        self.name = name
        self._prefix = b"" if name is None else name.encode() + b"-"
        self._limits = limits
        self._stored: deque[_Event] = deque()
        self._count = 0
        self.sent = 0
        """The number of the newest message that was sent."""
        self.size = 0
        """How many bytes are stored."""
        self._reader: object = None
        """Identifies the current reader."""
        self._changed = asyncio.Event()
        self.finished = False

    def prime(self) -> None:
        """Send an id without a message, so that a client can resume before there is one."""
        self._append(b"data: \n\n", needed=True)

    def add(self, message: bytes, *, needed: bool) -> None:
        """Send a message to the current or the next reader."""
        self._append(b"event: message\ndata: " + message + b"\n\n", needed=needed)

    def finish(self) -> None:
        """End the stream once its reader has everything."""
        self.finished = True
        self._changed.set()

    def read(self) -> object:
        """Return a new reader; the previous one stops."""
        self._reader = object()
        self._changed.set()
        return self._reader

    def leave(self, reader: object) -> None:
        """Stop following."""
        if self._reader is reader:
            self._reader = None
            self._changed.set()

    async def frames(self, reader: object, after: int, ping_seconds: float) -> AsyncIterator[bytes]:
        """Yield the messages after a number, and signs of life in pauses, until the reader is replaced."""
        position = after
        while self._reader is reader:
            self._changed.clear()
            for event in [event for event in self._stored if event.number > position]:
                position = event.number
                self.sent = max(self.sent, position)
                yield event.frame
            if self._changed.is_set():
                continue
            if self.finished:
                return
            try:
                async with asyncio.timeout(ping_seconds):
                    await self._changed.wait()
            except TimeoutError:
                yield SIGN_OF_LIFE

    def _append(self, text: bytes, *, needed: bool) -> None:
        frame = text if self.name is None else b"id: %b%d\n%b" % (self._prefix, self._count + 1, text)
        if not self._make_room(len(frame)) and not needed:
            return
        self._count += 1
        self._stored.append(_Event(self._count, frame, needed))
        self.size += len(frame)
        self._changed.set()

    def _make_room(self, size: int) -> bool:
        """Drop the oldest messages that are not needed; return whether another one fits."""
        while self._stored and not self._has_room(size):
            oldest = self._stored[0]
            if oldest.needed and oldest.number > self.sent:
                break
            self._stored.popleft()
            self.size -= len(oldest.frame)
        return self._has_room(size)

    def _has_room(self, size: int) -> bool:
        fits = self.size + size <= self._limits.session_event_bytes
        return fits and len(self._stored) < self._limits.session_events


_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


async def send_stream(
    stream: EventStream,
    after: int,
    ping_seconds: float,
    receive: Receive,
    send: Send,
    headers: RawHeaders | None = None,
) -> bool:
    """Send the messages of a stream after a number; return whether the client stayed to the end."""
    reader = stream.read()
    leaving = asyncio.ensure_future(client_left(receive))
    leaving.add_done_callback(lambda _: stream.leave(reader))
    try:
        await send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS, *(headers or ())]})
        async for frame in stream.frames(reader, after, ping_seconds):
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        stayed = not leaving.done()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return stayed
    finally:
        stream.leave(reader)
        leaving.cancel()
