"""One connection: admits requests, runs them, answers each exactly once, and ends in order.

Contract:
- Reading never stops because requests are running: what exceeds the number in flight is parked, so a
  cancellation is always seen. Reading pauses only while the client does not take our answers.
- A request is in flight from its start until its answer is queued or it is cancelled. A parked or
  running request that is cancelled gives up its place at once and is never answered.
- An id that is still in use is refused; the request that owns it is not disturbed.
- After `stop`, running and parked requests are answered, new ones are refused, and what is not done
  in time is answered with an error.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic_core import PydanticSerializationError, to_json

from holdfast.faces.mcp.wire.bucket import TokenBucket
from holdfast.faces.mcp.wire.framing import LineReader, Overlong
from holdfast.faces.mcp.wire.lifecycle import ConnectionState, Event, InvalidTransition, Phase
from holdfast.faces.mcp.wire.messages import (
    Notification,
    Refused,
    Request,
    RequestId,
    Response,
    decode,
    overlong,
)
from holdfast.faces.mcp.wire.output import Output
from holdfast.kernel.codes import INTERNAL_ERROR, INVALID_REQUEST, RATE_LIMITED
from holdfast.kernel.errors import RateLimited
from holdfast.kernel.limits import Limits

ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
"""Its presence in `_meta` marks a request of the stateless era."""

_UNBOUNDED_METHODS = frozenset({"subscriptions/listen"})
_BEFORE_INITIALIZE = frozenset({"initialize", "ping"})
_GRACE_SECONDS = 1.0


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


@dataclass(eq=False)
class Exchange:
    """One request on its way: what the handler may ask of the wire, and what follows the answer."""

    request: Request
    session: Session
    settle: list[Callable[[bool], None]] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    cancelled: bool = False

    @property
    def stateless(self) -> bool:
        """Return whether the request carries the envelope of the stateless era."""
        return has_envelope(self.request.params)

    async def uncongested(self) -> None:
        """Wait until the client has taken enough of our earlier answers."""
        await self.session.output.uncongested()

    def settled(self, answered: bool) -> None:
        """Tell everybody who asked whether the answer was written."""
        callbacks, self.settle = self.settle, []
        for callback in callbacks:
            callback(answered)


class Engine(Protocol):
    """What turns a request into a result."""

    async def respond(self, exchange: Exchange) -> Any:
        """Return the result, or raise `WireError`."""

    def notified(self, notification: Notification) -> None:
        """Take note of a notification."""

    def stopping(self) -> None:
        """End what would otherwise never end by itself."""


class Session:
    """The state of one connection on a pair of byte streams."""

    def __init__(self, engine: Engine, output: Output, limits: Limits) -> None:
        self.engine = engine
        self.output = output
        self.limits = limits
        self.state = ConnectionState()
        self.finished = asyncio.Event()
        self._reader = LineReader(limits.request_bytes)
        self._bucket = TokenBucket(limits.request_burst, limits.requests_per_second)
        self._open: dict[RequestId, Exchange] = {}
        self._parked: deque[Exchange] = deque()
        self._parked_bytes = 0
        self._in_flight = 0
        self._stopping = False
        self._last: list[Exchange] = []
        self._asked = 0
        self._awaited: dict[RequestId, asyncio.Future[dict[str, Any]]] = {}
        output.on_broken = self.abort

    # Input

    def receive(self, data: bytes) -> None:
        """Take bytes as they arrived."""
        for line in self._reader.feed(data):
            if isinstance(line, Overlong):
                self._refuse(overlong(line.beginning, self.limits.request_bytes))
            elif line.strip():
                self._take(line)

    def end_of_input(self) -> None:
        """Serve what is left, then finish promptly: the client waits for us to go."""
        if rest := self._reader.finish().strip():
            self._take(rest)
        self.stop(self.limits.end_of_input_drain_seconds)

    def _take(self, line: bytes) -> None:
        match decode(line):
            case Request() as request:
                self._admit(Exchange(request, self))
            case Notification() as notification:
                self._notified(notification)
            case Response() as response:
                self._resolve(response)
            case Refused() as refused:
                self._refuse(refused)

    # Requests

    def _admit(self, exchange: Exchange) -> None:
        problem = self._problem(exchange)
        if problem is not None:
            self._answer_error(exchange.request.id, problem)
        elif exchange.request.method == "ping" and not exchange.stateless:
            self._send_result(exchange, {})
        elif exchange.request.method == "shutdown" and not exchange.stateless:
            self._shut_down(exchange)
        else:
            self._open[exchange.request.id] = exchange
            self._start_or_park(exchange)

    def _problem(self, exchange: Exchange) -> WireError | None:
        request = exchange.request
        if request.id in self._open:
            return _invalid(f"the id {request.id!r} is still in use", "duplicate_id")
        if (wait := self._bucket.wait_seconds()) > 0:
            return self._limited(exchange, "rate", wait)
        if self._stopping:
            return _invalid("the server is shutting down", "shutting_down")
        if not self._has_room_for(request):
            return self._limited(exchange, "max_concurrent_requests", 1.0)
        return None if exchange.stateless else self._handshake_problem(request)

    def _has_room_for(self, request: Request) -> bool:
        if self._in_flight < self.limits.requests_in_flight or request.method in _UNBOUNDED_METHODS:
            return True
        return (
            len(self._parked) < self.limits.requests_parked
            and self._parked_bytes + request.size <= self.limits.parked_bytes
        )

    def _handshake_problem(self, request: Request) -> WireError | None:
        try:
            if request.method == "initialize":
                self.state = self.state.after(Event.INITIALIZE)
            elif self.state.phase is Phase.UNINITIALIZED and request.method not in _BEFORE_INITIALIZE:
                return _invalid("the first request must be initialize", "not_initialized")
            elif self.state.phase is Phase.INITIALIZING and request.method != "ping":
                # Clients that send no `initialized` notification show by working that they are ready.
                self.state = self.state.after(Event.INITIALIZED)
        except InvalidTransition as failure:
            return _invalid(str(failure), "invalid_transition")
        return None

    def _limited(self, exchange: Exchange, reason: str, wait: float) -> WireError:
        code = RateLimited.number if exchange.stateless else RATE_LIMITED
        milliseconds = max(1, round(wait * 1000))
        data = {
            "type": RateLimited.kind,
            "reason": reason,
            "retryAfterMs": milliseconds,
            "retry_after_ms": milliseconds,
        }
        return WireError(code, f"Rate limit exceeded. Try again in {milliseconds} ms.", data)

    def _start_or_park(self, exchange: Exchange) -> None:
        if exchange.request.method in _UNBOUNDED_METHODS:
            self._run(exchange, self._ended_unbounded)
        elif self._in_flight < self.limits.requests_in_flight:
            self._start(exchange)
        else:
            self._parked.append(exchange)
            self._parked_bytes += exchange.request.size

    def _start(self, exchange: Exchange) -> None:
        self._in_flight += 1
        self._run(exchange, self._ended)

    def _run(self, exchange: Exchange, ended: Callable[[Exchange], None]) -> None:
        exchange.task = asyncio.get_running_loop().create_task(self._answer(exchange))
        # Not `finally` inside the task: a task that is cancelled before its first step never gets there.
        exchange.task.add_done_callback(lambda _: ended(exchange))

    def _ended(self, exchange: Exchange) -> None:
        self._in_flight -= 1
        self._start_parked()
        self._ended_unbounded(exchange)

    def _ended_unbounded(self, exchange: Exchange) -> None:
        if self._open.get(exchange.request.id) is exchange:
            self._conclude(exchange, _STOPPED)
        self._finish_when_drained()

    async def _answer(self, exchange: Exchange) -> None:
        try:
            result = await self.engine.respond(exchange)
        except WireError as failure:
            self._conclude(exchange, failure)
        except asyncio.CancelledError:
            self._conclude(exchange, _STOPPED)
        else:
            self._conclude(exchange, result)

    def _conclude(self, exchange: Exchange, outcome: Any) -> None:
        self._open.pop(exchange.request.id, None)
        if exchange.cancelled:
            exchange.settled(False)
        elif isinstance(outcome, WireError):
            exchange.settled(False)
            self._answer_error(exchange.request.id, outcome)
        else:
            self._send_result(exchange, outcome)

    def _start_parked(self) -> None:
        while self._parked and self._in_flight < self.limits.requests_in_flight:
            exchange = self._parked.popleft()
            self._parked_bytes -= exchange.request.size
            self._start(exchange)

    # Notifications and responses

    def _notified(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            self._cancel((notification.params or {}).get("requestId"))
            return
        if notification.method in {"notifications/initialized", "initialized"}:
            if self.state.phase is Phase.INITIALIZING:
                self.state = self.state.after(Event.INITIALIZED)
            notification = Notification("notifications/initialized", notification.params)
        self.engine.notified(notification)

    def _cancel(self, identity: object) -> None:
        exchange = self._open.get(identity) if isinstance(identity, str | int) else None
        if exchange is None or exchange.request.method == "initialize":
            return
        exchange.cancelled = True
        if exchange.task is not None:
            exchange.task.cancel()
            return
        self._parked.remove(exchange)
        self._parked_bytes -= exchange.request.size
        self._conclude(exchange, None)

    def _resolve(self, response: Response) -> None:
        future = self._awaited.pop(response.id, None)
        if future is None or future.done():
            return
        if response.error is not None:
            future.set_exception(
                WireError(
                    int(response.error.get("code", INTERNAL_ERROR)),
                    str(response.error.get("message", "")),
                    response.error.get("data"),
                )
            )
        else:
            future.set_result(response.result or {})

    async def ask(self, method: str, params: dict[str, Any] | None, seconds: float | None) -> dict[str, Any]:
        """Send the client a request of ours and return its result."""
        self._asked += 1
        identity = f"holdfast-{self._asked}"
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._awaited[identity] = future
        try:
            self._send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}})
            return await asyncio.wait_for(future, seconds)
        finally:
            self._awaited.pop(identity, None)

    def tell(self, method: str, params: dict[str, Any] | None) -> None:
        """Send the client a notification."""
        body = {"jsonrpc": "2.0", "method": method}
        self._send(body if params is None else body | {"params": params})

    # Output

    def _send_result(self, exchange: Exchange, result: Any) -> None:
        identity = exchange.request.id
        line = _encoded({"jsonrpc": "2.0", "id": identity, "result": result})
        if len(line) - 1 > self.limits.response_bytes:
            exchange.settled(False)
            self._answer_error(identity, _too_long(len(line) - 1, self.limits.response_bytes))
        elif exchange.settle:
            self.output.send(line, exchange.settled)
        else:
            self.output.send(line)

    def _answer_error(self, identity: RequestId | None, failure: WireError) -> None:
        self._send({"jsonrpc": "2.0", "id": identity, "error": failure.wire()})

    def _refuse(self, refused: Refused) -> None:
        self._answer_error(refused.id, WireError(refused.code, refused.message))

    def _send(self, message: dict[str, Any]) -> None:
        self.output.send(_encoded(message))

    # The end

    def _shut_down(self, exchange: Exchange) -> None:
        self._last.append(exchange)
        self.stop(self.limits.drain_seconds)

    def stop(self, seconds: float) -> None:
        """Take no more work; finish when what was taken is done, or when the time is up."""
        if self._stopping:
            return
        self._stopping = True
        self.state = ConnectionState(Phase.SHUTTING, graceful=True)
        self.engine.stopping()
        asyncio.get_running_loop().call_later(seconds, self.abort)
        self._finish_when_drained()

    def abort(self) -> None:
        """Cancel whatever still runs and finish."""
        self._stopping = True
        for exchange in list(self._parked):
            self._conclude(
                exchange, WireError(INTERNAL_ERROR, "The server stopped before this request began.")
            )
        self._parked.clear()
        for exchange in list(self._open.values()):
            if exchange.task is not None:
                exchange.task.cancel()
        self._finish()

    def _finish_when_drained(self) -> None:
        if self._stopping and not self._in_flight and not self._open:
            self._finish()

    async def closed(self) -> None:
        """Return when the connection has ended and its last answers were taken, or cannot be."""
        await self.finished.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.output.flushed(), _GRACE_SECONDS)
        self.output.close()

    def _finish(self) -> None:
        for exchange in self._last:
            self._send_result(exchange, None)
        self._last.clear()
        self.state = ConnectionState(Phase.CLOSED, graceful=self.state.graceful)
        self.finished.set()


_STOPPED = WireError(INTERNAL_ERROR, "The server stopped before this request was done.")


def has_envelope(params: dict[str, Any] | None) -> bool:
    """Return whether params carry the per-request envelope of the stateless era."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, dict) and ENVELOPE_KEY in meta


def _invalid(reason: str, kind: str) -> WireError:
    return WireError(INVALID_REQUEST, f"Invalid Request: {reason}.", {"type": kind})


def _too_long(size: int, limit: int) -> WireError:
    return WireError(
        INTERNAL_ERROR,
        f"The answer has {size} bytes; at most {limit} are sent. Narrow the request or ask for a page.",
        {"type": "response_too_large", "size": size, "limit": limit},
    )


def _encoded(message: dict[str, Any]) -> bytes:
    try:
        return to_json(message) + b"\n"
    except PydanticSerializationError:
        # Halves of surrogate pairs cannot be written as UTF-8; JSON escapes can carry them.
        import json

        return json.dumps(message, default=str).encode() + b"\n"
