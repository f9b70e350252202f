"""Requests on their way to their answers: each one, those in flight, and those of ours to the client.

Contract of the flight:
- So many run at once, the rest is parked in order, each ends exactly once.
- A request counts from its start until its answer is queued or it is cancelled.
- A parked or running request that is interrupted gives up its place at once.
- Requests that last as long as the connection (listening) neither count nor wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.faces.mcp.wire.messages import Notification, WireRequest
from holdfast.faces.observation import Observation
from holdfast.faces.settlements import Followed

if TYPE_CHECKING:
    from mcp.shared.inbound import InboundModernRoute


ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
"""Its presence in `_meta` marks a request of the stateless era."""


@dataclass(eq=False)
class Exchange(Followed):
    """A request, what its handler may ask of the wire, and what follows the answer."""

    request: WireRequest
    channel: Channel
    task: asyncio.Task[None] | None = None
    begun: bool = False
    counted: bool = False
    cancelled: bool = False
    actor: str | None = None
    """Nobody is named on a pipe: whoever started this process may use it."""
    route: InboundModernRoute | None = None
    """What the envelope of the stateless era says, where the transport has read it already."""

    def __post_init__(self) -> None:
        super().__init__()
        self.client: Hashable = id(self.channel)
        """What stays the same over the requests of one client."""
        self.stateless = has_envelope(self.request.params)
        request = self.request
        self.observed = Observation("stdio", request_id=request.id, request_bytes=request.size)


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

    def when_loaded(self, then: Callable[[], object]) -> None:
        """Do something once requests can be worked on: now, unless that has to be loaded first."""


def has_envelope(params: dict[str, Any] | None) -> bool:
    """Return whether params carry the per-request envelope of the stateless era."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, dict) and ENVELOPE_KEY in meta
