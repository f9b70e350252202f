"""A stream of what changes, for whoever shows it: server-sent events with replay.

Contract:
- An event says that something of a topic changed, whichever process changed it. What it is now is for the
  client to ask. So one event may stand for several changes, and an event too many does no harm.
- From the first listener on every change is numbered and kept, as many as the limit says, so that a client
  that comes back with the id of the last event it saw gets what it missed.
- An id from before a restart, from another worker process or too old cannot be placed. Its client gets one
  event for each topic: anything may have changed.
- A feed is a stream of a room's own numbered events. They come from the room's record, so their ids outlive
  the server and are the same in every process. A client that names the last id it saw gets everything after
  it; one that names none gets what happens from now on, after an event `ready` that tells where that is.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.types import Receive, Send

from holdfast.faces.http.asgi import SIGN_OF_LIFE, client_left
from holdfast.faces.mcp.publisher import Topics
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Invalid, did_you_mean
from holdfast.kernel.limits import Limits
from holdfast.kernel.route import Feed, FeedEvent
from holdfast.kernel.text import parse_natural
from holdfast.kernel.untrusted import json_text

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Changes:
    """Numbers what changes, and lets any number of streams follow."""

    def __init__(self, topics: Iterable[str], source: Topics, limits: Limits) -> None:
        self.topics = tuple(sorted(set(topics)))
        self._source = source
        self._epoch = secrets.token_hex(4)
        self._kept: deque[tuple[int, str]] = deque(maxlen=limits.events_kept)
        self.count = 0
        """How many changes were noticed so far."""
        self._stops: list[Callable[[], None]] | None = None
        self._starting = asyncio.Lock()
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self.ended = False

    async def start(self) -> None:
        """Watch every topic from now on. Opening a room touches the disk, so it happens beside the loop."""
        async with self._starting:
            if self._stops is None:
                loop = asyncio.get_running_loop()
                self._stops = [await asyncio.to_thread(self._watch, topic, loop) for topic in self.topics]

    def _watch(self, topic: str, loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
        def changed() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._note, topic)

        return self._source.subscribe(topic, changed)

    def _note(self, topic: str) -> None:
        self.count += 1
        self._kept.append((self.count, topic))
        self._wake()

    def _wake(self) -> None:
        task = asyncio.get_running_loop().create_task(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def follow(
        self, last_id: str | None, wanted: frozenset[str], patience: float
    ) -> AsyncIterator[bytes]:
        """Yield what was missed, then what happens, and a sign of life when nothing does."""
        await self.start()
        position = self.count if last_id is None else self._position(last_id)
        if position is None:
            position = self.count
            for topic in self.topics:
                if topic in wanted:
                    yield self._event(position, "changed", topic=topic)
        else:
            # The place where a client came in, so that it can come back to it.
            yield self._event(position, "ready", topics=self.topics)
        while not self.ended:
            for number, topic in [entry for entry in self._kept if entry[0] > position]:
                position = number
                if topic in wanted:
                    yield self._event(number, "changed", topic=topic)
            if not await self.more_than(position, patience):
                yield SIGN_OF_LIFE

    async def more_than(self, position: int, patience: float) -> bool:
        """Wait for a change after a position, or for the end; return whether there was one."""
        try:
            async with asyncio.timeout(patience), self._news:
                await self._news.wait_for(lambda: self.count > position or self.ended)
        except TimeoutError:
            return False
        return True

    def _position(self, identity: str) -> int | None:
        epoch, _, number = identity.partition("-")
        oldest = self._kept[0][0] if self._kept else self.count + 1
        place = parse_natural(number)
        if epoch != self._epoch or place is None:
            return None
        return place if oldest - 1 <= place <= self.count else None

    def _event(self, number: int, name: str, **data: object) -> bytes:
        return f"id: {self._epoch}-{number}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()

    def close(self) -> None:
        """Stop watching and end every stream."""
        self.ended = True
        for stop in self._stops or ():
            stop()
        self._stops = []
        self._wake()


def wanted_topics(changes: Changes, text: str | None) -> frozenset[str]:
    """Return the topics that a comma-separated list names, or all of them."""
    names = frozenset(part.strip() for part in (text or "").split(",") if part.strip())
    for name in sorted(names - set(changes.topics)):
        raise Invalid(f'There is no topic named "{name[:80]}".', hint=did_you_mean(name, changes.topics))
    return names or frozenset(changes.topics)


async def send_events(events: AsyncIterator[bytes], receive: Receive, send: Send) -> None:
    """Send events until they end or the client leaves."""
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    leaving = asyncio.ensure_future(client_left(receive))
    try:
        while (event := await _next_event(events, leaving)) is not None:
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        leaving.cancel()


async def _next_event(events: AsyncIterator[bytes], leaving: asyncio.Future[None]) -> bytes | None:
    coming: asyncio.Future[bytes | None] = asyncio.ensure_future(anext(events, None))
    waiting: set[asyncio.Future[Any]] = {coming, leaving}
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if coming.done():
        return coming.result()
    coming.cancel()
    await asyncio.wait({coming})
    return None


@dataclass(frozen=True)
class OpenFeed:
    """One client's stream of a feed."""

    feed: Feed
    parts: dict[str, str]
    dispatcher: Dispatcher
    changes: Changes
    actor: str | None

    async def follow(self, held: str | None) -> AsyncIterator[bytes]:
        """Return what was missed, then what happens, and a sign of life when nothing does.

        The first look is taken before anything is sent: it may be refused.
        """
        await self.changes.start()
        seen = self.changes.count
        position, missed = await self._news(held)
        greeting = [FeedEvent(position, "ready", {})] if held is None else []
        return self._following(position, [*greeting, *missed], seen)

    async def _following(self, position: str, events: list[FeedEvent], seen: int) -> AsyncIterator[bytes]:
        patience = self.dispatcher.limits.event_stream_ping_seconds
        for event in events:
            yield _encoded(event)
        while not self.changes.ended:
            position, events = await self._news(position)
            for event in events:
                yield _encoded(event)
            if not events and not await self.changes.more_than(seen, patience):
                yield SIGN_OF_LIFE
            seen = seen if events else self.changes.count

    async def _news(self, position: str | None) -> tuple[str, list[FeedEvent]]:
        call = self.dispatcher.new_call(actor=self.actor)
        work = partial(self.dispatcher.feed, self.feed, position, self.parts, call)
        try:
            return await self.dispatcher.run_in_thread(work, call)
        except BaseException:
            call.settle(answered=False)
            raise


def _encoded(event: FeedEvent) -> bytes:
    data = json_text(event.data, for_a_person=False)
    return f"id: {event.id}\nevent: {event.name}\ndata: {data}\n".encode()
