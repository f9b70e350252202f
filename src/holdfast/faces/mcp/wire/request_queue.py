"""The requests in flight and a bounded queue behind them.

Contract:
- A limited number of requests runs at once, the rest is parked in order, and each ends exactly once.
- A request counts towards the limit from its start until its answer is queued or it is cancelled.
- A parked or running request that is interrupted frees its place at once.
- Requests that last as long as the connection (`subscriptions/listen`) do not count and are never parked.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from holdfast.faces.mcp.wire.exchange import Engine, Exchange
from holdfast.faces.mcp.wire.messages import STOPPED, RequestId, WireError, WireRequest
from holdfast.kernel.limits import Limits

_LONG_LIVED_METHODS = frozenset({"subscriptions/listen"})


class RequestQueue:
    """The requests in flight, and a bounded queue of parked ones."""

    def __init__(
        self,
        engine: Engine,
        limits: Limits,
        conclude: Callable[[Exchange, Any], None],
        wait_for_earlier_answers: Callable[[], Awaitable[None]],
        reader_is_slow: Callable[[], bool],
        when_empty: Callable[[], None],
    ) -> None:
        """Call `wait_for_earlier_answers` before each start, so that a request sees earlier effects.

        While `reader_is_slow`, fewer requests run, because their results would only pile up.
        """
        self.engine = engine
        self._wait_for_earlier_answers = wait_for_earlier_answers
        self._reader_is_slow = reader_is_slow
        self._limits = limits
        self._conclude = conclude
        self._when_empty = when_empty
        self._open: dict[RequestId, Exchange] = {}
        self._parked: deque[Exchange] = deque()
        self._parked_bytes = 0
        self._running = 0

    @property
    def is_empty(self) -> bool:
        return not self._open

    def holds(self, identity: RequestId) -> bool:
        return identity in self._open

    def has_room_for(self, request: WireRequest) -> bool:
        if self._starts_at_once(request):
            return True
        fits = self._parked_bytes + request.size <= self._limits.parked_bytes
        return fits and len(self._parked) < self._limits.requests_parked

    def add(self, exchange: Exchange) -> None:
        self._open[exchange.request.id] = exchange
        if self._starts_at_once(exchange.request):
            self._start(exchange)
        else:
            self._parked.append(exchange)
            self._parked_bytes += exchange.request.size

    def cancel(self, identity: object) -> None:
        """Stop a request that its client has cancelled; it is never answered."""
        exchange = self._open.get(identity) if isinstance(identity, str | int) else None
        if exchange is not None and exchange.request.method != "initialize":
            exchange.cancelled = True
            self._interrupt(exchange)

    def interrupt_all(self) -> None:
        """Stop all requests; each is answered with an error."""
        for exchange in list(self._open.values()):
            self._interrupt(exchange)

    def _starts_at_once(self, request: WireRequest) -> bool:
        return self._running < self._max_running() or request.method in _LONG_LIVED_METHODS

    def _max_running(self) -> int:
        return self._limits.requests_unread if self._reader_is_slow() else self._limits.requests_in_flight

    def _start(self, exchange: Exchange) -> None:
        exchange.counted = exchange.request.method not in _LONG_LIVED_METHODS
        self._running += exchange.counted
        exchange.task = asyncio.get_running_loop().create_task(self._serve(exchange))

    async def _serve(self, exchange: Exchange) -> None:
        exchange.started = True
        try:
            await self._wait_for_earlier_answers()
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
        if not exchange.started:
            # A task that is cancelled before its first step never runs any of its code.
            self._end(exchange, STOPPED)

    def _end(self, exchange: Exchange, outcome: Any) -> None:
        del self._open[exchange.request.id]
        self._running -= exchange.counted
        self._conclude(exchange, outcome)
        while self._parked and self._running < self._max_running():
            following = self._parked.popleft()
            self._parked_bytes -= following.request.size
            self._start(following)
        if not self._open:
            self._when_empty()
