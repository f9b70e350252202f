"""The routes of operations: `GET` or, if it may write, `POST`, at `/api/<toolset>/<operation>`.

Contract:
- The body of a success is the operation's result, the same JSON as a tool's structured content.
- `GET` never writes: the method follows from the declared effect.
- A failure is sent as problem details; its member `error` is the same object as in every other interface.
- The response to a `GET` has an entity tag (see `entity_tags`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import Headers, single_headers, wait_for_disconnect
from holdfast.faces.http.exchange import http_exchange_of
from holdfast.faces.http.problems import MethodNotAllowed, problem_document, problem_response
from holdfast.faces.http.settings import API_PATH
from holdfast.faces.observation import TRACE_HEADERS, Observation
from holdfast.faces.rest.entity_tags import add_expected_version, entity_tag, tagged_response
from holdfast.faces.rest.json_body import JSON, encode_json, json_object
from holdfast.faces.rest.query import QueryReader
from holdfast.faces.tracing import request_span
from holdfast.kernel.call import Call
from holdfast.kernel.codes import stateless_code
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Cancelled, HoldfastError, InvalidArguments
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Effect, Operation


def method_of(operation: Operation) -> str:
    """Return the method that runs an operation."""
    return "GET" if operation.effect is Effect.READ else "POST"


def path_of(operation: Operation) -> str:
    """Return the path of an operation below `/api/`."""
    return f"{operation.toolset}/{operation.listed_name}"


class OperationRoute:
    """The ASGI application that answers requests for one operation."""

    status = 200
    """The status of a success. Subclasses set their own, and their own method."""

    def __init__(self, operation: Operation, dispatcher: Dispatcher) -> None:
        self.operation = operation
        self.method = method_of(operation)
        self._dispatcher = dispatcher

    @cached_property
    def _query(self) -> QueryReader:
        return QueryReader(self.operation)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = single_headers(scope["headers"])
        body = (await receive()).get("body", b"")
        response = await self.answer(scope, headers, body, receive)
        await response(scope, receive, send)

    async def answer(self, scope: Scope, headers: Headers, body: bytes, receive: Receive) -> Response:
        if scope["method"] != self.method:
            raise MethodNotAllowed(
                f"{self.operation.listed_name} accepts {self.method}.",
                hint=f"Use {self.method}.",
                allowed=self.method,
            )
        exchange = http_exchange_of(scope)
        observed = Observation("rest", self.method, self.operation.listed_name, request_bytes=len(body))
        observed.client = exchange.actor if exchange else None
        observed.carrier = {name: headers.get(name.encode(), b"").decode("latin-1") for name in TRACE_HEADERS}
        with request_span(observed, **{"http.route": API_PATH + path_of(self.operation)}):
            try:
                self._dispatcher.registry.check_allowed(self.operation)
                arguments = add_expected_version(
                    self.operation, self._arguments(scope, headers, body), headers
                )
                output = await self._run(scope, arguments, receive)
                response = self._success(output.wire(), headers)
            except HoldfastError as failure:
                observed.failure = failure.kind
                response = self._failure(failure)
        observed.conclude(len(response.body))
        return response

    def _failure(self, failure: HoldfastError) -> Response:
        code = stateless_code(self.operation.family, failure)
        return problem_response(failure, problem_document(failure, code))

    def _arguments(self, scope: Scope, headers: Headers, body: bytes) -> Mapping[str, Any]:
        if self.method == "GET":
            return self._query.arguments(scope["query_string"])
        if scope["query_string"]:
            raise InvalidArguments("Arguments of a POST belong in its body.", hint="Send them as JSON.")
        return json_object(headers, body)

    def _success(self, value: Mapping[str, Any], headers: Headers) -> Response:
        body = encode_json(self._envelope(value), self._dispatcher.limits)
        version = self.operation.version_in(value)
        if self.method == "GET":
            return tagged_response(body, headers, version)
        tag = {} if version is None else {"ETag": entity_tag(body, version)}
        return Response(body, self.status, media_type=JSON, headers={"Cache-Control": "no-store"} | tag)

    def _envelope(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the body for a result; subclasses put it into an envelope."""
        return value

    async def _run(self, scope: Scope, arguments: Mapping[str, Any], receive: Receive) -> Output:
        exchange = http_exchange_of(scope)
        call = self._dispatcher.new_call(self.operation, actor=exchange.actor if exchange else None)
        if exchange is not None:
            exchange.add_call(call)
        work = partial(self._dispatcher.run, self.operation, arguments, call)
        result = asyncio.ensure_future(self._dispatcher.run_in_thread(work, call))
        disconnect = asyncio.ensure_future(wait_for_disconnect(receive))
        try:
            await asyncio.wait({result, disconnect}, return_when=asyncio.FIRST_COMPLETED)
            return await _result_or_cancel(result, disconnect, call)
        except BaseException:
            # A failure does not count as an answer to the call, even if it reaches the client.
            call.settle(answered=False)
            raise


async def _result_or_cancel(
    result: asyncio.Future[Output], disconnect: asyncio.Future[None], call: Call
) -> Output:
    """Return the result if the operation is done; otherwise the client has left, so cancel it and raise."""
    if result.done():
        disconnect.cancel()
        return result.result()
    call.cancel()
    result.cancel()
    await asyncio.wait({result})
    raise Cancelled("The client disconnected.")
