"""Serves requests of the stateless era. Each is self-contained, and its headers repeat its envelope."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    InboundModernRoute,
    classify_inbound_request,
    decode_header_value,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
    validate_mcp_param_headers,
    x_mcp_header_map,
)
from mcp_types import HEADER_MISMATCH
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.datastructures import Headers as AllHeaders
from starlette.types import Scope

from holdfast.faces.http.asgi import Headers
from holdfast.faces.mcp.engine import SdkEngine
from holdfast.faces.mcp.extensions.tasks import TASK_METHODS
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.streamable.event_stream import EventStream
from holdfast.faces.mcp.streamable.post_request import PostedRequest, Refusal
from holdfast.faces.mcp.wire.messages import RequestId, WireError, WireRequest
from holdfast.faces.mcp.wire.outstanding_requests import OutstandingRequests
from holdfast.kernel.limits import Limits

_ROUTING_HEADERS = (b"mcp-protocol-version", b"mcp-method", b"mcp-name")
_PARAMETER_HEADER_PREFIX = b"mcp-param-"
_MAX_QUOTED_CHARACTERS = 40
"""Of an unsupported revision. A judgement: revisions have ten characters."""
_SUPPORTED_VERSIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)


class StatelessRequests:
    """Checks and serves requests without a session."""

    client: Hashable = ""
    """Requests without a session have no identity in common; nothing is sent to them later."""

    def __init__(self, server: ProtocolServer, limits: Limits) -> None:
        self.outstanding = OutstandingRequests()
        self.limits = limits
        self._schema_of = server.sdk.get_tool_input_schema
        self._engine = SdkEngine(server)
        self._engine.attach(self)
        self._tools_with_headers: dict[str, bool] = {}
        """For each tool called so far, whether an argument of it has to be repeated in a header."""

    def new_stream(self) -> EventStream:
        """Return a stream for one answer, which cannot be resumed."""
        return EventStream(None, self.limits)

    async def wait_uncongested(self) -> None:
        """Return at once: nothing is sent outside an answer."""

    def send_notification(self, method: str, params: dict[str, Any] | None) -> None:
        """Drop a notification that belongs to no answer: there is no connection to send it on."""

    async def send_request(
        self, method: str, params: dict[str, Any] | None, seconds: float | None
    ) -> dict[str, Any]:
        """Raise: in this era a server sends no requests."""
        raise NotImplementedError(method)

    async def answer(self, posted: PostedRequest) -> None:
        await posted.answer(self._engine.respond)

    def route(self, scope: Scope, headers: Headers, request: WireRequest) -> InboundModernRoute:
        """Return the route in the envelope, or refuse a request whose headers differ from it."""
        if len({name for name, _ in scope["headers"]}) < len(scope["headers"]):
            pairs = [(name.decode("latin-1"), "") for name, _ in scope["headers"]]
            if (duplicated := find_duplicated_routing_header(pairs)) is not None:
                reason = f"{duplicated} header appears more than once"
                raise _refusal(InboundLadderRejection(HEADER_MISMATCH, reason), request.id)
        routing = {
            name.decode(): headers[name].decode("latin-1") for name in _ROUTING_HEADERS if name in headers
        }
        body = {"method": request.method, "params": request.params}
        route = classify_inbound_request(body, headers=routing)
        if isinstance(route, InboundLadderRejection):
            raise _refusal(route, request.id)
        self._check_parameters(scope, request)
        self._check_task(headers, request)
        return route

    def _check_task(self, headers: Headers, request: WireRequest) -> None:
        """Refuse a request about a task whose header `Mcp-Name` does not name the task."""
        task = (request.params or {}).get("taskId")
        if request.method not in TASK_METHODS or not isinstance(task, str):
            return
        if decode_header_value(headers.get(b"mcp-name", b"").decode("latin-1")) != task:
            reason = "mcp-name header does not match the request body's 'taskId' parameter"
            raise _refusal(InboundLadderRejection(HEADER_MISMATCH, reason), request.id)

    def _check_parameters(self, scope: Scope, request: WireRequest) -> None:
        """Refuse a call whose `Mcp-Param-*` headers differ from its arguments."""
        params = request.params or {}
        name, arguments = params.get("name"), params.get("arguments") or {}
        if request.method != "tools/call" or not isinstance(name, str) or not isinstance(arguments, dict):
            return
        if not arguments and not any(
            header.startswith(_PARAMETER_HEADER_PREFIX) for header, _ in scope["headers"]
        ):
            return
        schema = None if self._schema_of is None else self._schema_of(name)
        if schema is None or not self._declares_headers(name, schema):
            return
        rejection = validate_mcp_param_headers(schema, arguments, AllHeaders(raw=scope["headers"]))
        if rejection is not None:
            raise _refusal(rejection, request.id)

    def _declares_headers(self, name: str, schema: Mapping[str, Any]) -> bool:
        if name not in self._tools_with_headers:
            self._tools_with_headers[name] = bool(x_mcp_header_map(schema))
        return self._tools_with_headers[name]


def check_version(headers: Headers, identity: RequestId | None = None) -> None:
    """Refuse a message whose header names an unsupported revision; name the supported ones."""
    version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
    rejection = unsupported_protocol_version_rejection(version, _SUPPORTED_VERSIONS)
    if rejection is not None:
        supported = ", ".join(_SUPPORTED_VERSIONS)
        quoted = ascii(version[:_MAX_QUOTED_CHARACTERS])
        text = f"MCP-Protocol-Version {quoted} is not supported; supported are {supported}."
        raise Refusal(400, WireError(rejection.code, text, rejection.data), identity)


def _refusal(rejection: InboundLadderRejection, identity: RequestId | None) -> Refusal:
    status = ERROR_CODE_HTTP_STATUS.get(rejection.code, 200)
    return Refusal(status, WireError(rejection.code, rejection.message, rejection.data), identity)
