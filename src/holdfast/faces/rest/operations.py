"""A route for each operation: `GET` when it only reads, else `POST`, under `/api/<toolset>/<operation>`.

Contract:
- The body of a success is the operation's result, the same JSON as a tool's structured content.
- `GET` never writes: the method follows from the declared effect.
- Answers that read, and those that tell a version, have an entity tag (`versions.py`); whoever holds the same
  bytes gets 304 instead, and `If-Match` names the version that is to be changed.
- A failure is problem details; its member `error` is the same object as on every other face.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic_core import from_json
from starlette.responses import Response
from starlette.types import Receive, Scope

from holdfast.faces.http.boundary import Headers
from holdfast.faces.http.exchange import exchange_of
from holdfast.faces.http.problems import problem
from holdfast.faces.http.refusals import MethodNotAllowed, UnsupportedMediaType
from holdfast.faces.render.json_text import json_text
from holdfast.faces.rest.query import QueryReader
from holdfast.faces.rest.versions import entity_tag, expecting, is_held
from holdfast.kernel.call import Call
from holdfast.kernel.codes import stateless_code
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.errors import Cancelled, HoldfastError, InvalidArguments, TooLarge
from holdfast.kernel.operation import Effect, Operation, Output

JSON = "application/json"


def method_of(operation: Operation) -> str:
    """Return the one method an operation answers to."""
    return "GET" if operation.effect is Effect.READ else "POST"


def path_of(operation: Operation) -> str:
    """Return where an operation is, below the API's own path."""
    return f"{operation.toolset}/{operation.listed_name}"


class OperationRoute:
    """Answers the requests for one operation."""

    status = 200

    def __init__(self, operation: Operation, dispatcher: Dispatcher) -> None:
        self.operation = operation
        self.method = method_of(operation)
        self._dispatcher = dispatcher
        self._query = QueryReader(operation)

    async def answer(self, scope: Scope, headers: Headers, body: bytes, receive: Receive) -> Response:
        """Run the operation and return its result, or the problem that it ran into."""
        if scope["method"] != self.method:
            raise MethodNotAllowed(
                f"{self.operation.listed_name} answers to {self.method}.",
                hint=f"Ask with {self.method}.",
                allowed=self.method,
            )
        try:
            arguments = expecting(self.operation, self._arguments(scope, headers, body), headers)
            result = await self._run(scope, arguments, receive)
            return self._success(result.wire(), headers)
        except HoldfastError as failure:
            return self._failure(failure)

    def _failure(self, failure: HoldfastError) -> Response:
        return problem(failure, stateless_code(self.operation.family, failure))

    def _arguments(self, scope: Scope, headers: Headers, body: bytes) -> Mapping[str, Any]:
        if self.method == "GET":
            return self._query.arguments(scope["query_string"])
        if scope["query_string"]:
            raise InvalidArguments("Arguments of a POST belong into its body.", hint="Send them as JSON.")
        return json_object(headers, body)

    def _success(self, value: Mapping[str, Any], headers: Headers) -> Response:
        body = json_text(self._wrapped(value), for_a_person=False).encode()
        limit = self._dispatcher.limits.response_bytes
        if len(body) > limit:
            raise TooLarge(
                f"The answer has {len(body)} bytes; at most {limit} are sent.",
                hint="Narrow the request or ask for a page.",
                size=len(body),
                limit=limit,
            )
        version = self.operation.version_in(value)
        if self.method == "GET":
            return tagged(body, headers, version)
        tag = {} if version is None else {"ETag": entity_tag(body, version)}
        return Response(body, self.status, media_type=JSON, headers={"Cache-Control": "no-store"} | tag)

    def _wrapped(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return value

    async def _run(self, scope: Scope, arguments: Mapping[str, Any], receive: Receive) -> Output:
        exchange = exchange_of(scope)
        call = self._dispatcher.new_call(self.operation, actor=exchange and exchange.actor)
        if exchange is not None:
            exchange.follow(call)
        work = partial(self._dispatcher.run, self.operation, arguments, call)
        running = asyncio.ensure_future(self._dispatcher.run_aside(work, call))
        leaving = asyncio.ensure_future(_client_left(receive))
        try:
            await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
            return await _first_done(running, leaving, call)
        except BaseException:
            # A failure is no answer to the call, whether or not somebody is there to read it.
            call.settle(answered=False)
            raise


async def _first_done(running: asyncio.Future[Output], leaving: asyncio.Future[None], call: Call) -> Output:
    if running.done():
        leaving.cancel()
        return running.result()
    call.cancel()
    running.cancel()
    await asyncio.wait({running})
    raise Cancelled("The client went away.")


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def json_object(headers: Headers, body: bytes) -> Mapping[str, Any]:
    """Return the JSON object in a body; forms and plain text are what other sites' pages can send."""
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if media_type != JSON.encode():
        raise UnsupportedMediaType("The body has to be JSON.", hint="Send it as application/json.")
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise InvalidArguments("The body is not JSON.", hint="Send one JSON object.") from None
    if not isinstance(value, dict):
        raise InvalidArguments("The body is not a JSON object.", hint="Send the arguments by name.")
    return value


def tagged(body: bytes, headers: Headers, version: str | None = None) -> Response:
    """Return a body with its entity tag, or 304 to a client that has it already."""
    tag = entity_tag(body, version)
    caching = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if is_held(tag, headers):
        return Response(status_code=304, headers=caching)
    return Response(body, media_type=JSON, headers=caching)
