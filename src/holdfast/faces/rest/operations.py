"""A route for each operation: `GET` when it only reads, else `POST`, under `/api/<toolset>/<operation>`.

Contract:
- The body of a success is the operation's result, the same JSON as a tool's structured content.
- `GET` never writes: the method follows from the declared effect.
- A failure is problem details; its member `error` is the same object as on every other face.
- An answer that only reads has an entity tag made from its bytes. Where the operation's result holds a
  version, the tag begins with it: `"7.0c5e…"`, so that one tag serves both purposes.
- `If-None-Match` compares whole tags: equal bytes are not sent again (304).
- `If-Match` is optimistic locking. It compares versions alone, because what an answer says besides may depend
  on other things. It becomes the argument in which the operation expects a version; `"7"` does as well as the
  whole tag. An operation that cannot honour `If-Match` refuses it: a precondition is never ignored.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any
from urllib.parse import parse_qsl

from pydantic_core import from_json
from starlette.responses import Response
from starlette.types import Receive, Scope

from holdfast.faces.http.asgi import Headers, client_left, exchange_of
from holdfast.faces.http.problems import MethodNotAllowed, UnsupportedMediaType, problem
from holdfast.faces.observation import TRACE_HEADERS, Observation
from holdfast.faces.schema import Property, Shape, plain_text, properties_of, refused, spelled_value
from holdfast.faces.tracing import request_span
from holdfast.kernel.call import Call
from holdfast.kernel.codes import stateless_code
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Cancelled, HoldfastError, InvalidArguments, TooLarge
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.untrusted import json_text

_TAG = re.compile(r'(?:W/)?"([^".]+)(?:\.[0-9a-f]*)?"')
_HASH_CHARACTERS = 32


def entity_tag(body: bytes, version: str | None = None) -> str:
    """Return the tag of these bytes, beginning with the version where there is one."""
    fingerprint = hashlib.sha256(body).hexdigest()[:_HASH_CHARACTERS]
    return f'"{fingerprint}"' if version is None else f'"{version}.{fingerprint}"'


def is_held(tag: str, headers: Headers) -> bool:
    """Return whether `If-None-Match` says that the client has these bytes already."""
    held = headers.get(b"if-none-match", b"").decode("latin-1")
    return held.strip() == "*" or tag in [item.strip().removeprefix("W/") for item in held.split(",")]


def expecting(operation: Operation, arguments: Mapping[str, Any], headers: Headers) -> Mapping[str, Any]:
    """Return the arguments with the version that `If-Match` names."""
    given = headers.get(b"if-match", b"").decode("latin-1").strip()
    if given in ("", "*"):
        return arguments
    name = operation.expects_version
    if name is None:
        raise InvalidArguments(
            f"{operation.listed_name} takes no version, so If-Match cannot be honoured.", hint="Leave it out."
        )
    version = _version(operation, name, given)
    if arguments.get(name, version) != version:
        raise InvalidArguments(f'If-Match and "{name}" name different versions.', hint="Send one of them.")
    return {**arguments, name: version}


def _version(operation: Operation, name: str, given: str) -> Any:
    tag = _TAG.fullmatch(given)
    if tag is None:
        raise InvalidArguments("If-Match holds no entity tag.", hint='Send one tag in quotes, such as "7".')
    shape = next(item.shape for item in properties_of(operation.input) if item.name == name)
    return spelled_value(name, shape, tag.group(1), "Send the tag as it came.")


_QUOTING = "Write it as JSON, encoded for a URL."
_MOST_VALUES = 1000


class QueryReader:
    """Reads the arguments of one operation; what it does not know is left to the validator."""

    def __init__(self, operation: Operation) -> None:
        self._properties = {item.name: item for item in properties_of(operation.input)}

    def arguments(self, query: bytes) -> dict[str, Any]:
        """Return the values by name: a list where the name may come several times, else one each."""
        gathered: dict[str, list[str]] = {}
        for name, text in _pairs(query):
            gathered.setdefault(name, []).append(text)
        return {name: self._value(name, texts) for name, texts in gathered.items()}

    def _value(self, name: str, texts: list[str]) -> Any:
        item = self._properties.get(name)
        if item is None:
            return texts[-1]
        if item.shape.kind == "array":
            return [_spelled(item, item.shape.items, text) for text in texts]
        if len(texts) > 1:
            raise refused(name, "given once", "It takes one value.")
        return _spelled(item, item.shape, texts[0])


def _spelled(item: Property, shape: Shape, text: str) -> Any:
    if text == "null" and item.shape.nullable and shape.kind != "string":
        return None
    return spelled_value(item.name, shape, text, _QUOTING)


def _pairs(query: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=_MOST_VALUES,
        )
    except ValueError:
        raise refused("query", f"at most {_MOST_VALUES} values in ASCII", "Encode and shorten it.") from None
    return [(plain_text("query", name), text) for name, text in pairs]


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

    @cached_property
    def _query(self) -> QueryReader:
        return QueryReader(self.operation)

    async def answer(self, scope: Scope, headers: Headers, body: bytes, receive: Receive) -> Response:
        """Run the operation and return its result, or the problem that it ran into."""
        if scope["method"] != self.method:
            raise MethodNotAllowed(
                f"{self.operation.listed_name} answers to {self.method}.",
                hint=f"Ask with {self.method}.",
                allowed=self.method,
            )
        exchange = exchange_of(scope)
        observed = Observation("rest", self.method, self.operation.listed_name, request_bytes=len(body))
        observed.client = exchange.actor if exchange else None
        observed.carrier = {name: headers.get(name.encode(), b"").decode("latin-1") for name in TRACE_HEADERS}
        with request_span(observed, **{"http.route": f"/api/{path_of(self.operation)}"}):
            try:
                self._dispatcher.registry.check_allowed(self.operation)
                arguments = expecting(self.operation, self._arguments(scope, headers, body), headers)
                result = await self._run(scope, arguments, receive)
                response = self._success(result.wire(), headers)
            except HoldfastError as failure:
                observed.failure = failure.kind
                response = self._failure(failure)
        observed.conclude(len(response.body))
        return response

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
        call = self._dispatcher.new_call(self.operation, actor=exchange.actor if exchange else None)
        if exchange is not None:
            exchange.follow(call)
        work = partial(self._dispatcher.run, self.operation, arguments, call)
        running = asyncio.ensure_future(self._dispatcher.run_in_thread(work, call))
        leaving = asyncio.ensure_future(client_left(receive))
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
