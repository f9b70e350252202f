"""Answers the requests of a connection with the SDK.

The SDK implements the methods of each protocol revision; the connection decides when a request runs.
Requests that carry the stateless envelope and requests of the handshake era may share a connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.runner import ServerRunner, serve_one
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp_types import CLIENT_INFO_META_KEY
from pydantic import ValidationError

from holdfast.faces.mcp.extensions.apps import supports_apps
from holdfast.faces.mcp.handshake import handshake_params, internal_error
from holdfast.faces.mcp.request_channel import RequestChannel
from holdfast.faces.mcp.server import CACHED_LISTS, ListKey, ProtocolServer
from holdfast.faces.mcp.wire.exchange import Channel, Exchange
from holdfast.faces.mcp.wire.messages import Notification, Prepared, WireError, WireRequest, encode
from holdfast.faces.tracing import request_span
from holdfast.kernel.codes import METHOD_NOT_FOUND

_MAX_PROBLEMS_REPORTED = 3
"""For one request with invalid parameters. A judgement: enough to correct a request, in one line."""


class SdkEngine:
    """Serves the exchanges of one session with the SDK."""

    def __init__(self, server: ProtocolServer) -> None:
        self._server = server
        self._tasks: set[asyncio.Task[Any]] = set()

    def attach(self, session: Channel) -> None:
        """Send messages that belong to no answer through this session."""
        self._channel = RequestChannel(session, None)
        self._notify_only = NotifyOnlyOutbound(self._channel)
        self._runner: ServerRunner[Any] = ServerRunner(
            self._server.sdk,
            Connection.for_loop(self._channel),
            {},
            init_options=self._server.sdk.create_initialization_options(),
        )

    async def respond(self, exchange: Exchange) -> Any:
        """Return the result of a request, or raise the `WireError` to be sent."""
        self._observe(exchange)
        with request_span(exchange.observed):
            key = self._list_key(exchange)
            if key is None:
                return await self._respond(exchange)
            lists = self._server.prepared_lists
            if key not in lists:
                lists[key] = Prepared(encode(await self._respond(exchange)))
            return lists[key]

    async def _respond(self, exchange: Exchange) -> Any:
        try:
            if exchange.stateless:
                return await self._respond_stateless(exchange)
            method, params = exchange.request.method, exchange.request.params
            if method == "initialize":
                params = handshake_params(self._server.profile, params)
            return await self._runner.on_request(RequestChannel(exchange.channel, exchange), method, params)
        except MCPError as failure:
            raise WireError(failure.error.code, failure.error.message, failure.error.data) from None
        except ValidationError as failure:
            raise self._refusal(exchange.request, _describe(failure)) from None
        except Exception as failure:
            raise internal_error(failure) from None

    def _observe(self, exchange: Exchange) -> None:
        """Record the method, if it exists, and the name of the client program."""
        request, observed = exchange.request, exchange.observed
        if request.method == "initialize" or self._server.sdk.get_request_handler(request.method) is not None:
            observed.method = request.method
        meta = (request.params or {}).get("_meta")
        observed.carrier = meta if isinstance(meta, dict) else None
        client_info = (observed.carrier or {}).get(CLIENT_INFO_META_KEY)
        handshake = self._runner.connection.client_params
        name: Any = None
        if isinstance(client_info, dict):
            name = client_info.get("name")
        elif handshake is not None:
            name = handshake.client_info.name
        if isinstance(name, str):
            observed.client = name

    def _refusal(self, request: WireRequest, problem: str) -> WireError:
        """Return the error for invalid parameters, or for a method that does not exist."""
        server = self._server
        if request.method != "initialize" and server.sdk.get_request_handler(request.method) is None:
            return WireError(METHOD_NOT_FOUND, "Method not found", request.method)
        error = server.handlers.invalid_params(request.method, request.params, problem).error
        return WireError(error.code, error.message, error.data)

    def handle_notification(self, notification: Notification) -> None:
        """Pass a notification to the SDK, in a task of its own."""
        handling = self._runner.on_notify(self._channel, notification.method, notification.params)
        task = asyncio.ensure_future(handling)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def when_loaded(self, then: Callable[[], object]) -> None:
        """Call `then` now, because everything is loaded."""
        then()

    def end_streams(self) -> None:
        self._server.end_streams()

    @property
    def protocol_version(self) -> str:
        return self._runner.connection.protocol_version

    def release(self) -> None:
        """Cancel the tasks that still run for this session; the server continues for others."""
        for task in self._tasks:
            task.cancel()

    def close(self) -> None:
        self._server.close()

    def _list_key(self, exchange: Exchange) -> ListKey | None:
        """Return the key under which the answer is cached, or None when it is not cached."""
        request = exchange.request
        cursor = (request.params or {}).get("cursor")
        if request.method not in CACHED_LISTS or not isinstance(cursor, str | None) or exchange.stateless:
            return None
        connection = self._runner.connection
        with_board = supports_apps(connection.client_capabilities)
        return request.method, connection.protocol_version, cursor, with_board

    async def _respond_stateless(self, exchange: Exchange) -> Any:
        request = exchange.request
        route = exchange.route or classify_inbound_request(
            {"method": request.method, "params": request.params}
        )
        if isinstance(route, InboundLadderRejection):
            raise WireError(route.code, route.message, route.data)
        connection = Connection.from_envelope(
            route.protocol_version, route.client_info, route.client_capabilities, outbound=self._notify_only
        )
        return await serve_one(
            self._server.sdk,
            RequestChannel(exchange.channel, exchange),
            request.method,
            request.params,
            connection=connection,
            lifespan_state={},
        )


def _describe(failure: ValidationError) -> str:
    problems = []
    for error in failure.errors()[:_MAX_PROBLEMS_REPORTED]:
        field = ".".join(str(part) for part in error["loc"])
        problems.append(f"{field}: {error['msg'].lower()}")
    return "; ".join(problems)
