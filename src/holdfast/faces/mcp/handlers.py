"""The protocol's methods, each a few lines on the dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict

from holdfast.faces.mcp.addresses import MOST_OF_AN_ADDRESS, family_of, find_resource
from holdfast.faces.mcp.announcer import Announcer
from holdfast.faces.mcp.catalogue import Catalogue
from holdfast.faces.mcp.completion import completed
from holdfast.faces.mcp.failures import request_failure, tool_failure, undecodable, unknown_tool
from holdfast.faces.mcp.handling import Context, Handling, Result, client_of, questions_left
from holdfast.faces.mcp.rich_content import (
    content_block,
    embedded_fields,
    prompt_message,
    resource_contents,
    result_items,
)
from holdfast.kernel.codes import PROTOCOL
from holdfast.kernel.errors import HoldfastError, UnknownPrompt, UnknownResource, UnknownTool, did_you_mean
from holdfast.kernel.operation import Operation, Output, Prompt
from holdfast.kernel.questions import Asker

DROPPED_FIELDS: ContextVar[dict[str, Any] | None] = ContextVar("holdfast_dropped_fields", default=None)
"""Fields a specification shows in a result and the SDK would drop; put back once it is done."""


class BareParameters(types.RequestParams):
    """Parameters of a method named like a tool: the tool's arguments as they are."""

    model_config = ConfigDict(extra="allow")


class Handlers:
    """Answers the methods of one server."""

    def __init__(self, handling: Handling, catalogue: Catalogue, announcer: Announcer) -> None:
        self._handling = handling
        self._dispatcher = handling.dispatcher
        self._registry = handling.registry
        self._errors_as_results = handling.errors_as_results
        self._catalogue = catalogue
        self._announcer = announcer
        self.listen_streams = ListenHandler(handling.publisher.bus)

    # Tools

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer tools/list."""
        return self._listed(ctx, self._catalogue.tools, params)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer tools/call."""
        try:
            operation = self._registry.operation(params.name)
        except UnknownTool as failure:
            return unknown_tool(failure, params.name, as_result=self._errors_as_results)
        asker = self._handling.asker(ctx, params)
        try:
            output = await self._run(ctx, operation, params.arguments, asker)
        except HoldfastError as failure:
            return questions_left(asker, failure) or tool_failure(
                failure, operation.family, ctx.protocol_version, as_result=self._errors_as_results
            )
        return _tool_result(operation, output)

    async def call_bare(self, operation: Operation, ctx: Context, params: BareParameters) -> dict[str, Any]:
        """Answer a method named like a tool with the tool's result, unwrapped."""
        try:
            output = await self._run(ctx, operation, params.model_extra, None)
        except HoldfastError as failure:
            raise request_failure(failure, operation.family, ctx.protocol_version) from None
        return output.wire()

    def undecodable(self, method: str, params: Mapping[str, Any] | None, problem: str) -> MCPError:
        """Return the answer to a request whose parameters are not what its method takes."""
        if method != "tools/call":
            return undecodable(problem, PROTOCOL)
        name = (params or {}).get("name")
        called = self._registry.find(name) if isinstance(name, str) else None
        return undecodable(problem, self._handling.family if called is None else called.family)

    async def _run(
        self, ctx: Context, operation: Operation, arguments: Mapping[str, Any] | None, asker: Asker | None
    ) -> Output:
        call = self._handling.new_call(ctx, operation, asker)
        return await self._handling.aside(
            ctx, partial(self._dispatcher.run, operation, arguments, call), call
        )

    # Resources

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer resources/list. A room may have to look at the disk to know what there is."""
        cursor = params.cursor if params is not None else None
        call = self._handling.new_call(ctx)
        work = partial(self._dispatcher.gather, partial(self._catalogue.resources, cursor), call)
        try:
            listed = await self._handling.aside(ctx, work, call)
        except HoldfastError as failure:
            raise self._handling.failure(ctx, failure) from None
        await self._handling.follow_lists(ctx)
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
            resource, parts = find_resource(self._registry.resources, uri)
            call = self._handling.new_call(ctx)
            work = partial(self._dispatcher.read, resource, parts, call)
            body = await self._handling.aside(ctx, work, call)
        except HoldfastError as failure:
            family = family_of(self._registry.resources, uri, self._handling.family)
            if isinstance(failure, UnknownResource):
                failure.data.setdefault("uri", uri[:MOST_OF_AN_ADDRESS])
            raise self._handling.failure(ctx, failure, family) from None
        _put_back({"contents": dict(body.fields)} if body.fields else {})
        return types.ReadResourceResult(contents=[resource_contents(uri, resource.mime_type, body)])

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer resources/subscribe."""
        try:
            find_resource(self._registry.resources, str(params.uri))
            await self._handling.publisher.subscribe(client_of(ctx), str(params.uri), ctx.session)
        except HoldfastError as failure:
            raise self._handling.failure(ctx, failure) from None
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer resources/unsubscribe."""
        self._handling.publisher.unsubscribe(client_of(ctx), str(params.uri))
        return types.EmptyResult()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer subscriptions/listen: the stream ends when the client or the server does."""
        wanted = params.notifications.resource_subscriptions or ()
        lists = bool(params.notifications.resources_list_changed)
        async with self._handling.publisher.listening(wanted, lists=lists):
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
        asker = self._handling.asker(ctx, params)
        try:
            prompt = self._prompt(params.name)
            call = self._handling.new_call(ctx, asker=asker)
            work = partial(self._dispatcher.prompt, prompt, params.arguments, call)
            messages = await self._handling.aside(ctx, work, call)
        except HoldfastError as failure:
            if (asking := questions_left(asker, failure)) is not None:
                return asking
            raise self._handling.failure(ctx, failure) from None
        return types.GetPromptResult(
            description=prompt.description, messages=[prompt_message(message) for message in messages]
        )

    def _prompt(self, name: str) -> Prompt:
        for prompt in self._registry.prompts:
            if prompt.name == name:
                return prompt
        known = [prompt.name for prompt in self._registry.prompts]
        raise UnknownPrompt(f"Unknown prompt: {name}", hint=did_you_mean(name, known))

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Answer completion/complete."""
        call = self._handling.new_call(ctx)
        work = partial(completed, self._registry, self._dispatcher.rooms, params)
        try:
            return types.CompleteResult(completion=await self._handling.aside(ctx, work, call))
        except HoldfastError as failure:
            raise self._handling.failure(ctx, failure) from None

    # Logging

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """Answer logging/setLevel: from now on tell this client what arrives."""
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
            raise self._handling.failure(ctx, failure) from None


def _tool_result(operation: Operation, output: Output) -> types.CallToolResult:
    if operation.result_fields is not None:
        _put_back(operation.result_fields(output))
    content = result_items(operation, output)
    _put_back(embedded_fields(content))
    return types.CallToolResult(
        content=[content_block(item) for item in content],
        structured_content=output.wire() if operation.structured else None,
    )


def _put_back(fields: dict[str, Any]) -> None:
    kept = DROPPED_FIELDS.get()
    if kept is not None:
        kept.update(fields)
