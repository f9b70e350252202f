"""Sends a response, and records whether the client was connected to receive the answer in it.

Contract:
- A call is settled as answered only after the bytes of its answer were passed to a connection that was still
  open: the last part of a JSON response, or the event that holds the answer in a stream. A long body is sent
  in pieces, each of which waits until the client has read the previous ones, so that a client that stopped
  reading is noticed.
- A call whose client disconnected is settled as not answered, even if the operation finishes later.
"""

from __future__ import annotations

import asyncio

from pydantic_core import from_json
from starlette.types import Message, Receive, Send

from holdfast.faces.http.exchange import HttpExchange

_PIECE_BYTES = 64 * 1024
"""Uvicorn's high-water mark for writing, beyond which `send` waits for the client."""


class ResponseSender:
    """Sends the response to one request, and records whether the client was connected to receive it."""

    def __init__(self, exchange: HttpExchange, receive: Receive, send: Send) -> None:
        self._exchange = exchange
        self._receive = receive
        self._send = send
        self._is_event_stream = False
        self.was_sent = False
        """Whether the answer was sent while the client was connected."""
        self.has_started = False

    async def send(self, message: Message) -> None:
        """Send a part of the response, as ASGI's `send`."""
        if message["type"] == "http.response.start":
            self.has_started = True
            self._is_event_stream = _is_event_stream(message)
            await self._send(message)
        elif self._carries_answer(message):
            self.was_sent = await self._send_answer(message)
        else:
            await self._send(message)

    def _carries_answer(self, message: Message) -> bool:
        if not self._is_event_stream:
            return not message.get("more_body", False)
        return self._exchange.awaits_answer and _holds_answer(message.get("body", b""))

    async def _send_answer(self, message: Message) -> bool:
        if not self._exchange.awaits_answer:
            # Nothing depends on whether the client is connected, so it is not checked.
            await self._send(message)
            return True
        body = message.get("body", b"")
        last = max(len(body) - 1, 0) // _PIECE_BYTES * _PIECE_BYTES  # where the last piece starts
        for start in range(0, last, _PIECE_BYTES):
            piece = body[start : start + _PIECE_BYTES]
            await self._send({"type": message["type"], "body": piece, "more_body": True})
        disconnected = await _is_disconnected(self._receive)
        await self._send({**message, "body": body[last:]})
        return not disconnected


async def _is_disconnected(receive: Receive) -> bool:
    """Return whether the client closed its connection; servers silently drop what is sent after that."""
    next_message = asyncio.ensure_future(receive())
    await asyncio.wait({next_message}, timeout=0)  # lets it run once, and finish if a message has arrived
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
    data = b"".join(line.removeprefix(b"data:") for line in chunk.splitlines() if line.startswith(b"data:"))
    if not data:
        return False
    message = from_json(data)
    return isinstance(message, dict) and "id" in message and "method" not in message
