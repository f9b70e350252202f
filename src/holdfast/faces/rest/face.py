"""What one role is offered below `/api/`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from urllib.parse import parse_qs, unquote

from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import Headers, single_headers
from holdfast.faces.http.problems import MethodNotAllowed, UnknownRoute
from holdfast.faces.http.settings import API_PATH
from holdfast.faces.render.json_text import json_text
from holdfast.faces.rest.addresses import AddressBook
from holdfast.faces.rest.events import Changes, OpenFeed, send_events, wanted_topics
from holdfast.faces.rest.openapi import openapi_document
from holdfast.faces.rest.operations import OperationRoute, path_of, tagged
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.errors import closest

_DESCRIPTION = "openapi.json"
_EVENTS = "events"


class RestFace:
    """Routes by path: operations, their description, and the stream of changes."""

    def __init__(self, dispatcher: Dispatcher, changes: Changes) -> None:
        self._dispatcher = dispatcher
        self._changes = changes
        operations = dispatcher.registry.operations
        self._routes = {path_of(item): OperationRoute(item, dispatcher) for item in operations}
        self._addresses = AddressBook(operations, dispatcher)
        self._feeds = FeedBook(dispatcher, changes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that was let in."""
        path = scope["path"].removeprefix(API_PATH).removeprefix("/")
        headers = single_headers(scope["headers"])
        if path == _EVENTS:
            _only_get(scope)
            await self._stream(scope, headers, receive, send)
        elif (feed := self._feeds.find(path)) is not None:
            _only_get(scope)
            await send_events(feed.follow(headers), receive, send)
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
            best = closest(path, [*self._routes, _DESCRIPTION, _EVENTS])
            hint = f"{API_PATH}{_DESCRIPTION} lists what you may ask for."
            raise UnknownRoute(
                "Nothing is at that path.", hint=hint if best is None else f'Did you mean "{best}"? {hint}'
            )
        body = (await receive()).get("body", b"")
        return await route.answer(scope, headers, body, receive)

    @cached_property
    def _description(self) -> bytes:
        return json_text(openapi_document(self._dispatcher.registry.operations), for_a_person=False).encode()

    async def _stream(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        wanted = wanted_topics(self._changes, ",".join(query.get("topics", [])))
        last_id = headers.get(b"last-event-id")
        patience = self._dispatcher.limits.event_stream_ping_seconds
        events = self._changes.follow(last_id.decode("latin-1") if last_id else None, wanted, patience)
        await send_events(events, receive, send)


def _only_get(scope: Scope) -> None:
    if scope["method"] != "GET":
        raise MethodNotAllowed("This is only read.", hint="Ask with GET.", allowed="GET")


class FeedBook:
    """Finds the feed at a path."""

    def __init__(self, dispatcher: Dispatcher, changes: Changes) -> None:
        self._dispatcher = dispatcher
        self._changes = changes
        self._feeds = [(compile_path(f"/{feed.path}")[0], feed) for feed in dispatcher.registry.feeds]

    def find(self, path: str) -> OpenFeed | None:
        """Return the feed at a path, or None."""
        for pattern, feed in self._feeds:
            if (found := pattern.fullmatch(f"/{path}")) is not None:
                parts = {name: unquote(part) for name, part in found.groupdict().items()}
                return OpenFeed(feed, parts, self._dispatcher, self._changes)
        return None
