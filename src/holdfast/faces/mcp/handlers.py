"""The protocol's methods, each a few lines on the dispatcher."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import ListenHandler
from pydantic import ConfigDict
from starlette.requests import HTTPConnection

from holdfast.faces.http.exchange import HttpExchange, exchange_of
from holdfast.faces.mcp.addresses import find_resource
from holdfast.faces.mcp.announcer import Announcer
from holdfast.faces.mcp.catalogue import Catalogue
from holdfast.faces.mcp.failures import request_failure, tool_failure, unknown_tool
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.wire.exchange import Exchange
from holdfast.kernel.call import Call, ProgressReporter
from holdfast.kernel.codes import PROTOCOL
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.errors import HoldfastError, UnknownPrompt, UnknownTool
from holdfast.kernel.operation import Operation, Output, Prompt
from holdfast.kernel.suggest import did_you_mean

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")

DROPPED_FIELDS: ContextVar[dict[str, Any] | None] = ContextVar("holdfast_dropped_fields", default=None)
"""Fields a specification shows in a result and the SDK would drop; put back once it is done."""

_PROGRESS_INTERVAL = 0.05


class BareParameters(types.RequestParams):
    """Parameters of a method named like a tool: the tool's arguments as they are."""

    model_config = ConfigDict(extra="allow")


class Handlers:
    """Answers the methods of one server."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        profile: Profile,
        catalogue: Catalogue,
        publisher: Publisher,
        announcer: Announcer,
    ) -> None:
        self._dispatcher = dispatcher
        self._registry = dispatcher.registry
        self._family = profile.family or PROTOCOL
        self._catalogue = catalogue
        self._publisher = publisher
        self._announcer = announcer
        self.listen_streams = ListenHandler(publisher.bus)

    # Tools

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer tools/list."""
        return self._listed(ctx, self._catalogue.tools, params)

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Answer tools/call."""
        try:
            operation = self._registry.operation(params.name)
        except UnknownTool as failure:
            raise unknown_tool(failure, params.name) from None
        try:
            output = await self._run(ctx, operation, params.arguments)
        except HoldfastError as failure:
            return tool_failure(failure, operation.family, ctx.protocol_version)
        return _tool_result(operation, output)

    async def call_bare(self, operation: Operation, ctx: Context, params: BareParameters) -> dict[str, Any]:
        """Answer a method named like a tool with the tool's result, unwrapped."""
        try:
            output = await self._run(ctx, operation, params.model_extra)
        except HoldfastError as failure:
            raise request_failure(failure, operation.family, ctx.protocol_version) from None
        return output.wire()

    async def _run(self, ctx: Context, operation: Operation, arguments: Mapping[str, Any] | None) -> Output:
        call = self._new_call(ctx, operation, report=_progress_reporter(ctx))
        work = partial(self._dispatcher.run, operation, arguments, call)
        return await self._aside(ctx, work, call)

    # Resources

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer resources/list."""
        return self._listed(ctx, self._catalogue.resources, params)

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
            call = self._new_call(ctx)
            body = await self._aside(ctx, partial(self._dispatcher.read, resource, parts, call), call)
        except HoldfastError as failure:
            raise request_failure(failure, self._family, ctx.protocol_version) from None
        _put_back({"contents": dict(body.fields)} if body.fields else {})
        return types.ReadResourceResult(
            contents=[_contents(uri, body.mime_type or resource.mime_type, body.text, body.data)]
        )

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer resources/subscribe."""
        try:
            self._publisher.subscribe(_client(ctx), str(params.uri), ctx.session)
        except HoldfastError as failure:
            raise request_failure(failure, self._family, ctx.protocol_version) from None
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer resources/unsubscribe."""
        self._publisher.unsubscribe(_client(ctx), str(params.uri))
        return types.EmptyResult()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer subscriptions/listen: the stream ends when the client or the server does."""
        async with self._publisher.listening(params.notifications.resource_subscriptions or ()):
            return await self.listen_streams(ctx, params)

    # Prompts

    async def list_prompts(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """Answer prompts/list."""
        return self._listed(ctx, self._catalogue.prompts, params)

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Answer prompts/get."""
        try:
            prompt = self._prompt(params.name)
            call = self._new_call(ctx)
            work = partial(self._dispatcher.prompt, prompt, params.arguments, call)
            messages = await self._aside(ctx, work, call)
        except HoldfastError as failure:
            raise request_failure(failure, self._family, ctx.protocol_version) from None
        return types.GetPromptResult(
            description=prompt.description,
            messages=[
                types.PromptMessage.model_validate(
                    {"role": message.role, "content": {"type": "text", "text": message.text}}
                )
                for message in messages
            ],
        )

    def _prompt(self, name: str) -> Prompt:
        for prompt in self._registry.prompts:
            if prompt.name == name:
                return prompt
        known = [prompt.name for prompt in self._registry.prompts]
        raise UnknownPrompt(f"Unknown prompt: {name}", hint=did_you_mean(name, known))

    # Logging

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """Answer logging/setLevel: from now on tell this client what arrives."""
        await self._announcer.enable(_client(ctx), ctx.session, params.level)
        return types.EmptyResult()

    # Shared

    def _listed(
        self,
        ctx: Context,
        listing: Callable[[str | None], Result],
        params: types.PaginatedRequestParams | None,
    ) -> Result:
        try:
            return listing(params.cursor if params is not None else None)
        except HoldfastError as failure:
            raise request_failure(failure, self._family, ctx.protocol_version) from None

    def _new_call(self, ctx: Context, operation: Operation | None = None, **more: Any) -> Call:
        exchange = _exchange(ctx)
        return self._dispatcher.new_call(operation, actor=exchange and exchange.actor, **more)

    async def _aside(self, ctx: Context, work: Callable[[], Result], call: Call) -> Result:
        exchange = _exchange(ctx)
        if exchange is not None:
            exchange.follow(call)
        try:
            result = await self._dispatcher.run_aside(work, call)
        except BaseException:
            call.settle(answered=False)
            raise
        if exchange is not None:
            await exchange.uncongested()
        else:
            # Within one process there is no wire on which an answer could be lost.
            call.settle(answered=True)
        return result


def _tool_result(operation: Operation, output: Output) -> types.CallToolResult:
    if operation.result_fields is not None:
        _put_back(operation.result_fields(output))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=operation.words(output))],
        structured_content=output.wire(),
    )


def _put_back(fields: dict[str, Any]) -> None:
    kept = DROPPED_FIELDS.get()
    if kept is not None:
        kept.update(fields)


def _contents(
    uri: str, mime_type: str, text: str | None, data: bytes | None
) -> types.TextResourceContents | types.BlobResourceContents:
    if data is not None:
        return types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=base64.b64encode(data).decode())
    return types.TextResourceContents(uri=uri, mime_type=mime_type, text=text or "")


def _exchange(ctx: Context) -> Exchange | HttpExchange | None:
    """Return the exchange that will tell the fate of the answer, over a pipe or over HTTP."""
    if isinstance(ctx.request, Exchange):
        return ctx.request
    return exchange_of(ctx.request.scope) if isinstance(ctx.request, HTTPConnection) else None


def _client(ctx: Context) -> Any:
    """Return what stays the same over the requests of one client."""
    if isinstance(ctx.request, Exchange):
        return id(ctx.request.channel)
    headers = getattr(ctx.request, "headers", {})
    return headers.get("mcp-session-id", "")


def _progress_reporter(ctx: Context) -> ProgressReporter | None:
    if ctx.meta is None or ctx.meta.get("progress_token") is None:
        return None
    loop = asyncio.get_running_loop()
    next_report = 0.0

    def report(done: float, total: float | None, message: str | None) -> None:
        nonlocal next_report
        now = time.monotonic()
        if now < next_report and done != total:
            return
        next_report = now + _PROGRESS_INTERVAL
        asyncio.run_coroutine_threadsafe(ctx.session.report_progress(done, total, message), loop)

    return report
