"""Tells clients what changed, in both eras, whoever changed it.

Contract:
- A topic is watched only while somebody wants to hear of a resource of it; its room is opened then.
- When a topic changed, those who subscribed to one of its addresses are told. Where the resource can tell the
  state of one address (`fingerprint`), only if that state differs.
- Whoever listed the resources of a family is told when the family has other members than before.
- What is known about an address is forgotten with the last one who wants to hear of it.

The watcher notices writes of any process on a thread of its own, and rooms are looked at beside the event
loop; everything else here runs on it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Protocol

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from holdfast.faces.mcp.standing import Standing
from holdfast.kernel.call import Listed
from holdfast.kernel.dispatch import Rooms
from holdfast.kernel.resource import Resource

_PATIENCE_SECONDS = 5.0


class Topics(Protocol):
    """Where changes are noticed."""

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on any thread, when something of `topic` changed; return how to stop."""


class Publisher:
    """Keeps who listens to what, and tells them."""

    def __init__(self, resources: Iterable[Resource], topics: Topics, rooms: Rooms) -> None:
        self._standing = Standing(resources, rooms)
        self._topics = topics
        self._subscribers: dict[tuple[Hashable, str], ServerSession] = {}
        self._listened: Counter[str] = Counter()
        self._list_readers: dict[Hashable, ServerSession] = {}
        self._list_streams = 0
        self._watched: dict[str, Callable[[], None]] = {}
        self._beginning = asyncio.Lock()
        self._telling: dict[str, bool] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.bus = InMemorySubscriptionBus()

    # Who wants to hear what

    async def subscribe(self, client: Hashable, uri: str, session: ServerSession) -> None:
        """Send a handshake-era client updates of `uri` from now on."""
        self._standing.check(uri)
        self._subscribers[client, uri] = session
        try:
            await self._begin()
        except BaseException:
            self._subscribers.pop((client, uri), None)
            raise

    def unsubscribe(self, client: Hashable, uri: str) -> None:
        """Send that client no more updates of `uri`."""
        self._subscribers.pop((client, uri), None)
        self._stop_what_is_unwanted()

    async def follow_lists(self, client: Hashable, session: ServerSession) -> None:
        """Tell a handshake-era client, which has seen the list of resources, when it changes."""
        known = client in self._list_readers
        self._list_readers[client] = session
        if not known:
            await self._begin()

    def forget(self, client: Hashable) -> None:
        """Tell a client that is gone nothing more."""
        for key in [key for key in self._subscribers if key[0] == client]:
            del self._subscribers[key]
        self._list_readers.pop(client, None)
        self._stop_what_is_unwanted()

    @asynccontextmanager
    async def listening(self, uris: Iterable[str], *, lists: bool = False) -> AsyncIterator[None]:
        """Watch what a stateless-era stream listens to, for as long as it lasts."""
        wanted = list(uris)
        self._listened.update(wanted)
        self._list_streams += lists
        try:
            await self._begin()
            yield
        finally:
            self._listened.subtract(wanted)
            self._listened += Counter()
            self._list_streams -= lists
            self._stop_what_is_unwanted()

    def close(self) -> None:
        """Stop watching."""
        for stop in self._watched.values():
            stop()
        self._watched.clear()

    @property
    def _wanted_uris(self) -> set[str]:
        return {uri for _, uri in self._subscribers} | set(self._listened)

    @property
    def _wants_lists(self) -> bool:
        return bool(self._list_readers or self._list_streams)

    def _wanted_topics(self) -> set[str]:
        listed = self._standing.list_topics if self._wants_lists else frozenset()
        return {topic for uri in self._wanted_uris if (topic := self._standing.topic_of(uri))} | listed

    async def _begin(self) -> None:
        """Watch what is wanted and not watched yet, and remember how it stands."""
        async with self._beginning:
            for topic in self._wanted_topics() - self._watched.keys():
                stop = await asyncio.to_thread(self._topics.subscribe, topic, self._notifier(topic))
                self._watched[topic] = stop
            await asyncio.to_thread(self._standing.note, self._wanted_uris, lists=self._wants_lists)
        self._stop_what_is_unwanted()

    def _stop_what_is_unwanted(self) -> None:
        for topic in self._watched.keys() - self._wanted_topics():
            self._watched.pop(topic)()
        self._standing.forget_all_but(self._wanted_uris, lists=self._wants_lists)

    # What changed

    def _notifier(self, topic: str) -> Callable[[], None]:
        loop = asyncio.get_running_loop()

        def changed() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._changed, topic)

        return changed

    def _changed(self, topic: str) -> None:
        """Look at a topic that changed; once more when it changes while somebody is looking."""
        if topic in self._telling:
            self._telling[topic] = True
            return
        self._telling[topic] = False
        self._run(self._tell(topic))

    async def _tell(self, topic: str) -> None:
        try:
            uris = {uri for uri in self._wanted_uris if self._standing.topic_of(uri) == topic}
            if uris:
                for uri in sorted(await asyncio.to_thread(self._standing.changed, uris)):
                    await self._updated(uri)
            if self._wants_lists and await asyncio.to_thread(self._standing.list_changed, topic):
                await self.list_changed("resources")
        finally:
            if self._telling.pop(topic):
                self._changed(topic)

    async def _updated(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        for (client, wanted), session in list(self._subscribers.items()):
            if wanted == uri:
                # Apart: one client that does not read must not keep news from the rest.
                self._run(self._deliver(client, session.send_resource_updated(uri)))

    async def list_changed(
        self, listed: Listed, client: Hashable = None, session: ServerSession | None = None
    ) -> None:
        """Tell streams that a list has changed, and the client that caused it, or else whoever read it."""
        told = dict(self._list_readers) if listed == "resources" and session is None else {}
        if session is not None:
            if listed == "resources" and client in self._list_readers:
                # What it did is noticed like anybody else's.
                return
            told[client] = session
        await self.bus.publish(_EVENTS[listed]())
        for reader, theirs in told.items():
            self._run(self._deliver(reader, _NOTIFICATIONS[listed](theirs)))

    async def _deliver(self, client: Hashable, sending: Coroutine[Any, Any, None]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await sending
        except TimeoutError:
            return
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.forget(client)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_EVENTS: dict[Listed, Callable[[], Any]] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}
_NOTIFICATIONS: dict[Listed, Callable[[ServerSession], Coroutine[Any, Any, None]]] = {
    "tools": ServerSession.send_tool_list_changed,
    "prompts": ServerSession.send_prompt_list_changed,
    "resources": ServerSession.send_resource_list_changed,
}
