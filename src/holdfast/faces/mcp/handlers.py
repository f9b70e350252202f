"""Handlers of the protocol's methods: each runs its request on the dispatcher and converts the outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict

from holdfast.faces.mcp.announcer import Announcer
from holdfast.faces.mcp.answers.answer import bounded_answer
from holdfast.faces.mcp.answers.budget import take_max_bytes
from holdfast.faces.mcp.askers import ClientAsker, asker_for, unanswered_questions
from holdfast.faces.mcp.call_tool import OWN_FAMILY, requested_call
from holdfast.faces.mcp.catalogue import ProtocolCatalogue
from holdfast.faces.mcp.completion import complete_argument
from holdfast.faces.mcp.extensions import apps, skills
from holdfast.faces.mcp.extensions.deferral import Deferral
from holdfast.faces.mcp.extensions.skills import ServedSkills
from holdfast.faces.mcp.extensions.tasks import ProtocolTasks
from holdfast.faces.mcp.failures import (
    invalid_params_error,
    request_failure,
    tool_failure,
    unknown_tool_failure,
)
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.publisher import Publisher
from holdfast.faces.mcp.request import (
    Context,
    RequestListener,
    client_of,
    exchange_of,
    is_stateless,
    program_name,
)
from holdfast.faces.mcp.results import (
    content_block,
    embedded_fields,
    prompt_message,
    record_dropped_fields,
    resource_contents,
    result_items,
)
from holdfast.kernel.call import Call, Listener
from holdfast.kernel.codes import PROTOCOL
from holdfast.kernel.content import Content
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, InvalidArguments, UnknownResource, UnknownTool
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Operation
from holdfast.kernel.resource import MAX_QUOTED_URI_CHARACTERS, ResourceBody, family_of, find_resource

Result = TypeVar("Result")


class BareParameters(types.RequestParams):
    """Parameters of a method that is named like a tool: the tool's arguments, unwrapped."""

    model_config = ConfigDict(extra="allow")


class Handlers:
    """Answers the methods of one server; `_sdk_server` in `server` registers each for its method."""

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
        self._profile = profile
        self._catalogue = catalogue
        self._publisher = publisher
        self._announcer = announcer
        self._shows_board = self._family == PROTOCOL and self._registry.find(apps.STATUS_TOOL) is not None
        self.tasks = None if profile.is_strict else ProtocolTasks(dispatcher.rooms)
        self.skills = None if profile.is_strict else ServedSkills(self._registry)
        self.listen_streams = ListenHandler(publisher.bus)

    # Tools

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        with_board = apps.supports_apps(ctx.session.client_capabilities)
        return self._list_page(ctx, partial(self._catalogue.tools, with_board=with_board), params)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult | dict[str, Any]:
        """Answer tools/call with the result, with questions, or with the task that the call became."""
        max_bytes = None
        try:
            operation, arguments = requested_call(self._registry, params.name, params.arguments)
            if not self._profile.is_strict:
                arguments, max_bytes = take_max_bytes(arguments)
        except UnknownTool as failure:
            self._catalogue.name_tools(failure)
            return unknown_tool_failure(failure, params.name, self._profile)
        except InvalidArguments as failure:
            self._catalogue.name_tools(failure)
            return tool_failure(failure, OWN_FAMILY, ctx.protocol_version, self._profile)
        work = partial(self._call_operation, ctx, params, operation, arguments, max_bytes)
        return await work(None) if self.tasks is None else await self.tasks.run(ctx, operation, work)

    async def _call_operation(
        self,
        ctx: Context,
        params: types.CallToolRequestParams,
        operation: Operation,
        arguments: dict[str, Any] | None,
        max_bytes: int | None,
        deferral: Deferral | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        asker = asker_for(ctx, params)
        try:
            work = partial(self._run_tool, operation, arguments, max_bytes)
            output, content, data = await self._run(ctx, work, operation, asker, deferral)
        except HoldfastError as failure:
            if (questions := unanswered_questions(asker, failure)) is not None:
                return questions
            self._catalogue.name_tools(failure)
            result = tool_failure(failure, operation.family, ctx.protocol_version, self._profile)
            if operation.output.requires_fields:
                result.structured_content = None
            return result
        return _tool_result(operation, output, content, data)

    def _run_tool(
        self, operation: Operation, arguments: dict[str, Any] | None, max_bytes: int | None, call: Call
    ) -> tuple[Output, list[Content], dict[str, Any] | None]:
        """Run an operation; return its output with the content and structured data of the answer."""
        output = self._dispatcher.run(operation, arguments, call)
        if self._profile.is_strict:
            return output, result_items(operation, output), output.wire() if operation.structured else None
        limit = max_bytes or self._dispatcher.limits.answer_bytes
        return output, *bounded_answer(operation, output, limit)

    async def call_bare(self, operation: Operation, ctx: Context, params: BareParameters) -> dict[str, Any]:
        """Answer a method named like a tool with the tool's result, unwrapped."""
        try:
            work = partial(self._dispatcher.run, operation, params.model_extra)
            output = await self._run(ctx, work, operation)
        except HoldfastError as failure:
            raise request_failure(failure, operation.family, ctx.protocol_version) from None
        return output.wire()

    def invalid_params(self, method: str, params: Mapping[str, Any] | None, problem: str) -> MCPError:
        if method != "tools/call":
            return invalid_params_error(problem, PROTOCOL, self._profile)
        name = (params or {}).get("name")
        operation = self._registry.find(name) if isinstance(name, str) else None
        family = self._family if operation is None else operation.family
        return invalid_params_error(problem, family, self._profile)

    async def _run(
        self,
        ctx: Context,
        work: Callable[[Call], Result],
        operation: Operation | None = None,
        asker: ClientAsker | None = None,
        deferral: Deferral | None = None,
    ) -> Result:
        """Run `work` in a thread with a call that reaches the client; wait until the result may be sent."""
        exchange = exchange_of(ctx)
        listener: Listener = RequestListener(ctx, self._publisher)
        actor = exchange.actor if exchange else None
        listener = listener if deferral is None else deferral.listening(listener)
        call = self._dispatcher.new_call(
            operation,
            listener=listener,
            asker=asker if deferral is None or asker is None else deferral.asking(asker),
            actor=actor,
            program=self._profile.default_author or program_name(ctx),
        )
        if deferral is not None:
            deferral.attach(call)
        if exchange is not None:
            exchange.observed.operation = operation.listed_name if operation else None
            exchange.add_call(call)
        try:
            result = await self._dispatcher.run_in_thread(partial(work, call), call)
        except HoldfastError as failure:
            if exchange is not None:
                exchange.observed.failure = failure.kind
            raise
        if exchange is not None:
            await exchange.channel.wait_uncongested()
        else:
            # Without a transport no answer can be lost.
            call.settle(answered=True)
        return result

    def _failure(self, ctx: Context, error: HoldfastError, family: str | None = None) -> MCPError:
        return request_failure(error, family or self._family, ctx.protocol_version)

    # Resources

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer resources/list in a worker thread, because a room may read the disk for it."""
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
        return self._list_page(ctx, self._catalogue.templates, params)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            mime_type, body = await self._read_body(ctx, uri)
        except HoldfastError as failure:
            family = family_of(self._registry.resources, uri, self._family)
            if isinstance(failure, UnknownResource):
                failure.data.setdefault("uri", uri[:MAX_QUOTED_URI_CHARACTERS])
            raise self._failure(ctx, failure, family) from None
        if body.fields:
            record_dropped_fields({"contents": dict(body.fields)})
        return types.ReadResourceResult(contents=[resource_contents(uri, mime_type, body)])

    async def _read_body(self, ctx: Context, uri: str) -> tuple[str, ResourceBody]:
        if uri == apps.BOARD_URI and self._shows_board:
            return apps.MEDIA_TYPE, await asyncio.to_thread(apps.board_resource)
        if self.skills is not None and (text := self.skills.text(uri)) is not None:
            return skills.MEDIA_TYPE, ResourceBody(text=text)
        resource, parts = find_resource(self._registry.resources, uri)
        work = partial(self._dispatcher.read, resource, parts)
        return resource.mime_type, await self._run(ctx, work)

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        try:
            await self._publisher.subscribe(client_of(ctx), str(params.uri), ctx.session)
        except HoldfastError as failure:
            raise self._failure(ctx, failure) from None
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._publisher.unsubscribe(client_of(ctx), str(params.uri))
        return types.EmptyResult()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer subscriptions/listen with a stream that lasts until the client or the server stops."""
        if self.tasks is not None:
            self.tasks.check_listening(ctx)
        uris = params.notifications.resource_subscriptions or ()
        with_lists = bool(params.notifications.resources_list_changed)
        async with self._publisher.listening(uris, with_lists=with_lists):
            return await self.listen_streams(ctx, params)

    # Prompts

    async def list_prompts(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return self._list_page(ctx, self._catalogue.prompts, params)

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        if self.skills is not None and (skill := self.skills.prompt(params.name)) is not None:
            return skill
        asker = asker_for(ctx, params)
        try:
            prompt = self._registry.prompt(params.name)
            work = partial(self._dispatcher.prompt, prompt, params.arguments)
            messages = await self._run(ctx, work, asker=asker)
        except HoldfastError as failure:
            if (questions := unanswered_questions(asker, failure)) is not None:
                return questions
            raise self._failure(ctx, failure) from None
        return types.GetPromptResult(
            description=prompt.description, messages=[prompt_message(message) for message in messages]
        )

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        try:
            completion = await self._run(
                ctx, lambda _: complete_argument(self._registry, self._dispatcher.rooms, params)
            )
        except HoldfastError as failure:
            raise self._failure(ctx, failure) from None
        return types.CompleteResult(completion=completion)

    # Logging

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """Answer logging/setLevel: from now on log arrivals to this client."""
        await self._announcer.enable(client_of(ctx), ctx.session, params.level)
        return types.EmptyResult()

    def _list_page(
        self,
        ctx: Context,
        list_from: Callable[[str | None], Result],
        params: types.PaginatedRequestParams | None,
    ) -> Result:
        try:
            return list_from(params.cursor if params is not None else None)
        except HoldfastError as failure:
            raise self._failure(ctx, failure) from None


def _tool_result(
    operation: Operation, output: Output, content: list[Content], data: dict[str, Any] | None
) -> types.CallToolResult:
    if operation.result_fields is not None:
        record_dropped_fields(operation.result_fields(output))
    record_dropped_fields(embedded_fields(content))
    return types.CallToolResult(
        content=[content_block(item) for item in content],
        structured_content=data,
        is_error=getattr(output, "is_error", False),  # an output may itself describe a failure
    )
