"""Requests on their way to their answers: each one, those in flight, and those of ours to the client.

Contract of the flight:
- So many run at once, the rest is parked in order, each ends exactly once.
- A request counts from its start until its answer is queued or it is cancelled.
- A parked or running request that is interrupted gives up its place at once.
- Requests that last as long as the connection (listening) neither count nor wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.faces.clients import Followed
from holdfast.faces.mcp.wire.messages import STOPPED, Notification, Request, RequestId, Response, WireError
from holdfast.faces.observation import Observation
from holdfast.kernel.codes import INTERNAL_ERROR
from holdfast.kernel.limits import Limits

if TYPE_CHECKING:
    from mcp.shared.inbound import InboundModernRoute


ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
"""Its presence in `_meta` marks a request of the stateless era."""


@dataclass(eq=False)
class Exchange(Followed):
    """A request, what its handler may ask of the wire, and what follows the answer."""

    request: Request
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


_LASTING_METHODS = frozenset({"subscriptions/listen"})


class RequestQueue:
    """The requests in flight, a bounded queue behind them, and what is done with each outcome."""

    def __init__(
        self,
        engine: Engine,
        limits: Limits,
        conclude: Callable[[Exchange, Any], None],
        earlier_ones: Callable[[], Awaitable[None]],
        reader_is_slow: Callable[[], bool],
    ) -> None:
        """Wait for `earlier_ones` before each start: a client sees the effect of what it was answered.

        While `reader_is_slow` fewer requests run, because their results only pile up.
        """
        self.engine = engine
        self._earlier_ones = earlier_ones
        self._reader_is_slow = reader_is_slow
        self._limits = limits
        self._conclude = conclude
        self._open: dict[RequestId, Exchange] = {}
        self._parked: deque[Exchange] = deque()
        self._parked_bytes = 0
        self._running = 0
        self.when_empty: Callable[[], None] = lambda: None

    @property
    def is_empty(self) -> bool:
        """Return whether nothing runs and nothing waits."""
        return not self._open

    def holds(self, identity: RequestId) -> bool:
        """Return whether a request with this id is running or parked."""
        return identity in self._open

    def has_room_for(self, request: Request) -> bool:
        """Return whether the request can be started or parked."""
        if self._starts_at_once(request):
            return True
        fits = self._parked_bytes + request.size <= self._limits.parked_bytes
        return fits and len(self._parked) < self._limits.requests_parked

    def add(self, exchange: Exchange) -> None:
        """Start the exchange, or park it until there is a place."""
        self._open[exchange.request.id] = exchange
        if self._starts_at_once(exchange.request):
            self._start(exchange)
        else:
            self._parked.append(exchange)
            self._parked_bytes += exchange.request.size

    def cancel(self, identity: object) -> None:
        """Stop a request whose client no longer waits; it is never answered."""
        exchange = self._open.get(identity) if isinstance(identity, str | int) else None
        if exchange is not None and exchange.request.method != "initialize":
            exchange.cancelled = True
            self._interrupt(exchange)

    def interrupt_all(self) -> None:
        """Stop everything; each request is answered with an error."""
        for exchange in list(self._open.values()):
            self._interrupt(exchange)

    def _starts_at_once(self, request: Request) -> bool:
        return self._running < self._most() or request.method in _LASTING_METHODS

    def _most(self) -> int:
        return self._limits.requests_unread if self._reader_is_slow() else self._limits.requests_in_flight

    def _start(self, exchange: Exchange) -> None:
        exchange.counted = exchange.request.method not in _LASTING_METHODS
        self._running += exchange.counted
        exchange.task = asyncio.get_running_loop().create_task(self._serve(exchange))

    async def _serve(self, exchange: Exchange) -> None:
        exchange.begun = True
        try:
            await self._earlier_ones()
            outcome = await self.engine.respond(exchange)
        except WireError as failure:
            outcome = failure
        except asyncio.CancelledError:
            outcome = STOPPED
        self._end(exchange, outcome)

    def _interrupt(self, exchange: Exchange) -> None:
        if exchange.task is None:
            self._parked.remove(exchange)
            self._parked_bytes -= exchange.request.size
            self._end(exchange, STOPPED)
            return
        exchange.task.cancel()
        if not exchange.begun:
            # A task that is cancelled before its first step never runs any of its code.
            self._end(exchange, STOPPED)

    def _end(self, exchange: Exchange, outcome: Any) -> None:
        del self._open[exchange.request.id]
        self._running -= exchange.counted
        self._conclude(exchange, outcome)
        while self._parked and self._running < self._most():
            following = self._parked.popleft()
            self._parked_bytes -= following.request.size
            self._start(following)
        if not self._open:
            self.when_empty()


class OpenQuestions:
    """Numbers our requests and brings each answer to whoever waits for it."""

    def __init__(self) -> None:
        self._awaited: dict[RequestId, asyncio.Future[dict[str, Any]]] = {}
        self._asked = 0

    async def ask(
        self,
        method: str,
        params: dict[str, Any] | None,
        seconds: float | None,
        send: Callable[[dict[str, Any]], None],
    ) -> dict[str, Any]:
        """Send a request and return its result; raise the client's error as a `WireError`."""
        self._asked += 1
        identity = f"holdfast-{self._asked}"
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._awaited[identity] = future
        try:
            send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}})
            return await asyncio.wait_for(future, seconds)
        finally:
            self._awaited.pop(identity, None)

    def resolve(self, response: Response) -> None:
        """Take a client's answer; one that nobody waits for is dropped."""
        future = self._awaited.pop(response.id, None)
        if future is None or future.done():
            return
        if response.error is None:
            future.set_result(response.result or {})
            return
        code, message = response.error.get("code"), response.error.get("message")
        code = code if isinstance(code, int) else INTERNAL_ERROR
        future.set_exception(WireError(code, str(message), response.error.get("data")))

    def give_up(self, reason: WireError) -> None:
        """Tell everybody who waits that no answer will come."""
        for future in self._awaited.values():
            if not future.done():
                future.set_exception(reason)
