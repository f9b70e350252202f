"""Numbers the changes of topics and lets any number of streams follow them, with replay after a break.

Contract:
- An event says that something of a topic changed, whichever process changed it; the client asks what. So one
  event may stand for several changes, and a superfluous event does no harm.
- From the first stream on every change is numbered, and as many are stored as the limit says, so a client
  that returns with the id of its last event gets what it missed.
- An id from before a restart, from another worker process, or older than what is stored is unknown. Its
  client gets one event for each topic: anything may have changed.
- Only the streams that follow a topic are woken when it changes.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager

from holdfast.faces.topics import Topics
from holdfast.kernel.errors import Invalid, did_you_mean
from holdfast.kernel.limits import Limits
from holdfast.kernel.route import FeedEvent
from holdfast.kernel.text import parse_natural

READY, CHANGED = "ready", "changed"


class Changes:
    """The numbered changes of a server's topics."""

    def __init__(self, topics: Iterable[str], source: Topics, limits: Limits) -> None:
        self.topics = tuple(sorted(set(topics)))
        self._source = source
        self._epoch = secrets.token_hex(4)
        self._stored: deque[tuple[int, str]] = deque(maxlen=limits.events_kept)
        self.count = 0
        """The number of the latest change."""
        self._stops: list[Callable[[], None]] | None = None
        self._starting = asyncio.Lock()
        self._followers: set[tuple[frozenset[str], asyncio.Event]] = set()
        self._ended = False

    async def start(self) -> None:
        """Watch every topic from now on. Opening a room reads the disk, so that happens in a thread."""
        async with self._starting:
            if self._stops is None:
                loop = asyncio.get_running_loop()
                self._stops = [await asyncio.to_thread(self._watch, topic, loop) for topic in self.topics]

    def _watch(self, topic: str, loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
        def changed() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._add, topic)

        return self._source.subscribe(topic, changed)

    def _add(self, topic: str) -> None:
        self.count += 1
        self._stored.append((self.count, topic))
        for wanted, woken in self._followers:
            if topic in wanted:
                woken.set()

    async def follow(self, last_id: str | None, wanted: frozenset[str]) -> AsyncIterator[FeedEvent]:
        """Yield what was missed since an event, then what happens."""
        await self.start()
        position = self.count if last_id is None else self._position(last_id)
        if position is None:
            position = self.count
            for topic in self.topics:
                if topic in wanted:
                    yield self._event(position, CHANGED, topic=topic)
        else:
            # Its id is where the client begins, so that it can return to there.
            yield self._event(position, READY, topics=self.topics)
        async for event in self.after(position, wanted):
            yield event

    async def after(self, position: int, wanted: frozenset[str]) -> AsyncIterator[FeedEvent]:
        """Yield the changes of some topics after a number, until the server stops."""
        with self._following(wanted) as woken:
            while not self._ended:
                woken.clear()
                for number, topic in [entry for entry in self._stored if entry[0] > position]:
                    position = number
                    if topic in wanted:
                        yield self._event(number, CHANGED, topic=topic)
                await woken.wait()

    @contextmanager
    def _following(self, wanted: frozenset[str]) -> Iterator[asyncio.Event]:
        follower = (wanted, asyncio.Event())
        self._followers.add(follower)
        try:
            yield follower[1]
        finally:
            self._followers.discard(follower)

    def _position(self, last_id: str) -> int | None:
        """Return the number in an id, or None when it is not among the stored ones."""
        epoch, _, text = last_id.partition("-")
        oldest = self._stored[0][0] if self._stored else self.count + 1
        number = parse_natural(text)
        if epoch != self._epoch or number is None:
            return None
        return number if oldest - 1 <= number <= self.count else None

    def _event(self, number: int, name: str, **data: object) -> FeedEvent:
        return FeedEvent(f"{self._epoch}-{number}", name, data)

    def close(self) -> None:
        """Stop watching and end every stream."""
        self._ended = True
        for stop in self._stops or ():
            stop()
        self._stops = []
        for _, woken in self._followers:
            woken.set()


def wanted_topics(changes: Changes, text: str | None) -> frozenset[str]:
    """Return the topics that a comma-separated list names, or all of them."""
    names = frozenset(part.strip() for part in (text or "").split(",") if part.strip())
    for name in sorted(names - set(changes.topics)):
        raise Invalid(f'There is no topic named "{name[:80]}".', hint=did_you_mean(name, changes.topics))
    return names or frozenset(changes.topics)
