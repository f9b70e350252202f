"""One request on its way to its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.faces.mcp.wire.messages import Notification, Request
from holdfast.kernel.call import Call
from holdfast.kernel.codes import INTERNAL_ERROR, INVALID_REQUEST

if TYPE_CHECKING:
    from mcp.shared.inbound import InboundModernRoute

ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
"""Its presence in `_meta` marks a request of the stateless era."""


class WireError(Exception):
    """A failure to be sent as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def wire(self) -> dict[str, Any]:
        """Return the error object of JSON-RPC."""
        body = {"code": self.code, "message": self.message}
        return body if self.data is None else body | {"data": self.data}


STOPPED = WireError(INTERNAL_ERROR, "The server stopped before this request was done.")


def invalid_request(reason: str, kind: str) -> WireError:
    """Return the refusal of a message that is well formed but not possible now."""
    return WireError(INVALID_REQUEST, f"Invalid Request: {reason}.", {"type": kind})


@dataclass(frozen=True, slots=True)
class Prepared:
    """A result that was encoded before."""

    body: bytes


@dataclass(eq=False)
class Exchange:
    """A request, what its handler may ask of the wire, and what follows the answer."""

    request: Request
    channel: Channel
    calls: list[Call] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    begun: bool = False
    counted: bool = False
    cancelled: bool = False
    actor: str | None = None
    """Nobody is named on a pipe: whoever started this process may use it."""
    route: InboundModernRoute | None = None
    """What the envelope of the stateless era says, where the transport has read it already."""

    def __post_init__(self) -> None:
        self.stateless = has_envelope(self.request.params)

    @property
    def client(self) -> Hashable:
        """Return what stays the same over the requests of one client."""
        return id(self.channel)

    async def uncongested(self) -> None:
        """Wait until the client has taken enough of our earlier answers."""
        await self.channel.uncongested()

    def follow(self, call: Call) -> None:
        """Settle a call once its answer was written, or could not be."""
        self.calls.append(call)

    @property
    def awaits_answer(self) -> bool:
        """Whether something depends on the answer's fate."""
        return any(call.awaits_answer for call in self.calls)

    def settle(self, *, answered: bool) -> None:
        """Settle every call; only the first settlement counts."""
        for call in self.calls:
            call.settle(answered=answered)


class Channel(Protocol):
    """The connection as handlers see it."""

    async def uncongested(self) -> None:
        """Wait until the client has taken enough of what was sent."""

    def tell(self, method: str, params: dict[str, Any] | None) -> None:
        """Send the client a notification."""

    async def ask(self, method: str, params: dict[str, Any] | None, seconds: float | None) -> dict[str, Any]:
        """Send the client a request of ours and return its result."""


class Engine(Protocol):
    """What turns a request into a result."""

    async def respond(self, exchange: Exchange) -> Any:
        """Return the result, or raise `WireError`."""

    def notified(self, notification: Notification) -> None:
        """Take note of a notification."""

    def stopping(self) -> None:
        """End what would otherwise never end by itself."""


def has_envelope(params: dict[str, Any] | None) -> bool:
    """Return whether params carry the per-request envelope of the stateless era."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, dict) and ENVELOPE_KEY in meta
