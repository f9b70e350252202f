"""The protocol's methods, each a few lines on the dispatcher."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict

from holdfast.faces.mcp import apps
from holdfast.faces.mcp.announcer import Announcer
from holdfast.faces.mcp.askers import asker_for, questions_left
from holdfast.faces.mcp.catalogue import ProtocolCatalogue
from holdfast.faces.mcp.completion import completed
from holdfast.faces.mcp.failures import request_failure, tool_failure, undecodable, unknown_tool
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.request import Context, RequestListener, client_of, exchange_in, is_stateless
from holdfast.faces.mcp.results import (
    content_block,
    embedded_fields,
    prompt_message,
    resource_contents,
    result_items,
)
from holdfast.kernel.call import Call
from holdfast.kernel.codes import PROTOCOL
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, UnknownResource, UnknownTool
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Operation
from holdfast.kernel.questions import Asker
from holdfast.kernel.resource import MAX_QUOTED_URI_CHARACTERS, ResourceBody, family_of, find_resource

Result = TypeVar("Result")


DROPPED_FIELDS: ContextVar[dict[str, Any] | None] = ContextVar("holdfast_dropped_fields", default=None)
"""Fields that a specification has in a result and the SDK drops; they are added again to its answer."""


class BareParameters(types.RequestParams):
    """Parameters of a method named like a tool: the tool's arguments as they are."""

    model_config = ConfigDict(extra="allow")


class Handlers:
    """Answers the methods of one server."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        profile: Profile,
        catalogue: ProtocolCatalogue,
        publisher: Publisher,
        announcer: Announcer,
    ) -> None:
        self._dispatcher = dispatcher
        self._registry = dispatcher.registry
        self._family = profile.family or PROTOCOL
        self._errors_as_results = profile.errors_as_results
        self._catalogue = catalogue
        self._publisher = publisher
        self._announcer = announcer
        self._shows_board = self._family == PROTOCOL and self._registry.find(apps.TOOL) is not None
        self.listen_streams = ListenHandler(publisher.bus)

    # Tools

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer tools/list."""
        linked = apps.shows_apps(ctx.session.client_capabilities)
        return self._listed(ctx, partial(self._catalogue.tools, linked=linked), params)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer tools/call."""
        try:
            operation = self._registry.operation(params.name)
        except UnknownTool as failure:
            self._catalogue.name_tools(failure)
            return unknown_tool(failure, params.name, as_result=self._errors_as_results)
        asker = asker_for(ctx, params)
        try:
            work = partial(self._dispatcher.run, operation, params.arguments)
            output = await self._run(ctx, work, operation, asker)
        except HoldfastError as failure:
            if (questions := questions_left(asker, failure)) is not None:
                return questions
            self._catalogue.name_tools(failure)
            failed = tool_failure(
                failure, operation.family, ctx.protocol_version, as_result=self._errors_as_results
            )
            if operation.output.requires_fields:
                failed.structured_content = None
            return failed
        return _tool_result(operation, output)

    async def call_bare(self, operation: Operation, ctx: Context, params: BareParameters) -> dict[str, Any]:
        """Answer a method named like a tool with the tool's result, unwrapped."""
        try:
            work = partial(self._dispatcher.run, operation, params.model_extra)
            output = await self._run(ctx, work, operation)
        except HoldfastError as failure:
            raise request_failure(failure, operation.family, ctx.protocol_version) from None
        return output.wire()

    def undecodable(self, method: str, params: Mapping[str, Any] | None, problem: str) -> MCPError:
        """Return the error for a request with invalid parameters."""
        if method != "tools/call":
            return undecodable(problem, PROTOCOL)
        name = (params or {}).get("name")
        called = self._registry.find(name) if isinstance(name, str) else None
        return undecodable(problem, self._family if called is None else called.family)

    async def _run(
        self,
        ctx: Context,
        work: Callable[[Call], Result],
        operation: Operation | None = None,
        asker: Asker | None = None,
    ) -> Result:
        """Run `work` in a worker, with a call that reaches the client; wait until its result may be sent."""
        exchange = exchange_in(ctx)
        listener = RequestListener(ctx, self._publisher)
        actor = exchange.actor if exchange else None
        call = self._dispatcher.new_call(operation, listener=listener, asker=asker, actor=actor)
        if exchange is not None:
            exchange.observed.operation = operation.listed_name if operation else None
            exchange.follow(call)
        try:
            result = await self._dispatcher.run_in_thread(partial(work, call), call)
        except HoldfastError as failure:
            if exchange is not None:
                exchange.observed.failure = failure.kind
            raise
        if exchange is not None:
            await exchange.channel.uncongested()
        else:
            # Within one process no answer can be lost on its way.
            call.settle(answered=True)
        return result

    def _failure(self, ctx: Context, error: HoldfastError, family: str | None = None) -> MCPError:
        """Return the protocol error for a failure outside of tools, with the codes of a family."""
        return request_failure(error, family or self._family, ctx.protocol_version)

    # Resources

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer resources/list. A room may read the disk for it, so this runs in a worker."""
        cursor = params.cursor if params is not None else None
        work = partial(self._dispatcher.perform, partial(self._catalogue.resources, cursor))
        try:
            listed = await self._run(ctx, work)
        except HoldfastError as failure:
            raise self._failure(ctx, failure) from None
        if not is_stateless(ctx.protocol_version):
            await self._publisher.follow_lists(client_of(ctx), ctx.session)
        return listed

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answer resources/templates/list."""
        return self._listed(ctx, self._catalogue.templates, params)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer resources/read."""
        uri = str(params.uri)
        try:
            mime_type, body = await self._body(ctx, uri)
        except HoldfastError as failure:
            family = family_of(self._registry.resources, uri, self._family)
            if isinstance(failure, UnknownResource):
                failure.data.setdefault("uri", uri[:MAX_QUOTED_URI_CHARACTERS])
            raise self._failure(ctx, failure, family) from None
        _put_back({"contents": dict(body.fields)} if body.fields else {})
        return types.ReadResourceResult(contents=[resource_contents(uri, mime_type, body)])

    async def _body(self, ctx: Context, uri: str) -> tuple[str, ResourceBody]:
        if uri == apps.BOARD and self._shows_board:
            return apps.MEDIA_TYPE, await asyncio.to_thread(apps.board_resource)
        resource, parts = find_resource(self._registry.resources, uri)
        work = partial(self._dispatcher.read, resource, parts)
        return resource.mime_type, await self._run(ctx, work)

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer resources/subscribe."""
        try:
            await self._publisher.subscribe(client_of(ctx), str(params.uri), ctx.session)
        except HoldfastError as failure:
            raise self._failure(ctx, failure) from None
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer resources/unsubscribe."""
        self._publisher.unsubscribe(client_of(ctx), str(params.uri))
        return types.EmptyResult()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer subscriptions/listen: the stream ends when the client or the server does."""
        wanted = params.notifications.resource_subscriptions or ()
        lists = bool(params.notifications.resources_list_changed)
        async with self._publisher.listening(wanted, lists=lists):
            return await self.listen_streams(ctx, params)

    # Prompts

    async def list_prompts(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """Answer prompts/list."""
        return self._listed(ctx, self._catalogue.prompts, params)

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Answer prompts/get."""
        asker = asker_for(ctx, params)
        try:
            prompt = self._registry.prompt(params.name)
            work = partial(self._dispatcher.prompt, prompt, params.arguments)
            messages = await self._run(ctx, work, asker=asker)
        except HoldfastError as failure:
            if (asking := questions_left(asker, failure)) is not None:
                return asking
            raise self._failure(ctx, failure) from None
        return types.GetPromptResult(
            description=prompt.description, messages=[prompt_message(message) for message in messages]
        )

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Answer completion/complete."""
        try:
            found = await self._run(ctx, lambda _: completed(self._registry, self._dispatcher.rooms, params))
        except HoldfastError as failure:
            raise self._failure(ctx, failure) from None
        return types.CompleteResult(completion=found)

    # Logging

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """Answer logging/setLevel: log to this client what arrives from now on."""
        await self._announcer.enable(client_of(ctx), ctx.session, params.level)
        return types.EmptyResult()

    def _listed(
        self,
        ctx: Context,
        listing: Callable[[str | None], Result],
        params: types.PaginatedRequestParams | None,
    ) -> Result:
        try:
            return listing(params.cursor if params is not None else None)
        except HoldfastError as failure:
            raise self._failure(ctx, failure) from None


def _tool_result(operation: Operation, output: Output) -> types.CallToolResult:
    if operation.result_fields is not None:
        _put_back(operation.result_fields(output))
    content = result_items(operation, output)
    _put_back(embedded_fields(content))
    return types.CallToolResult(
        content=[content_block(item) for item in content],
        structured_content=output.wire() if operation.structured else None,
        is_error=getattr(output, "is_error", False),  # a complete result that counts as a failure
    )


def _put_back(fields: dict[str, Any]) -> None:
    dropped = DROPPED_FIELDS.get()
    if dropped is not None:
        dropped.update(fields)
