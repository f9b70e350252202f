"""Notifies MCP clients of both eras of resources and lists that changed, whichever process changed them.

Contract:
- A topic is watched only while a client follows a resource of it; its room is opened then.
- When a topic changed, those who subscribed to one of its resources are notified. Where the resource has a
  `fingerprint`, only if that differs.
- A client that listed the resources of a family is notified when the family has other members than before.
- What is stored about a resource is dropped with its last follower.

The watcher notifies on a thread of its own, and rooms are read in threads; everything else here runs on the
event loop.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from holdfast.faces.mcp.resource_states import ResourceStates
from holdfast.faces.topics import Topics
from holdfast.kernel.call import Listed
from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.resource import Resource

_PATIENCE_SECONDS = 5.0
"""How long a client may leave a notification unread before it is dropped. A judgement: a live client reads at
once, and the next change notifies again."""


class Publisher:
    """Keeps who listens to what, and tells them."""

    def __init__(self, resources: Iterable[Resource], topics: Topics, rooms: Rooms) -> None:
        self._states = ResourceStates(resources, rooms)
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
        self._states.check(uri)
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
        listed = self._states.list_topics if self._wants_lists else frozenset()
        return {topic for uri in self._wanted_uris if (topic := self._states.topic_of(uri))} | listed

    async def _begin(self) -> None:
        """Watch what is wanted and not watched yet, and remember how it stands."""
        async with self._beginning:
            for topic in self._wanted_topics() - self._watched.keys():
                stop = await asyncio.to_thread(self._topics.subscribe, topic, self._notifier(topic))
                self._watched[topic] = stop
            await asyncio.to_thread(self._states.note, self._wanted_uris, lists=self._wants_lists)
        self._stop_what_is_unwanted()

    def _stop_what_is_unwanted(self) -> None:
        for topic in self._watched.keys() - self._wanted_topics():
            self._watched.pop(topic)()
        self._states.forget_all_but(self._wanted_uris, lists=self._wants_lists)

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
            uris = {uri for uri in self._wanted_uris if self._states.topic_of(uri) == topic}
            if uris:
                for uri in sorted(await asyncio.to_thread(self._states.changed, uris)):
                    await self._updated(uri)
            if self._wants_lists and await asyncio.to_thread(self._states.list_changed, topic):
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
        event, notification = _CHANGED[listed]
        await self.bus.publish(event())
        for reader, theirs in told.items():
            self._run(self._deliver(reader, notification(theirs)))

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


_CHANGED: dict[Listed, tuple[Callable[[], Any], Callable[[ServerSession], Coroutine[Any, Any, None]]]] = {
    "tools": (ToolsListChanged, ServerSession.send_tool_list_changed),
    "prompts": (PromptsListChanged, ServerSession.send_prompt_list_changed),
    "resources": (ResourcesListChanged, ServerSession.send_resource_list_changed),
}
"""What tells that a list has changed: the event of a stream, and the notification of a client."""
