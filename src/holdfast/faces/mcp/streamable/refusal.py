"""Requests that are answered before the protocol sees them, and the small bodies of such answers."""

from __future__ import annotations

from starlette.types import Send

from holdfast.faces.mcp.wire.encoding import encoded_error
from holdfast.faces.mcp.wire.exchange import WireError
from holdfast.faces.mcp.wire.messages import RequestId
from holdfast.kernel.codes import INVALID_REQUEST

RawHeaders = list[tuple[bytes, bytes]]


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
        self.body = encoded_error(identity, failure)
        self.headers = headers or []


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
