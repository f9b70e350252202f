"""One request as its handler sees it: its client, its exchange, and the messages sent while it runs."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types import LOG_LEVEL_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from holdfast.faces.mcp.handshake import UNNAMED_PROGRAM
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.wire.exchange import LOCAL_CALLER, Exchange
from holdfast.kernel.call import Level, Listed, Listener
from holdfast.kernel.text import one_line, shorten

Context = ServerRequestContext[Any, Any]

_PROGRESS_INTERVAL_SECONDS = 0.05
"""The minimum time between two progress reports. A judgement: nobody can follow more than twenty a second."""

_MAX_PROGRAM_NAME_CHARACTERS = 100
"""A judgement: far longer than names of programs, and below what every room accepts as an author."""

_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_SEVERITY: dict[str, int] = {level: rank for rank, level in enumerate(_LEVELS)}


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
        """The operation's own count when it last reported."""
        self._offset: float = 0
        """The progress that was reported before the operation started to count from zero again."""
        self._reported: float = -1
        """The progress that the client was last sent."""

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Report progress to a client that requested it, rate-limited and never decreasing."""
        now = time.monotonic()
        if done < self._done:
            self._offset = self._reported
        self._done = done
        progress = self._offset + done
        is_too_early = now < self._next_progress and done != total
        if not self._wants_progress or is_too_early or progress <= self._reported:
            return
        self._next_progress = now + _PROGRESS_INTERVAL_SECONDS
        self._reported = progress
        total_with_offset = None if total is None else self._offset + total
        self._send(self._ctx.session.report_progress(progress, total_with_offset, message))

    def log(self, level: Level, text: str) -> None:
        """Send a log message; in the stateless era, only if the request asks for this level."""
        if not self._wants_log(level):
            return
        params = types.LoggingMessageNotificationParams(level=level, logger="holdfast", data=text)
        message = types.LoggingMessageNotification(params=params)
        self._send(self._ctx.session.send_notification(message, related_request_id=self._ctx.request_id))

    def changed(self, listed: Listed) -> None:
        self._send(self._publisher.list_changed(listed, client_of(self._ctx), self._ctx.session))

    def _wants_log(self, level: Level) -> bool:
        if not is_stateless(self._ctx.protocol_version):
            return True
        wanted = (self._ctx.meta or {}).get(LOG_LEVEL_META_KEY)
        return isinstance(wanted, str) and _SEVERITY[level] >= _SEVERITY.get(wanted, len(_SEVERITY))

    def _send(self, sending: Any) -> None:
        asyncio.run_coroutine_threadsafe(sending, self._loop)


def exchange_of(ctx: Context) -> Exchange | None:
    """Return the exchange of a request, or None when there is no transport."""
    return ctx.request if isinstance(ctx.request, Exchange) else None


def client_of(ctx: Context) -> Any:
    """Return the identity of the client, the same for all its requests."""
    return ctx.request.client if isinstance(ctx.request, Exchange) else ""


def caller_of(ctx: Context) -> str:
    """Return whose request it is: credentials over HTTP, and on a pipe the user of this process."""
    exchange = exchange_of(ctx)
    return LOCAL_CALLER if exchange is None else exchange.caller


def program_name(ctx: Context) -> str:
    """Return the name of the client program, as it introduced itself."""
    introduction = ctx.session.client_params
    name = "" if introduction is None else one_line(introduction.client_info.name)
    return shorten(name, _MAX_PROGRAM_NAME_CHARACTERS) or UNNAMED_PROGRAM
