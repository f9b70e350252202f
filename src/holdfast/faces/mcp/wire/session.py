"""One connection: admits requests, answers each exactly once, and ends in order.

Contract:
- Reading never stops because requests are running: requests above the limit are parked, so a cancellation is
  always read. Reading pauses only while the client does not read the answers.
- An id that is still in use is refused; the request that has it is not disturbed.
- After `stop`, running and parked requests are answered and new ones are refused. Requests that do not finish
  in time are answered with an error.
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import Any

from holdfast.faces.admission import RETRY_SECONDS, TokenBucket, rate_limited
from holdfast.faces.mcp.wire.connection_state import (
    ConnectionEvent,
    ConnectionState,
    InvalidTransition,
    Phase,
)
from holdfast.faces.mcp.wire.exchange import Engine, Exchange
from holdfast.faces.mcp.wire.line_reader import LineReader, Overlong
from holdfast.faces.mcp.wire.messages import (
    Notification,
    Refused,
    RequestId,
    Response,
    WireError,
    WireRequest,
    decode,
    encode,
    encode_result,
    invalid_request,
    notification,
    refuse_overlong,
    response_too_large,
)
from holdfast.faces.mcp.wire.outstanding_requests import OutstandingRequests
from holdfast.faces.mcp.wire.request_queue import RequestQueue
from holdfast.faces.mcp.wire.streams import OutputStream
from holdfast.faces.settlements import Settlements
from holdfast.kernel.codes import RATE_LIMITED
from holdfast.kernel.errors import Cancelled
from holdfast.kernel.limits import Limits

_ONLY_CLIENT = ""
"""The key of the client whose next request waits for settlements: a pipe has one client."""
_GRACE_SECONDS = 1.0
"""How long a session that ends waits for cancelled requests and for the last writes. A judgement: both take
milliseconds unless the client hangs, and a user who stops a server should not have to wait."""


class WireSession:
    """One connection on a pair of byte streams: its lifecycle state, its requests and its output."""

    def __init__(self, engine: Engine, output: OutputStream, limits: Limits) -> None:
        self.output = output
        self.state = ConnectionState()
        self._engine = engine
        self._limits = limits
        self._reader = LineReader(limits.request_bytes)
        self._bucket = TokenBucket(limits.request_burst, limits.requests_per_second)
        self._settlements = Settlements()
        self._requests = RequestQueue(
            engine,
            limits,
            conclude=self._conclude,
            wait_for_earlier_answers=self._settlements.wait_for_all,
            reader_is_slow=lambda: output.is_slow,
            when_empty=self._finish_when_drained,
        )
        self._outstanding = OutstandingRequests()
        self._stopping = False
        self._shutdown_requests: list[Exchange] = []
        """Requests to shut down, which are answered after all others."""
        self._finished = asyncio.Event()
        output.on_broken = self.abort

    def use_engine(self, engine: Engine) -> None:
        self._engine = self._requests.engine = engine

    # Input

    def receive(self, data: bytes) -> None:
        for line in self._reader.feed(data):
            if isinstance(line, Overlong):
                self._refuse(refuse_overlong(line.prefix, self._limits.request_bytes))
            elif line.strip():
                self._process(line)

    def end_of_input(self) -> None:
        """Serve the remaining input, then finish promptly: the client waits for the process to end."""
        if rest := self._reader.finish().strip():
            self._process(rest)
        self.stop(self._limits.drain_seconds)
        # A slow start must not cost an answer, so the time counts from when everything is loaded.
        seconds = self._limits.end_of_input_drain_seconds
        self._engine.when_loaded(partial(asyncio.get_running_loop().call_later, seconds, self.abort))

    def _process(self, line: bytes) -> None:
        match decode(line):
            case WireRequest() as request:
                self._admit(Exchange(request, self))
            case Notification() as message:
                self._handle_notification(message)
            case Response() as response:
                self._outstanding.resolve(response)
            case Refused() as refused:
                self._refuse(refused)

    def _admit(self, exchange: Exchange) -> None:
        problem = self._check_admission(exchange)
        if problem is not None:
            self._refuse_exchange(exchange, problem)
        elif exchange.request.method == "ping" and not exchange.stateless:
            exchange.observed.method = "ping"
            self._answer(exchange, {})
        elif exchange.request.method == "shutdown" and not exchange.stateless:
            self._shutdown_requests.append(exchange)
            self.stop(self._limits.drain_seconds)
        else:
            self._requests.add(exchange)

    def _check_admission(self, exchange: Exchange) -> WireError | None:
        """Return the reason to refuse a request, or None if it is admitted.

        The check takes a token of the rate limit and may advance the connection's phase.
        """
        request = exchange.request
        if self._requests.holds(request.id):
            return invalid_request(f"the id {request.id!r} is still in use", "duplicate_id")
        if (wait := self._bucket.wait_seconds()) > 0:
            return _rate_limit_error(exchange, "rate", wait)
        if self._stopping:
            return invalid_request("the server is shutting down", "shutting_down")
        if not self._requests.has_room_for(request):
            return _rate_limit_error(exchange, "max_concurrent_requests", RETRY_SECONDS)
        return None if exchange.stateless else self._advance_phase(request.method)

    def _advance_phase(self, method: str) -> WireError | None:
        """Advance the connection's phase, or return the reason why a method is not allowed in it."""
        if method == "ping":
            return None
        try:
            if method == "initialize":
                self.state = self.state.after(ConnectionEvent.INITIALIZE)
            elif self.state.phase is Phase.UNINITIALIZED:
                return invalid_request("the first request must be initialize", "not_initialized")
            elif self.state.phase is Phase.INITIALIZING:
                # Some clients send no `initialized`; their first request shows that they are ready.
                self.state = self.state.after(ConnectionEvent.INITIALIZED)
        except InvalidTransition as failure:
            return invalid_request(str(failure), "invalid_transition")
        return None

    def _handle_notification(self, message: Notification) -> None:
        if message.method == "notifications/cancelled":
            self._requests.cancel((message.params or {}).get("requestId"))
            return
        if message.method in {"notifications/initialized", "initialized"}:
            with contextlib.suppress(InvalidTransition):  # the first request has shown it already
                self.state = self.state.after(ConnectionEvent.INITIALIZED)
            message = Notification("notifications/initialized", message.params)
        self._engine.handle_notification(message)

    # Output

    async def send_request(
        self, method: str, params: dict[str, Any] | None, seconds: float | None
    ) -> dict[str, Any]:
        return await self._outstanding.send_request(method, params, seconds, self._send)

    async def wait_uncongested(self) -> None:
        await self.output.wait_uncongested()

    def send_notification(self, method: str, params: dict[str, Any] | None) -> None:
        self._send(notification(method, params))

    def _conclude(self, exchange: Exchange, outcome: Any) -> None:
        """Answer a request with its result or its `WireError`, or not at all if its client cancelled it."""
        if exchange.cancelled:
            self._settle(exchange, answered=False)
            exchange.observed.conclude(failure=Cancelled.kind)
        elif isinstance(outcome, WireError):
            self._settle(exchange, answered=False)
            self._refuse_exchange(exchange, outcome)
        else:
            self._answer(exchange, outcome)

    def _answer(self, exchange: Exchange, result: Any) -> None:
        body = encode_result(exchange.request.id, result)
        if len(body) > self._limits.response_bytes:
            self._settle(exchange, answered=False)
            self._refuse_exchange(exchange, response_too_large(len(body), self._limits.response_bytes))
            return
        line = body + b"\n"
        if exchange.calls:
            self.output.send(line, lambda written: self._settle(exchange, answered=written))
        else:
            self.output.send(line)
        exchange.observed.conclude(len(line))

    def _settle(self, exchange: Exchange, *, answered: bool) -> None:
        self._settlements.settle(_ONLY_CLIENT, exchange, answered=answered)

    def _refuse_exchange(self, exchange: Exchange, failure: WireError) -> None:
        self._answer_error(exchange.request.id, failure)
        # The kind of an operation's failure is more specific than its number in the protocol.
        exchange.observed.conclude(failure=exchange.observed.failure or failure.kind)

    def _answer_error(self, identity: RequestId | None, failure: WireError) -> None:
        self._send({"jsonrpc": "2.0", "id": identity, "error": failure.wire()})

    def _refuse(self, refused: Refused) -> None:
        self._answer_error(refused.id, WireError(refused.code, refused.message))

    def _send(self, message: dict[str, Any]) -> None:
        self.output.send(encode(message) + b"\n")

    # The end

    def stop(self, seconds: float) -> None:
        """Accept no more requests; finish when the accepted ones are done, or after `seconds`."""
        if self._stopping:
            return
        self._stopping = True
        self.state = ConnectionState(Phase.SHUTTING, graceful=True)
        self._engine.end_streams()
        asyncio.get_running_loop().call_later(seconds, self.abort)
        self._finish_when_drained()

    def abort(self) -> None:
        """End soon: answer open requests with an error, and finish when they have stopped or time is up."""
        if self._finished.is_set():
            return
        self._stopping = True
        self.state = self.state.after(ConnectionEvent.ERROR)
        self._requests.interrupt_all()
        asyncio.get_running_loop().call_later(_GRACE_SECONDS, self._finish)
        self._finish_when_drained()

    async def wait_closed(self) -> None:
        """Wait until the connection has ended and its last answers were read or can no longer be."""
        await self._finished.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.output.wait_flushed(), _GRACE_SECONDS)
        self.output.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settlements.wait_for_all(), _GRACE_SECONDS)

    def _finish_when_drained(self) -> None:
        if self._stopping and self._requests.is_empty:
            self._finish()

    def _finish(self) -> None:
        """End the session once: answer the requests to shut down, and release `wait_closed`."""
        if self._finished.is_set():
            return
        for exchange in self._shutdown_requests:
            self._answer(exchange, None)
        self.state = self.state.after(ConnectionEvent.DRAINED)
        self._finished.set()


def _rate_limit_error(exchange: Exchange, reason: str, wait_seconds: float) -> WireError:
    error = rate_limited(reason, wait_seconds)
    code = error.number if exchange.stateless else RATE_LIMITED
    return WireError(code, error.sentence(), {"type": error.kind} | error.data)
