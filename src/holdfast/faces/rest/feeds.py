"""Streams of a room's own numbered events, which a client can take up where it left off.

Contract:
- Events come from the room's record, so their ids outlive the server and are the same in every process.
- A client that names the last id it saw gets everything after it; one that names none gets what happens
  from now on, after an event `ready` that tells where that is.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote

from holdfast.faces.http.boundary import Headers
from holdfast.faces.rest.addresses import path_pattern
from holdfast.faces.rest.events import SIGN_OF_LIFE, Changes
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.resource import Feed, FeedEvent


class FeedBook:
    """Finds the feed at a path."""

    def __init__(self, dispatcher: Dispatcher, changes: Changes) -> None:
        self._dispatcher = dispatcher
        self._changes = changes
        self._feeds = [(path_pattern(feed.path), feed) for feed in dispatcher.registry.feeds]

    def find(self, path: str) -> OpenFeed | None:
        """Return the feed at a path, or None."""
        for pattern, feed in self._feeds:
            if (found := pattern.fullmatch(path)) is not None:
                parts = {name: unquote(part) for name, part in found.groupdict().items()}
                return OpenFeed(feed, parts, self._dispatcher, self._changes)
        return None


@dataclass(frozen=True)
class OpenFeed:
    """One client's stream of a feed."""

    feed: Feed
    parts: dict[str, str]
    dispatcher: Dispatcher
    changes: Changes

    async def follow(self, headers: Headers) -> AsyncIterator[bytes]:
        """Yield what was missed, then what happens, and a sign of life when nothing does."""
        await self.changes.start()
        patience = self.dispatcher.limits.event_stream_ping_seconds
        held = headers.get(b"last-event-id")
        seen = self.changes.count
        if held is None:
            position, _ = await self._news(None)
            yield _encoded(FeedEvent(position, "ready", {}))
        else:
            position = held.decode("latin-1")
        while not self.changes.ended:
            position, events = await self._news(position)
            for event in events:
                yield _encoded(event)
            if not events and not await self.changes.more_than(seen, patience):
                yield SIGN_OF_LIFE
            seen = seen if events else self.changes.count

    async def _news(self, position: str | None) -> tuple[str, list[FeedEvent]]:
        call = self.dispatcher.new_call()
        work = partial(self.dispatcher.feed, self.feed, position, self.parts, call)
        try:
            return await self.dispatcher.run_aside(work, call)
        except BaseException:
            call.settle(answered=False)
            raise


def _encoded(event: FeedEvent) -> bytes:
    data: Any = json.dumps(event.data, ensure_ascii=False)
    return f"id: {event.id}\nevent: {event.name}\ndata: {data}\n\n".encode()
