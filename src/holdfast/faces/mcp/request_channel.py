"""The SDK's view of a request: its identity, and the way to send messages to its client."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import anyio
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext

from holdfast.faces.mcp.wire.exchange import Channel, Exchange
from holdfast.faces.mcp.wire.messages import RequestId, WireError

_TWO_WAY = TransportContext(kind="stdio", can_send_request=True)
_ONE_WAY = TransportContext(kind="stdio", can_send_request=False)


class RequestChannel:
    """The SDK's dispatcher interface for one request or, without an exchange, for a whole session."""

    def __init__(self, session: Channel, exchange: Exchange | None) -> None:
        self._session = session
        self._exchange = exchange
        self.message_metadata: MessageMetadata = ServerMessageMetadata(request_context=exchange)

    @property
    def transport(self) -> TransportContext:
        return _TWO_WAY if self.can_send_request else _ONE_WAY

    @property
    def can_send_request(self) -> bool:
        return self._exchange is None or not self._exchange.stateless

    @property
    def request_id(self) -> RequestId | None:
        return None if self._exchange is None else self._exchange.request.id

    @cached_property
    def cancel_requested(self) -> anyio.Event:
        return anyio.Event()

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        if not self.can_send_request:
            raise NoBackChannelError(method)
        try:
            return await self._session.send_request(method, dict(params or {}), (opts or {}).get("timeout"))
        except WireError as failure:
            raise MCPError(failure.code, failure.message, failure.data) from None

    async def notify(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,  # noqa: ARG002 - the SDK's signature; notifications have no options
    ) -> None:
        self._session.send_notification(method, None if params is None else dict(params))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        token = self._progress_token()
        if token is None:
            return
        values = {"progressToken": token, "progress": progress, "total": total, "message": message}
        self._session.send_notification(
            "notifications/progress", {name: value for name, value in values.items() if value is not None}
        )

    def _progress_token(self) -> RequestId | None:
        params = None if self._exchange is None else self._exchange.request.params
        meta = (params or {}).get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        return token if isinstance(token, str | int) and not isinstance(token, bool) else None
