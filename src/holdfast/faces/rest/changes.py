"""Numbers the changes of topics and lets any number of streams follow them, and resume after an interruption.

Contract:
- An event says that something in a topic changed, whichever process changed it; the client then reads what
  changed. So one event may stand for several changes, and a superfluous event does no harm.
- Changes are numbered from the first stream on, and the latest `events_kept` are stored, so a client that
  returns with the id of its last event receives the events that it missed.
- An id from before a restart, from another worker process, or older than the stored changes is unknown. Its
  client receives one event for each topic, because anything may have changed.
- Only the streams that follow a topic are woken when it changes.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from holdfast.faces.topics import Topics
from holdfast.kernel.errors import Invalid, did_you_mean
from holdfast.kernel.limits import Limits
from holdfast.kernel.route import FeedEvent
from holdfast.kernel.text import parse_natural

READY = "ready"
"""The name of the first event of a new stream, which says where the stream starts."""
CHANGED = "changed"


MAX_QUOTED_CHARACTERS = 80
"""Of an unknown topic or feed. A judgement: longer than any name, and one line of a message."""
_EPOCH_BYTES = 4
"""32 random bits. A judgement: a few processes follow each other, and the ids stay short."""


class _Change(NamedTuple):
    number: int
    topic: str


class _Follower(NamedTuple):
    topics: frozenset[str]
    wakeup: asyncio.Event


class Changes:
    """The numbered changes of a server's topics."""

    def __init__(self, topics: Iterable[str], source: Topics, limits: Limits) -> None:
        self.topics = tuple(sorted(set(topics)))
        self._source = source
        self._epoch = secrets.token_hex(_EPOCH_BYTES)
        """The start of every id, which tells the ids of this process from those of others."""
        self._stored: deque[_Change] = deque(maxlen=limits.events_kept)
        self.count = 0
        """The number of the latest change."""
        self._unsubscribe: list[Callable[[], None]] | None = None
        self._start_lock = asyncio.Lock()
        self._followers: set[_Follower] = set()
        self._ended = False

    async def start(self) -> None:
        """Watch every topic from now on. Rooms are opened in a thread, because that reads the disk."""
        async with self._start_lock:
            if self._unsubscribe is None:
                loop = asyncio.get_running_loop()
                self._unsubscribe = [
                    await asyncio.to_thread(self._watch, topic, loop) for topic in self.topics
                ]

    def _watch(self, topic: str, loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
        def record_change() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._add, topic)

        return self._source.subscribe(topic, record_change)

    def _add(self, topic: str) -> None:
        self.count += 1
        self._stored.append(_Change(self.count, topic))
        for follower in self._followers:
            if topic in follower.topics:
                follower.wakeup.set()

    async def follow(self, last_id: str | None, wanted: frozenset[str]) -> AsyncIterator[FeedEvent]:
        """Yield the changes that were missed since an event, then every change as it happens.

        Without `last_id`, or if all changes since are stored, the first event is `READY`.
        """
        await self.start()
        position = self.count if last_id is None else self._position(last_id)
        if position is None:
            position = self.count
            for topic in self.topics:
                if topic in wanted:
                    yield self._event(position, CHANGED, topic=topic)
        else:
            # With the id of this event a client can resume before the first change.
            yield self._event(position, READY, topics=self.topics)
        async for event in self.after(position, wanted):
            yield event

    async def after(self, position: int, wanted: frozenset[str]) -> AsyncIterator[FeedEvent]:
        """Yield the changes of the wanted topics that are newer than `position`, until the server stops."""
        with self._following(wanted) as wakeup:
            while not self._ended:
                wakeup.clear()
                new_changes = [change for change in self._stored if change.number > position]
                for number, topic in new_changes:
                    position = number
                    if topic in wanted:
                        yield self._event(number, CHANGED, topic=topic)
                await wakeup.wait()

    @contextmanager
    def _following(self, wanted: frozenset[str]) -> Iterator[asyncio.Event]:
        follower = _Follower(wanted, asyncio.Event())
        self._followers.add(follower)
        try:
            yield follower.wakeup
        finally:
            self._followers.discard(follower)

    def _position(self, last_id: str) -> int | None:
        """Return the number in an id, or None when the changes after it are not all stored."""
        epoch, _, text = last_id.partition("-")
        oldest = self._stored[0].number if self._stored else self.count + 1
        number = parse_natural(text)
        if epoch != self._epoch or number is None:
            return None
        return number if oldest - 1 <= number <= self.count else None

    def _event(self, number: int, name: str, **data: object) -> FeedEvent:
        return FeedEvent(f"{self._epoch}-{number}", name, data)

    def close(self) -> None:
        self._ended = True
        for unsubscribe in self._unsubscribe or ():
            unsubscribe()
        self._unsubscribe = []
        for follower in self._followers:
            follower.wakeup.set()


def wanted_topics(changes: Changes, text: str | None) -> frozenset[str]:
    """Return the topics in a comma-separated list, or all topics if the list is empty."""
    names = frozenset(part.strip() for part in (text or "").split(",") if part.strip())
    for name in sorted(names - set(changes.topics)):
        raise Invalid(
            f'There is no topic named "{name[:MAX_QUOTED_CHARACTERS]}".',
            hint=did_you_mean(name, changes.topics),
        )
    return names or frozenset(changes.topics)
