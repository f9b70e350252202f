"""Streams of a room's own numbered events.

Contract:
- The events come from the room's record, so their ids outlive the server and are the same in every process.
- A client that names the last id it saw gets everything after it. One that names none gets what happens from
  now on, after an event `ready` whose id is the current position.
- The record is read only when the feed's topic has changed.
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
    dispatcher: Dispatcher
    changes: Changes
    actor: str | None

    async def follow(self, last_id: str | None) -> AsyncIterator[FeedEvent]:
        """Return what was missed since an event, then what happens.

        The record is read before this returns: a refusal is raised here, and not in the stream.
        """
        await self.changes.start()
        seen = self.changes.count
        position, missed = await self.read(last_id)
        greeting = [FeedEvent(position, READY, {})] if last_id is None else []
        return self._following(position, [*greeting, *missed], seen)

    async def _following(self, position: str, events: list[FeedEvent], seen: int) -> AsyncIterator[FeedEvent]:
        for event in events:
            yield event
        async for event in self.rest(position):
            position = event.id
            yield event
        async for _ in self.changes.after(seen, frozenset((self.feed.topic,))):
            async for event in self.rest(position):
                position = event.id
                yield event

    async def rest(self, position: str) -> AsyncIterator[FeedEvent]:
        """Yield everything after a position; a record is read in portions."""
        position, events = await self.read(position)
        while events:
            for event in events:
                yield event
            position, events = await self.read(position)

    async def read(self, position: str | None) -> tuple[str, list[FeedEvent]]:
        """Return the new position, and what came after a position; None stands for the current one."""
        call = self.dispatcher.new_call(actor=self.actor)
        work = partial(self.dispatcher.feed, self.feed, position, self.parts, call)
        try:
            return await self.dispatcher.run_in_thread(work, call)
        except BaseException:
            call.settle(answered=False)
            raise
