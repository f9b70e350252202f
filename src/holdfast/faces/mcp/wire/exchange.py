"""A request until it is answered, and the interfaces of the connection and the engine that serve it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.faces.mcp.wire.messages import Notification, WireRequest
from holdfast.faces.observation import Observation
from holdfast.faces.settlements import Settleable

if TYPE_CHECKING:
    from mcp.shared.inbound import InboundModernRoute


ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
"""Its presence in `_meta` marks a request of the stateless era."""

LOCAL_CALLER = "local"


@dataclass(eq=False)
class Exchange(Settleable):
    """A request, the connection it came on, and the calls to settle after its answer."""

    request: WireRequest
    channel: Channel
    task: asyncio.Task[None] | None = None
    started: bool = False
    """Whether the task has run its first step."""
    counted: bool = False
    """Whether the running request counts towards the limit."""
    cancelled: bool = False
    actor: str | None = None
    """The authenticated caller; None on a pipe, which belongs to the user of this process."""
    caller: str = LOCAL_CALLER
    """Whose request it is: the key of the credentials, or the user of this process."""
    route: InboundModernRoute | None = None
    """The parsed envelope of the stateless era, if the transport has read it already."""

    def __post_init__(self) -> None:
        super().__init__()
        self.client: Hashable = id(self.channel)
        """The identity of the client, the same for all its requests."""
        self.stateless = has_envelope(self.request.params)
        request = self.request
        self.observed = Observation("stdio", request_id=request.id, request_bytes=request.size)


class Channel(Protocol):
    """The connection as handlers see it."""

    async def wait_uncongested(self) -> None:
        """Wait until the client has read enough of what was sent."""

    def send_notification(self, method: str, params: dict[str, Any] | None) -> None:
        """Send the client a notification."""

    async def send_request(
        self, method: str, params: dict[str, Any] | None, seconds: float | None
    ) -> dict[str, Any]:
        """Send the client a request and return its result."""


class Engine(Protocol):
    """Answers requests."""

    async def respond(self, exchange: Exchange) -> Any:
        """Return the result, or raise `WireError`."""

    def handle_notification(self, notification: Notification) -> None:
        """Process a notification."""

    def end_streams(self) -> None:
        """End the streams that stay open while a client listens."""

    def when_loaded(self, then: Callable[[], object]) -> None:
        """Call `then` once requests can be answered: at once, unless code has to be loaded first."""


def has_envelope(params: dict[str, Any] | None) -> bool:
    """Return whether params carry the per-request envelope of the stateless era."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, dict) and ENVELOPE_KEY in meta
