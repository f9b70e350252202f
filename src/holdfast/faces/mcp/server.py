"""Builds the SDK's protocol server over a registry, for every transport."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from holdfast.faces.mcp.announcer import Announcer
from holdfast.faces.mcp.catalogue import ProtocolCatalogue
from holdfast.faces.mcp.extensions.apps import supports_apps
from holdfast.faces.mcp.extensions.declaration import with_declaration
from holdfast.faces.mcp.extensions.skills import SkillParameters
from holdfast.faces.mcp.extensions.tasks import TaskParameters
from holdfast.faces.mcp.handlers import BareParameters, Handlers
from holdfast.faces.mcp.instructions import instructions_for
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.request import Context, is_stateless
from holdfast.faces.mcp.results import DROPPED_FIELDS, with_dropped_fields
from holdfast.faces.mcp.wire.messages import Prepared
from holdfast.faces.topics import Topics
from holdfast.kernel.call import Listed
from holdfast.kernel.codes import INTERNAL_ERROR
from holdfast.kernel.dispatch.dispatcher import Dispatcher, Rooms
from holdfast.kernel.dispatch.failures import holdfast_error

_LIST_CACHE_HINT = CacheHint(ttl_ms=60_000, scope="private")
"""A judgement: lists rarely change, and clients that subscribe are notified when they do."""
_NO_CACHE_HINT = CacheHint(ttl_ms=0, scope="private")
CACHED_LISTS: tuple[CacheableMethod, ...] = ("tools/list", "prompts/list", "resources/templates/list")
"""Lists that never change while the server runs."""
ListKey = tuple[str, str, str | None, bool]
"""Method, protocol revision, cursor, and whether the list is for a client that shows apps."""


class ProfiledServer(Server[Any]):
    """The SDK's server with the capabilities of a profile."""

    profile: Profile
    changing_lists: frozenset[Listed] = frozenset()
    """Lists whose changes clients are notified of."""

    def get_capabilities(self, *arguments: Any, **options: Any) -> types.ServerCapabilities:
        """Return the specification's capabilities, or the SDK's, corrected for which lists can change."""
        if self.profile.capabilities is not None:
            return types.ServerCapabilities.model_validate(self.profile.capabilities)
        capabilities = super().get_capabilities(*arguments, **options)
        for listed in ("tools", "prompts", "resources"):
            capability = getattr(capabilities, listed)
            if capability is not None:
                capability.list_changed = listed in self.changing_lists
        return capabilities


class ProtocolServer:
    """The SDK's server over one dispatcher, with cached lists, sealed request state and a profile."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        profile: Profile,
        topics: Topics,
        rooms: Rooms,
        *,
        sealing_key: bytes | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        """Share `publisher` with the servers of other roles, so that clients of all roles are notified."""
        self.profile = profile
        registry = dispatcher.registry
        self._selection = registry.selection
        self._catalogue = ProtocolCatalogue(
            registry, profile, dispatcher.limits.list_page, dispatcher.members
        )
        self.publisher = publisher or Publisher(registry.resources, topics, rooms)
        self.announcer = Announcer(registry.resources, topics, rooms)
        self.handlers = Handlers(dispatcher, profile, self._catalogue, self.publisher, self.announcer)
        self._sealing = RequestStateBoundary(
            RequestStateSecurity(keys=[sealing_key]) if sealing_key else RequestStateSecurity.ephemeral(),
            default_audience=profile.server_name,
        )
        self.sdk = _sdk_server(profile, self.handlers, instructions_for(profile, registry.selection))
        self.sdk.changing_lists |= registry.changing_lists
        self.sdk.get_tool_input_schema = self._catalogue.input_schema_of
        self._lists: dict[ListKey, HandlerResult] = {}
        self.prepared_lists: dict[ListKey, Prepared] = {}
        """The encoded lists for requests of the handshake era."""
        for operation in registry.operations:
            for name in {operation.name, operation.listed_name}:
                self.sdk.add_request_handler(
                    name, BareParameters, partial(self.handlers.call_bare, operation)
                )
        # Without the SDK's own tracing, whose spans quote error messages; see `faces/tracing.py`.
        self.sdk.middleware = [
            _hide_unexpected_errors,
            self._declare,
            self._restore_dropped_fields,
            self._cache_lists,
            self._seal_state,
        ]

    def end_streams(self) -> None:
        self.handlers.listen_streams.close()

    def forget(self, client: Hashable) -> None:
        self.publisher.forget(client)
        self.announcer.forget(client)

    def close(self) -> None:
        self.publisher.close()
        self.announcer.close()

    async def _declare(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Add to the answers that introduce the server what the SDK leaves out, in some eras or in all."""
        result = await call_next(ctx)
        if ctx.method not in ("initialize", "server/discover") or not isinstance(result, dict):
            return result
        return with_declaration(result, self.profile, self._selection)

    async def _cache_lists(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method not in CACHED_LISTS:
            return await call_next(ctx)
        with_board = supports_apps(ctx.session.client_capabilities)
        key = (ctx.method, ctx.protocol_version, (ctx.params or {}).get("cursor"), with_board)
        cached = self._lists.get(key)
        if cached is None:
            cached = self._add_extras(ctx.method, await call_next(ctx))
            # Unknown cursors are refused, so there are only as many keys as pages.
            self._lists[key] = cached
        return cached

    async def _restore_dropped_fields(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        fields: dict[str, Any] = {}
        token = DROPPED_FIELDS.set(fields)
        try:
            result = await call_next(ctx)
        finally:
            DROPPED_FIELDS.reset(token)
        if not fields or not isinstance(result, dict):
            return result
        return with_dropped_fields(result, fields)

    async def _seal_state(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Encrypt the state that a client will send back, so that the client cannot read or change it."""
        if not is_stateless(ctx.protocol_version):
            return await call_next(ctx)
        return await self._sealing(ctx, call_next)

    def _add_extras(self, method: str, result: HandlerResult) -> HandlerResult:
        """Add the fields of specifications that the SDK's types do not have."""
        if not isinstance(result, dict):
            return result
        if method == "tools/list":
            annotations = self._catalogue.extra_tool_annotations()
            for tool in result["tools"]:
                if tool["name"] in annotations:
                    tool["annotations"] = {**tool.get("annotations", {}), **annotations[tool["name"]]}
        elif method == "prompts/list":
            fields = self._catalogue.extra_prompt_arguments()
            for prompt in result["prompts"]:
                for argument in prompt.get("arguments", []):
                    argument.update(fields.get((prompt["name"], argument["name"]), {}))
        return result


async def _hide_unexpected_errors(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Replace the text of unexpected exceptions, which the SDK would send to the client over HTTP."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as failure:
        error = holdfast_error(failure)
        data = {"type": error.kind} | error.data
        raise MCPError(code=INTERNAL_ERROR, message=error.sentence(), data=data) from None


def _sdk_server(profile: Profile, handlers: Handlers, instructions: str | None) -> ProfiledServer:
    method_handlers: dict[str, Any] = {
        "on_list_tools": handlers.list_tools,
        "on_call_tool": handlers.call_tool,
    }
    if profile.offers_prompts:
        method_handlers |= {
            "on_list_prompts": handlers.list_prompts,
            "on_get_prompt": handlers.get_prompt,
            "on_completion": handlers.complete,
        }
    if profile.offers_resources:
        method_handlers |= {
            "on_list_resources": handlers.list_resources,
            "on_list_resource_templates": handlers.list_templates,
            "on_read_resource": handlers.read_resource,
            "on_subscriptions_listen": handlers.listen,
            "on_subscribe_resource": handlers.subscribe,
            "on_unsubscribe_resource": handlers.unsubscribe,
        }
    lists: tuple[CacheableMethod, ...] = (*CACHED_LISTS, "resources/list")
    cache_hints = dict.fromkeys(lists, _LIST_CACHE_HINT)
    server = ProfiledServer(
        profile.server_name,
        version=profile.server_version,
        title=profile.title,
        instructions=instructions,
        cache_hints=cache_hints | {"resources/read": _NO_CACHE_HINT},
        **method_handlers,
    )
    server.profile = profile
    server.changing_lists = profile.changing_lists
    if not profile.is_strict:
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, handlers.set_level)
    if handlers.skills is not None:
        server.add_request_handler("skills/list", types.PaginatedRequestParams, handlers.skills.list)
        server.add_request_handler("skills/get", SkillParameters, handlers.skills.get)
    if handlers.tasks is not None:
        server.add_request_handler("tasks/get", TaskParameters, handlers.tasks.get)
        server.add_request_handler("tasks/update", TaskParameters, handlers.tasks.update)
        server.add_request_handler("tasks/cancel", TaskParameters, handlers.tasks.cancel)
    return server
