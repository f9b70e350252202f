"""One request as its handler sees it: its client, its exchange, and messages to the client while it runs."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types import LOG_LEVEL_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.wire.exchange import Exchange
from holdfast.kernel.call import Level, Listed, Listener

Context = ServerRequestContext[Any, Any]

_PROGRESS_INTERVAL = 0.05
"""Twenty reports a second at most; a judgement: more cannot be seen."""
_SEVERITY: dict[str, int] = {
    name: rank
    for rank, name in enumerate(
        ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
    )
}


def is_stateless(protocol_version: str) -> bool:
    """Return whether a request of this revision belongs to the stateless era."""
    return protocol_version in MODERN_PROTOCOL_VERSIONS


class RequestListener(Listener):
    """Sends progress, log messages and list changes of a running operation to its client."""

    def __init__(self, ctx: Context, publisher: Publisher) -> None:
        self._ctx = ctx
        self._publisher = publisher
        self._loop = asyncio.get_running_loop()
        self._wants_progress = ctx.meta is not None and ctx.meta.get("progress_token") is not None
        self._next_progress = 0.0
        self._done: float = 0
        self._before: float = 0
        self._reported: float = -1

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Report progress to a client that requested it, rate-limited and never decreasing."""
        now = time.monotonic()
        if done < self._done:  # another count began; it continues from the reported value
            self._before = self._reported
        self._done = done
        so_far = self._before + done
        if (
            not self._wants_progress
            or (now < self._next_progress and done != total)
            or so_far <= self._reported
        ):
            return
        self._next_progress, self._reported = now + _PROGRESS_INTERVAL, so_far
        whole = None if total is None else self._before + total
        self._send(self._ctx.session.report_progress(so_far, whole, message))

    def log(self, level: Level, text: str) -> None:
        """Send a log message, in the stateless era only for a request that wants this level."""
        if not self._wants_log(level):
            return
        params = types.LoggingMessageNotificationParams(level=level, logger="holdfast", data=text)
        message = types.LoggingMessageNotification(params=params)
        self._send(self._ctx.session.send_notification(message, related_request_id=self._ctx.request_id))

    def changed(self, listed: Listed) -> None:
        """Notify every listening client that a list has changed."""
        self._send(self._publisher.list_changed(listed, client_of(self._ctx), self._ctx.session))

    def _wants_log(self, level: Level) -> bool:
        if not is_stateless(self._ctx.protocol_version):
            return True
        wanted = (self._ctx.meta or {}).get(LOG_LEVEL_META_KEY)
        return isinstance(wanted, str) and _SEVERITY[level] >= _SEVERITY.get(wanted, len(_SEVERITY))

    def _send(self, sending: Any) -> None:
        asyncio.run_coroutine_threadsafe(sending, self._loop)


def exchange_in(ctx: Context) -> Exchange | None:
    """Return the exchange of a request, which knows whether its answer was written."""
    return ctx.request if isinstance(ctx.request, Exchange) else None


def client_of(ctx: Context) -> Any:
    """Return the identity of the client, the same for all its requests."""
    return ctx.request.client if isinstance(ctx.request, Exchange) else ""
