"""The SDK's request kernel, driven by our own connection.

The SDK decides what a method means in each protocol revision; the connection decides when it runs.
Requests that carry the stateless envelope and requests of the handshake era may share a connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import anyio
from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.runner import ServerRunner, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from pydantic import ValidationError
from pydantic_core import to_json

from holdfast.faces.mcp.server import CACHED_LISTS, ProtocolServer, ServerSource, outline
from holdfast.faces.mcp.wire.exchange import Channel, Exchange
from holdfast.faces.mcp.wire.messages import Notification, Prepared, Request, RequestId, WireError
from holdfast.kernel.codes import INTERNAL_ERROR, METHOD_NOT_FOUND
from holdfast.kernel.dispatch import unforeseen
from holdfast.kernel.errors import HoldfastError

_DUPLEX = TransportContext(kind="stdio", can_send_request=True)
_ONE_WAY = TransportContext(kind="stdio", can_send_request=False)
_LOAD_AFTER_SECONDS = 0.02
_UNNAMED_CLIENT = {"name": "unknown", "version": "unknown"}


class SdkEngine:
    """Serves the exchanges of one session with the SDK."""

    def __init__(self, source: ServerSource) -> None:
        self._source = source
        self._server = source if isinstance(source, ProtocolServer) else None
        self._loading: asyncio.Task[ProtocolServer] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def attach(self, session: Channel) -> None:
        """Use this session for whatever is sent outside of an answer."""
        self._channel = RequestChannel(session, None)
        self._one_way = NotifyOnlyOutbound(self._channel)
        server = outline(self._source.profile) if self._server is None else self._server.sdk
        self._runner: ServerRunner[Any] = ServerRunner(
            server,
            Connection.for_loop(self._channel),
            {},
            init_options=server.create_initialization_options(),
        )

    async def _ready(self) -> ProtocolServer:
        """Return the whole server, loaded beside the event loop when it is first needed."""
        if self._server is None:
            if self._loading is None:
                self._loading = asyncio.create_task(asyncio.to_thread(self._source.loaded))
            loading = self._loading
            try:
                # Several requests wait for one load, and none of them may cancel it for the others.
                self._server = await asyncio.shield(loading)
            except Exception:
                # What was in the way may be gone when the next one asks.
                self._loading = None if self._loading is loading else self._loading
                raise
            self._runner.server = self._server.sdk
        return self._server

    async def respond(self, exchange: Exchange) -> Any:
        """Return the result of a request, or raise the error to be sent."""
        key = self._list_key(exchange)
        if key is not None and self._server is not None and key in self._server.prepared_lists:
            return self._server.prepared_lists[key]
        result = await self._respond(exchange)
        if key is None or self._server is None:
            return result
        prepared = self._server.prepared_lists[key] = Prepared(to_json(result))
        return prepared

    async def _respond(self, exchange: Exchange) -> Any:
        try:
            if exchange.stateless:
                return await self._respond_stateless(exchange, await self._ready())
            if exchange.request.method == "initialize":
                self._keep(asyncio.get_running_loop().create_task(self._load_soon()))
            else:
                await self._ready()
            params = self._handshake_params(exchange)
            channel = RequestChannel(exchange.channel, exchange)
            return await self._runner.on_request(channel, exchange.request.method, params)
        except MCPError as failure:
            raise WireError(failure.error.code, failure.error.message, failure.error.data) from None
        except ValidationError as failure:
            raise self._refusal(await self._ready(), exchange.request, _where(failure)) from None
        except WireError:
            raise
        except Exception as failure:
            error = failure if isinstance(failure, HoldfastError) else unforeseen(failure)
            raise WireError(INTERNAL_ERROR, error.sentence(), {"type": error.kind} | error.data) from None

    async def _load_soon(self) -> None:
        # The handshake's own answer comes first.
        await asyncio.sleep(_LOAD_AFTER_SECONDS)
        await self._ready()

    def _refusal(self, server: ProtocolServer, request: Request, problem: str) -> WireError:
        """Return the answer to parameters that are not what the method takes, if it is offered at all."""
        if request.method != "initialize" and server.sdk.get_request_handler(request.method) is None:
            return WireError(METHOD_NOT_FOUND, "Method not found", request.method)
        error = server.handlers.undecodable(request.method, request.params, problem).error
        return WireError(error.code, error.message, error.data)

    def notified(self, notification: Notification) -> None:
        """Hand a notification to the SDK."""
        self._keep(asyncio.get_running_loop().create_task(self._notify(notification)))

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # What failed to load is told to whoever asks for something.
            task.exception()

    async def _notify(self, notification: Notification) -> None:
        await self._runner.on_notify(self._channel, notification.method, notification.params)

    def stopping(self) -> None:
        """End the streams that would never end by themselves."""
        if self._server is not None:
            self._server.stopping()

    @property
    def protocol_version(self) -> str:
        """Return the handshake revision that was agreed on."""
        return self._runner.connection.protocol_version

    def release(self) -> None:
        """End what still runs for this session; the server goes on for others."""
        for task in self._tasks:
            task.cancel()

    def close(self) -> None:
        """Stop watching for changes."""
        if self._server is not None:
            self._server.close()

    def _list_key(self, exchange: Exchange) -> tuple[str, str, str | None] | None:
        """Return what a list depends on, or None when the answer has to be made anew."""
        request = exchange.request
        cursor = (request.params or {}).get("cursor")
        if request.method not in CACHED_LISTS or not isinstance(cursor, str | None) or exchange.stateless:
            return None
        return request.method, self._runner.connection.protocol_version, cursor

    def _handshake_params(self, exchange: Exchange) -> Mapping[str, Any] | None:
        request = exchange.request
        if request.method != "initialize":
            return request.params
        # Specifications show an `initialize` without client info, which the SDK refuses.
        params = {"clientInfo": _UNNAMED_CLIENT, "capabilities": {}} | (request.params or {})
        pinned = self._source.profile.protocol_version
        return params if pinned is None else params | {"protocolVersion": pinned}

    async def _respond_stateless(self, exchange: Exchange, server: ProtocolServer) -> Any:
        request = exchange.request
        route = exchange.route or classify_inbound_request(
            {"method": request.method, "params": request.params}
        )
        if isinstance(route, InboundLadderRejection):
            raise WireError(route.code, route.message, route.data)
        connection = Connection.from_envelope(
            route.protocol_version, route.client_info, route.client_capabilities, outbound=self._one_way
        )
        return await serve_one(
            server.sdk,
            RequestChannel(exchange.channel, exchange),
            request.method,
            request.params,
            connection=connection,
            lifespan_state={},
        )


class RequestChannel:
    """What the SDK knows of a request, and how it talks back while serving it."""

    def __init__(self, session: Channel, exchange: Exchange | None) -> None:
        self._session = session
        self._exchange = exchange
        self.message_metadata: MessageMetadata = ServerMessageMetadata(request_context=exchange)

    @property
    def transport(self) -> TransportContext:
        return _DUPLEX if self.can_send_request else _ONE_WAY

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
            return await self._session.ask(method, dict(params or {}), (opts or {}).get("timeout"))
        except WireError as failure:
            raise MCPError(failure.code, failure.message, failure.data) from None

    async def notify(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,  # noqa: ARG002 - the SDK's signature; a notification has no options here
    ) -> None:
        self._session.tell(method, None if params is None else dict(params))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        token = self._progress_token()
        if token is None:
            return
        values = {"progressToken": token, "progress": progress, "total": total, "message": message}
        self._session.tell(
            "notifications/progress", {name: value for name, value in values.items() if value is not None}
        )

    def _progress_token(self) -> RequestId | None:
        params = None if self._exchange is None else self._exchange.request.params
        meta = (params or {}).get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        return token if isinstance(token, str | int) and not isinstance(token, bool) else None


def _where(failure: ValidationError) -> str:
    problems = [
        f"{'.'.join(str(part) for part in error['loc'])}: {error['msg'].lower()}"
        for error in failure.errors()[:3]
    ]
    return "; ".join(problems)
