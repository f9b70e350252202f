"""Server-sent events: sends a stream, and merges the changes of topics with the events of feeds.

Contract of `follow_changes_and_feeds`, which lets the page use one connection:
- It yields the events of `Changes`, and those of the feeds under their own names.
- An id holds a position in the changes and one in each feed, separated by `~`, in the order of the feeds. A
  client that returns with it and with the same feeds misses nothing.
- A feed that refuses to be read has no events until its topic changes, when it is read again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Send

from holdfast.faces.json_text import json_text
from holdfast.faces.rest.changes import READY, Changes
from holdfast.faces.rest.feeds import OpenFeed
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.route import FeedEvent

_ID_SEPARATOR = "~"
_LINE_END = "\n"


async def follow_changes_and_feeds(
    changes: Changes, feeds: Sequence[OpenFeed], last_id: str | None, wanted: frozenset[str]
) -> AsyncIterator[FeedEvent]:
    """Yield the changes of the wanted topics and the events of feeds, after the positions in `last_id`."""
    last_change, *last_positions = (last_id or "").split(_ID_SEPARATOR)
    # An empty position stands for a feed that could not be read, or whose position the id does not have.
    positions = [*last_positions, *[""] * len(feeds)][: len(feeds)]
    topics = wanted | {feed.feed.topic for feed in feeds}
    async for change in changes.follow(last_change or None, topics):
        for number, feed in enumerate(feeds):
            if not positions[number]:
                positions[number] = await _current_position(feed)
        if change.name == READY or change.data["topic"] in wanted:
            yield change._replace(id=_ID_SEPARATOR.join((change.id, *positions)))
        for number, feed in enumerate(feeds):
            if positions[number] and (change.name == READY or change.data["topic"] == feed.feed.topic):
                async for event in _new_events(feed, positions[number]):
                    positions[number] = event.id
                    yield event._replace(id=_ID_SEPARATOR.join((change.id, *positions)))


async def _current_position(feed: OpenFeed) -> str:
    """Return the current position of a feed, or an empty string when reading it is refused."""
    try:
        return (await feed.read(None))[0]
    except HoldfastError:
        return ""


async def _new_events(feed: OpenFeed, position: str) -> AsyncIterator[FeedEvent]:
    """Yield the events of a feed after a position, or nothing when reading it is refused."""
    with suppress(HoldfastError):
        async for event in feed.events_after(position):
            yield event


async def send_events(
    events: AsyncIterator[FeedEvent],
    receive: Receive,
    send: Send,
    ping_seconds: float = LIMITS.event_stream_ping_seconds,
) -> None:
    """Send events until they end or the client disconnects, with periodic comments to keep it connected."""
    response = EventSourceResponse(
        _encode(events),
        sep=_LINE_END,
        ping=ping_seconds,
        ping_message_factory=lambda: ServerSentEvent(comment="still here", sep=_LINE_END),
    )
    await response({"type": "http", "method": "GET"}, receive, send)


async def _encode(events: AsyncIterator[FeedEvent]) -> AsyncIterator[ServerSentEvent]:
    async for event in events:
        data = json_text(event.data, for_a_person=False).rstrip(_LINE_END)
        yield ServerSentEvent(data, event=event.name, id=event.id, sep=_LINE_END)
