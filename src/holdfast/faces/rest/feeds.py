"""Streams of the numbered events that a room stores, such as the history of a task.

Contract:
- The events come from the room's store, so their ids outlive the server and are the same in every process.
- A client that sends the last id it saw receives all events after it. A client that sends none receives the
  event `ready`, which has the current position as its id, and then new events.
- The store is read only when the feed's topic has changed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial

from holdfast.faces.rest.changes import READY, Changes
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.route import Feed, FeedEvent


@dataclass(frozen=True)
class OpenFeed:
    """One client's stream of a feed."""

    feed: Feed
    parts: dict[str, str]
    """The values of the parameters in the feed's path."""
    dispatcher: Dispatcher
    changes: Changes
    actor: str | None

    async def follow(self, last_id: str | None) -> AsyncIterator[FeedEvent]:
        """Return the events that were missed since an event, followed by new events as they happen.

        The store is read before this returns, so that a refusal is raised here and not within the stream.
        """
        await self.changes.start()
        change = self.changes.count  # before reading, so that a change meanwhile is not missed
        position, missed = await self.read(last_id)
        ready = [FeedEvent(position, READY, {})] if last_id is None else []
        return self._events(position, [*ready, *missed], change)

    async def _events(self, position: str, events: list[FeedEvent], change: int) -> AsyncIterator[FeedEvent]:
        for event in events:
            yield event
        async for event in self.events_after(position):
            position = event.id
            yield event
        async for _ in self.changes.after(change, frozenset((self.feed.topic,))):
            async for event in self.events_after(position):
                position = event.id
                yield event

    async def events_after(self, position: str) -> AsyncIterator[FeedEvent]:
        """Yield all events after a position; the store is read in portions."""
        position, events = await self.read(position)
        while events:
            for event in events:
                yield event
            position, events = await self.read(position)

    async def read(self, position: str | None) -> tuple[str, list[FeedEvent]]:
        """Return the next events after a position, and the position after them.

        None stands for the current position, after which there are no events yet.
        """
        call = self.dispatcher.new_call(actor=self.actor)
        work = partial(self.dispatcher.feed, self.feed, position, self.parts, call)
        try:
            return await self.dispatcher.run_in_thread(work, call)
        except BaseException:
            call.settle(answered=False)
            raise
