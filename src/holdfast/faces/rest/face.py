"""The routes below `/api/` that callers of one role may use.

Contract, for the routes that a specification of a web interface names (paths with parts, results in an
envelope):
- Such a route runs an ordinary operation; parts of its path and what it stands for are arguments.
- A success is `{"data": result}`, the result being the same JSON as on every other face.
- A failure is problem details whose `error` says its code in a word, as these interfaces do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from http.client import responses
from typing import Any
from urllib.parse import parse_qs, unquote

from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import Headers, HttpExchange, exchange_of, single_headers
from holdfast.faces.http.problems import MethodNotAllowed, UnknownRoute, problem_document, told_problem
from holdfast.faces.http.settings import API_PATH
from holdfast.faces.rest.changes import Changes, wanted_topics
from holdfast.faces.rest.events import follow_together, send_events
from holdfast.faces.rest.feeds import OpenFeed
from holdfast.faces.rest.openapi import openapi_document
from holdfast.faces.rest.operations import OperationRoute, json_object, path_of, tagged
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, Invalid, InvalidArguments, closest
from holdfast.kernel.operation import Operation
from holdfast.kernel.role import Role
from holdfast.kernel.route import Address
from holdfast.kernel.untrusted import json_text

UNPROCESSABLE = 422

_WORDS = {"invalid": "VALIDATION_ERROR", "out_of_date": "VERSION_CONFLICT", "internal": "INTERNAL_ERROR"}


class AddressRoute(OperationRoute):
    """Answers the requests for an operation at one address of its own."""

    def __init__(self, operation: Operation, address: Address, dispatcher: Dispatcher) -> None:
        super().__init__(operation, dispatcher)
        self.method = address.method
        self.status = address.status
        self._address = address

    def _arguments(self, scope: Scope, headers: Headers, body: bytes) -> Mapping[str, Any]:
        stated = {**self._address.fixed, **scope["path_params"]}
        queried = self._query.arguments(scope["query_string"])
        given = self._meant({**queried, **json_object(headers, body)} if body else queried)
        for name in given.keys() - (self._address.takes or given.keys()):
            raise InvalidArguments(f'"{name}" is not taken here.', hint="Leave it out.", argument=name)
        for name in stated.keys() & given.keys():
            if given[name] != stated[name]:
                raise InvalidArguments(f'"{name}" is told by the path.', hint="Leave it out.", argument=name)
        return {**given, **stated}

    def _meant(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return arguments under their own names, with the values that this interface's words stand for."""
        address = self._address
        meant = {address.renamed.get(name, name): value for name, value in given.items()}
        for name, words in address.meanings.items():
            said = meant.get(name)
            said = said[0] if isinstance(said, list) and len(said) == 1 else said
            if isinstance(said, str) and said in words:
                meant[name] = words[said]
        return meant

    def _wrapped(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"data": value}

    def _failure(self, failure: HoldfastError) -> Response:
        return worded_problem(failure)


class AddressBook:
    """Finds the route for a path whose parts are arguments."""

    def __init__(self, operations: Iterable[Operation], dispatcher: Dispatcher) -> None:
        self._routes = [
            (compile_path(f"/{address.path}")[0], AddressRoute(operation, address, dispatcher))
            for operation in operations
            for address in operation.addresses
        ]

    def find(self, method: str, path: str) -> tuple[AddressRoute, dict[str, str]] | None:
        """Return the route and the parts of the path, or None when no address is like it."""
        matches = [
            (route, {name: unquote(part) for name, part in found.groupdict().items()})
            for pattern, route in self._routes
            if (found := pattern.fullmatch(f"/{path}")) is not None
        ]
        if not matches:
            return None
        # A path that is spelled out is not also one with a part of that name.
        fewest = min(len(parts) for _, parts in matches)
        matches = [found for found in matches if len(found[1]) == fewest]
        for route, parts in matches:
            if route.method == method:
                return route, parts
        allowed = ", ".join(sorted({route.method for route, _ in matches}))
        raise MethodNotAllowed(f"This answers to {allowed}.", hint=f"Ask with {allowed}.", allowed=allowed)


def worded_problem(failure: HoldfastError) -> Response:
    """Return a failure whose code is a word; arguments that were refused are unprocessable."""
    document = problem_document(failure)
    status = UNPROCESSABLE if isinstance(failure, InvalidArguments) else failure.http_status
    error = document["error"]
    kinds = failure.kinds()
    word = next((_WORDS[kind] for kind in kinds if kind in _WORDS), kinds[0].upper())
    document |= {
        "status": status,
        "title": responses.get(status, failure.kind),
        "error": {**error, "code": word, "details": error["data"]},
    }
    return told_problem(failure, document)


_DESCRIPTION = "openapi.json"
_EVENTS = "events"


class RestFace:
    """Routes by path: operations, their description, and the stream of changes."""

    def __init__(self, dispatcher: Dispatcher, changes: Changes) -> None:
        self._dispatcher = dispatcher
        self._changes = changes
        registry = dispatcher.registry
        # Who may not use an operation is told so, which needs a route to it.
        reach = registry.selection._replace(read_only=False, role=Role.ADMIN)
        operations = registry.select(reach).operations
        self._routes = {path_of(item): OperationRoute(item, dispatcher) for item in operations}
        self._addresses = AddressBook(operations, dispatcher)
        self._feeds = [(compile_path(f"/{feed.path}")[0], feed) for feed in registry.feeds]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that was let in."""
        path = scope["path"].removeprefix(API_PATH).removeprefix("/")
        headers = single_headers(scope["headers"])
        if path == _EVENTS:
            _only_get(scope)
            await self._stream(scope, headers, receive, send)
        elif (feed := self._feed(path, exchange_of(scope))) is not None:
            _only_get(scope)
            try:
                events = await feed.follow(_last_event_id(scope, headers))
            except HoldfastError as failure:
                await worded_problem(failure)(scope, receive, send)
            else:
                await send_events(events, receive, send)
        else:
            response = await self._response(path, scope, headers, receive)
            await response(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Nothing runs between requests; what changes is shared by all roles and closed with the server."""
        yield

    async def _response(self, path: str, scope: Scope, headers: Headers, receive: Receive) -> Response:
        if path == _DESCRIPTION:
            _only_get(scope)
            return tagged(self._description, headers)
        route: OperationRoute | None = self._routes.get(path)
        if route is None and (found := self._addresses.find(scope["method"], path)) is not None:
            route, scope["path_params"] = found
        if route is None:
            offered = [path_of(item) for item in self._dispatcher.registry.operations]
            best = closest(path, [*offered, _DESCRIPTION, _EVENTS])
            hint = f"{API_PATH}{_DESCRIPTION} lists what you may ask for."
            raise UnknownRoute(
                "Nothing is at that path.", hint=hint if best is None else f'Did you mean "{best}"? {hint}'
            )
        body = (await receive()).get("body", b"")
        return await route.answer(scope, headers, body, receive)

    def _feed(self, path: str, exchange: HttpExchange | None) -> OpenFeed | None:
        """Return the feed at a path, or None."""
        for pattern, feed in self._feeds:
            if (found := pattern.fullmatch(f"/{path}")) is not None:
                parts = {name: unquote(part) for name, part in found.groupdict().items()}
                actor = exchange.actor if exchange else None
                return OpenFeed(feed, parts, self._dispatcher, self._changes, actor)
        return None

    @cached_property
    def _description(self) -> bytes:
        return json_text(openapi_document(self._dispatcher.registry.operations), for_a_person=False).encode()

    async def _stream(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        wanted = wanted_topics(self._changes, ",".join(query.get("topics", [])))
        found = [(path, self._feed(path, exchange_of(scope))) for path in query.get("feed", [])]
        for path in (path for path, feed in found if feed is None):
            raise Invalid(f'There is no feed at "{path[:80]}".', hint=f"{API_PATH}{_DESCRIPTION} lists them.")
        feeds = [feed for _, feed in found if feed is not None]
        last_id = _last_event_id(scope, headers)
        await send_events(follow_together(self._changes, feeds, last_id, wanted), receive, send)


def _last_event_id(scope: Scope, headers: Headers) -> str | None:
    """Return the last event that a client saw; browsers opening one anew can only say it in the query."""
    if (held := headers.get(b"last-event-id")) is not None:
        return held.decode("latin-1")
    return next(iter(parse_qs(scope["query_string"].decode("latin-1")).get("last_event_id", [])), None)


def _only_get(scope: Scope) -> None:
    if scope["method"] != "GET":
        raise MethodNotAllowed("This is only read.", hint="Ask with GET.", allowed="GET")
