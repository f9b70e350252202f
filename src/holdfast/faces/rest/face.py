"""Routes requests below `/api/`, for callers of one role."""

from __future__ import annotations

from functools import cached_property
from urllib.parse import parse_qs, unquote

from starlette.routing import Route, Router, compile_path
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import single_headers
from holdfast.faces.http.exchange import http_exchange_of
from holdfast.faces.http.problems import MethodNotAllowed, UnknownRoute
from holdfast.faces.http.settings import API_PATH
from holdfast.faces.json_text import json_text
from holdfast.faces.rest.addresses import address_routes, word_coded_problem
from holdfast.faces.rest.changes import MAX_QUOTED_CHARACTERS, Changes, wanted_topics
from holdfast.faces.rest.entity_tags import tagged_response
from holdfast.faces.rest.events import follow_changes_and_feeds, send_events
from holdfast.faces.rest.feeds import OpenFeed
from holdfast.faces.rest.openapi import EVENTS_PATH, openapi_document
from holdfast.faces.rest.operations import OperationRoute, path_of
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, Invalid, closest
from holdfast.kernel.role import Role
from holdfast.kernel.route import Feed

_DESCRIPTION_PATH = "openapi.json"


class DescriptionRoute:
    """The OpenAPI description of the operations that the caller's role may use."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _require_get(scope)
        await tagged_response(self._document, single_headers(scope["headers"]))(scope, receive, send)

    @cached_property
    def _document(self) -> bytes:
        return json_text(openapi_document(self._dispatcher.registry.operations), for_a_person=False).encode()


class ChangesRoute:
    """The stream of changes, merged with the events of the feeds that the query names."""

    def __init__(self, dispatcher: Dispatcher, changes: Changes) -> None:
        self._dispatcher = dispatcher
        self._changes = changes
        self._feeds = {compile_path(f"/{feed.path}")[0]: feed for feed in dispatcher.registry.feeds}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _require_get(scope)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        wanted = wanted_topics(self._changes, ",".join(query.get("topics", [])))
        feeds = [self._feed(path, scope) for path in query.get("feed", [])]
        events = follow_changes_and_feeds(self._changes, feeds, _last_event_id(scope), wanted)
        await send_events(events, receive, send)

    def _feed(self, path: str, scope: Scope) -> OpenFeed:
        for pattern, feed in self._feeds.items():
            if (match := pattern.fullmatch(f"/{path}")) is not None:
                parts = {name: unquote(part) for name, part in match.groupdict().items()}
                return OpenFeed(feed, parts, self._dispatcher, self._changes, _actor(scope))
        paths = ", ".join(feed.path for feed in self._feeds.values())
        raise Invalid(
            f'There is no feed at "{path[:MAX_QUOTED_CHARACTERS]}".', hint=f"There are: {paths or 'none'}."
        )


class FeedRoute:
    """The stream of one feed."""

    def __init__(self, feed: Feed, dispatcher: Dispatcher, changes: Changes) -> None:
        self._feed = feed
        self._dispatcher = dispatcher
        self._changes = changes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _require_get(scope)
        feed = OpenFeed(self._feed, scope["path_params"], self._dispatcher, self._changes, _actor(scope))
        try:
            events = await feed.follow(_last_event_id(scope))
        except HoldfastError as failure:
            await word_coded_problem(failure)(scope, receive, send)
        else:
            await send_events(events, receive, send)


class RestFace:
    """Routes requests to operations, their description, and the streams of changes."""

    def __init__(self, dispatcher: Dispatcher, changes: Changes) -> None:
        registry = dispatcher.registry
        # Operations that the role may not use have a route too, so that the refusal names the role they need.
        unrestricted = registry.selection._replace(read_only=False, role=Role.ADMIN)
        operations = registry.select(unrestricted).operations
        operation_paths = [path_of(item) for item in registry.operations]
        self._known_paths = [*operation_paths, _DESCRIPTION_PATH, EVENTS_PATH]
        self._router = Router(
            [
                Route(API_PATH + EVENTS_PATH, ChangesRoute(dispatcher, changes)),
                *(
                    Route(API_PATH + feed.path, FeedRoute(feed, dispatcher, changes))
                    for feed in registry.feeds
                ),
                Route(API_PATH + _DESCRIPTION_PATH, DescriptionRoute(dispatcher)),
                *(Route(API_PATH + path_of(item), OperationRoute(item, dispatcher)) for item in operations),
                *address_routes(operations, dispatcher),
            ],
            redirect_slashes=False,
            default=self._refuse,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._router(scope, receive, send)

    async def _refuse(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        suggestion = closest(scope["path"].removeprefix(API_PATH), self._known_paths)
        hint = f"{API_PATH}{_DESCRIPTION_PATH} describes all operations."
        raise UnknownRoute(
            "There is nothing at that path.",
            hint=hint if suggestion is None else f'Did you mean "{suggestion}"? {hint}',
        )


def _actor(scope: Scope) -> str | None:
    exchange = http_exchange_of(scope)
    return None if exchange is None else exchange.actor


def _last_event_id(scope: Scope) -> str | None:
    """Return the id of the last event that a client saw, from the header or the query.

    A browser cannot set the header when it opens a new stream.
    """
    if (header := single_headers(scope["headers"]).get(b"last-event-id")) is not None:
        return header.decode("latin-1")
    query = parse_qs(scope["query_string"].decode("latin-1"))
    return query["last_event_id"][0] if "last_event_id" in query else None


def _require_get(scope: Scope) -> None:
    if scope["method"] != "GET":
        raise MethodNotAllowed("This can only be read.", hint="Use GET.", allowed="GET")
