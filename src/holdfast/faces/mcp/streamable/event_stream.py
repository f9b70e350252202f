"""The messages of one event stream: numbered, sent in order, and stored for a client that reconnects.

Contract:
- A message has the id `<stream>-<number>`; a stream without a name has no ids and cannot be resumed.
- A stream has at most one reader. A new reader replaces the old one, whose connection must be broken.
- Notifications are dropped when more is stored than the limits allow. A message marked as needed (an answer,
  or a request of the server) is stored until it is sent, even above the limits.
- A stream is sent as the body of a response (server-sent events) until it ends or the client leaves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.types import Receive, Send

from holdfast.faces.http.asgi import RawHeaders, wait_for_disconnect
from holdfast.kernel.limits import Limits

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]
"""The last two keep proxies from storing, compressing or buffering the stream."""

_KEEP_ALIVE_COMMENT = b": still here\n\n"
"""Sent in pauses, so that proxies do not close an idle connection."""


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    frame: bytes
    """The event as it is sent: its id, its name and its data."""
    is_needed: bool


class EventStream:
    """One numbered sequence of messages to a client."""

    def __init__(self, name: str | None, limits: Limits) -> None:
        self.name = name
        self._prefix = b"" if name is None else name.encode() + b"-"
        self._limits = limits
        self._stored: deque[_Event] = deque()
        self._count = 0
        self.sent = 0
        """The number of the newest message that was sent, to any reader."""
        self.stored_bytes = 0
        self._reader: object = None
        """A token of the current reader, compared by identity; None when there is none."""
        self._changed = asyncio.Event()
        self.is_finished = False

    def prime(self) -> None:
        """Send an id without a message, so that a client can resume before the first message."""
        self._append(b"data: \n\n", is_needed=True)

    def add(self, message: bytes, *, is_needed: bool) -> None:
        self._append(b"event: message\ndata: " + message + b"\n\n", is_needed=is_needed)

    def finish(self) -> None:
        self.is_finished = True
        self._changed.set()

    def start_reading(self) -> object:
        self._reader = object()
        self._changed.set()
        return self._reader

    def stop_reading(self, reader: object) -> None:
        """Remove a reader, unless another one has replaced it."""
        if self._reader is reader:
            self._reader = None
            self._changed.set()

    async def frames(self, reader: object, after: int, ping_seconds: float) -> AsyncIterator[bytes]:
        """Yield the events after a number, with comments in pauses, until the reader is replaced."""
        position = after
        while self._reader is reader:
            self._changed.clear()
            pending = [event for event in self._stored if event.number > position]
            for event in pending:
                position = event.number
                self.sent = max(self.sent, position)
                yield event.frame
            if self._changed.is_set():
                continue
            if self.is_finished:
                return
            try:
                async with asyncio.timeout(ping_seconds):
                    await self._changed.wait()
            except TimeoutError:
                yield _KEEP_ALIVE_COMMENT

    def _append(self, text: bytes, *, is_needed: bool) -> None:
        frame = text
        if self.name is not None:
            frame = b"id: %b%d\n%b" % (self._prefix, self._count + 1, text)
        if not self._make_room(len(frame)) and not is_needed:
            return
        self._count += 1
        self._stored.append(_Event(self._count, frame, is_needed))
        self.stored_bytes += len(frame)
        self._changed.set()

    def _make_room(self, size: int) -> bool:
        """Drop old messages up to the first that is needed and not sent; return whether `size` bytes fit."""
        while self._stored and not self._has_room(size):
            oldest = self._stored[0]
            if oldest.is_needed and oldest.number > self.sent:
                break
            self._stored.popleft()
            self.stored_bytes -= len(oldest.frame)
        return self._has_room(size)

    def _has_room(self, size: int) -> bool:
        fits = self.stored_bytes + size <= self._limits.session_event_bytes
        return fits and len(self._stored) < self._limits.session_events


async def send_stream(
    stream: EventStream,
    after: int,
    ping_seconds: float,
    receive: Receive,
    send: Send,
    headers: RawHeaders | None = None,
) -> bool:
    """Send the messages of a stream after a number; return whether the client stayed to the end."""
    reader = stream.start_reading()
    disconnect = asyncio.ensure_future(wait_for_disconnect(receive))
    disconnect.add_done_callback(lambda _: stream.stop_reading(reader))
    try:
        await send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS, *(headers or ())]})
        async for frame in stream.frames(reader, after, ping_seconds):
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        is_connected = not disconnect.done()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return is_connected
    finally:
        stream.stop_reading(reader)
        disconnect.cancel()
