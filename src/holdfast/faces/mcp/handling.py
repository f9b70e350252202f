"""What every handler needs: a call for the request, a worker for it, and its failures in the right words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import LOG_LEVEL_META_KEY

from holdfast.faces.mcp.failures import is_stateless, request_failure
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.questioner import ReplayingAsker, asker_for
from holdfast.faces.mcp.wire.exchange import Exchange
from holdfast.kernel.call import Call, Level, Listed, Listener
from holdfast.kernel.codes import PROTOCOL
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.operation import Operation
from holdfast.kernel.questions import Asker

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")

_PROGRESS_INTERVAL = 0.05
_SEVERITY: dict[str, int] = {
    name: rank
    for rank, name in enumerate(
        ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
    )
}


class Handling:
    """Runs the work of a request aside and settles it when the answer is out."""

    def __init__(self, dispatcher: Dispatcher, profile: Profile, publisher: Publisher) -> None:
        self.dispatcher = dispatcher
        self.registry = dispatcher.registry
        self.publisher = publisher
        self.family = profile.family or PROTOCOL
        self.errors_as_results = profile.errors_as_results

    def new_call(self, ctx: Context, operation: Operation | None = None, asker: Asker | None = None) -> Call:
        """Return a call that talks to the client of this request."""
        exchange = exchange_in(ctx)
        return self.dispatcher.new_call(
            operation,
            listener=RequestListener(ctx, self.publisher),
            asker=asker,
            actor=exchange and exchange.actor,
        )

    def asker(self, ctx: Context, params: types.InputResponseRequestParams) -> Asker:
        """Return what carries an operation's questions to this client."""
        return asker_for(ctx, params, stateless=is_stateless(ctx.protocol_version))

    async def aside(self, ctx: Context, work: Callable[[], Result], call: Call) -> Result:
        """Run `work` in a worker and wait until its result may be sent."""
        exchange = exchange_in(ctx)
        if exchange is not None:
            exchange.follow(call)
        result = await self.dispatcher.run_aside(work, call)
        if exchange is not None:
            await exchange.uncongested()
        else:
            # Within one process there is no wire on which an answer could be lost.
            call.settle(answered=True)
        return result

    async def follow_lists(self, ctx: Context) -> None:
        """Tell a client of the handshake era from now on when it would list other resources."""
        if not is_stateless(ctx.protocol_version):
            await self.publisher.follow_lists(client_of(ctx), ctx.session)

    def failure(self, ctx: Context, error: HoldfastError, family: str | None = None) -> MCPError:
        """Return a failure outside of tools as the protocol's error, in the codes of a family."""
        return request_failure(error, family or self.family, ctx.protocol_version)


class RequestListener(Listener):
    """Passes on what a running operation says, from its thread to the client's connection."""

    def __init__(self, ctx: Context, publisher: Publisher) -> None:
        self._ctx = ctx
        self._publisher = publisher
        self._loop = asyncio.get_running_loop()
        self._wants_progress = ctx.meta is not None and ctx.meta.get("progress_token") is not None
        self._next_progress = 0.0

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Report progress to a client that asked for it, not too often."""
        now = time.monotonic()
        if not self._wants_progress or (now < self._next_progress and done != total):
            return
        self._next_progress = now + _PROGRESS_INTERVAL
        self._send(self._ctx.session.report_progress(done, total, message))

    def log(self, level: Level, text: str) -> None:
        """Send a log message, in the stateless era only to a request that asked for this level."""
        if not self._wants_log(level):
            return
        params = types.LoggingMessageNotificationParams(level=level, logger="holdfast", data=text)
        message = types.LoggingMessageNotification(params=params)
        self._send(self._ctx.session.send_notification(message, related_request_id=self._ctx.request_id))

    def changed(self, listed: Listed) -> None:
        """Tell every listening client that a list has changed."""
        self._send(self._publisher.list_changed(listed, client_of(self._ctx), self._ctx.session))

    def _wants_log(self, level: Level) -> bool:
        if not is_stateless(self._ctx.protocol_version):
            return True
        wanted = (self._ctx.meta or {}).get(LOG_LEVEL_META_KEY)
        return isinstance(wanted, str) and _SEVERITY[level] >= _SEVERITY.get(wanted, len(_SEVERITY))

    def _send(self, sending: Any) -> None:
        asyncio.run_coroutine_threadsafe(sending, self._loop)


def questions_left(asker: Asker, error: HoldfastError) -> types.InputRequiredResult | None:
    """Return the result that asks the client, when that is why the work stopped."""
    from holdfast.kernel.questions import InputRequired

    if isinstance(error, InputRequired) and isinstance(asker, ReplayingAsker):
        return asker.required(error)
    return None


def exchange_in(ctx: Context) -> Exchange | None:
    """Return the exchange that will tell the fate of the answer, over a pipe or over HTTP."""
    return ctx.request if isinstance(ctx.request, Exchange) else None


def client_of(ctx: Context) -> Any:
    """Return what stays the same over the requests of one client."""
    return ctx.request.client if isinstance(ctx.request, Exchange) else ""
