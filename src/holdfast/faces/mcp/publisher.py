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
    """Knows which client follows which resource, and notifies it."""

    def __init__(self, resources: Iterable[Resource], topics: Topics, rooms: Rooms) -> None:
        self._states = ResourceStates(resources, rooms)
        self._topics = topics
        self._subscribers: dict[tuple[Hashable, str], ServerSession] = {}
        self._listened: Counter[str] = Counter()
        self._list_readers: dict[Hashable, ServerSession] = {}
        self._list_streams = 0
        self._watched: dict[str, Callable[[], None]] = {}
        self._starting = asyncio.Lock()
        self._comparing: dict[str, bool] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.bus = InMemorySubscriptionBus()

    # Subscriptions

    async def subscribe(self, client: Hashable, uri: str, session: ServerSession) -> None:
        """Send a handshake-era client updates of `uri` from now on."""
        self._states.check(uri)
        self._subscribers[client, uri] = session
        try:
            await self._watch()
        except BaseException:
            self._subscribers.pop((client, uri), None)
            raise

    def unsubscribe(self, client: Hashable, uri: str) -> None:
        """Stop sending that client updates of `uri`."""
        self._subscribers.pop((client, uri), None)
        self._stop_unfollowed()

    async def follow_lists(self, client: Hashable, session: ServerSession) -> None:
        """Notify a handshake-era client that has read the list of resources when it changes."""
        known = client in self._list_readers
        self._list_readers[client] = session
        if not known:
            await self._watch()

    def forget(self, client: Hashable) -> None:
        """Drop a client that is gone."""
        for key in [key for key in self._subscribers if key[0] == client]:
            del self._subscribers[key]
        self._list_readers.pop(client, None)
        self._stop_unfollowed()

    @asynccontextmanager
    async def listening(self, uris: Iterable[str], *, lists: bool = False) -> AsyncIterator[None]:
        """Watch the resources of a stateless-era stream while the block runs."""
        wanted = list(uris)
        self._listened.update(wanted)
        self._list_streams += lists
        try:
            await self._watch()
            yield
        finally:
            self._listened.subtract(wanted)
            self._listened += Counter()
            self._list_streams -= lists
            self._stop_unfollowed()

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

    async def _watch(self) -> None:
        """Watch the followed topics that are not watched yet, and store their current state."""
        async with self._starting:
            for topic in self._wanted_topics() - self._watched.keys():
                stop = await asyncio.to_thread(self._topics.subscribe, topic, self._notifier(topic))
                self._watched[topic] = stop
            await asyncio.to_thread(self._states.store, self._wanted_uris, lists=self._wants_lists)
        self._stop_unfollowed()

    def _stop_unfollowed(self) -> None:
        for topic in self._watched.keys() - self._wanted_topics():
            self._watched.pop(topic)()
        self._states.forget_all_but(self._wanted_uris, lists=self._wants_lists)

    # Changes

    def _notifier(self, topic: str) -> Callable[[], None]:
        loop = asyncio.get_running_loop()

        def changed() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._changed, topic)

        return changed

    def _changed(self, topic: str) -> None:
        """Compare a topic that changed; compare it again if it changes during that."""
        if topic in self._comparing:
            self._comparing[topic] = True
            return
        self._comparing[topic] = False
        self._run(self._compare(topic))

    async def _compare(self, topic: str) -> None:
        try:
            uris = {uri for uri in self._wanted_uris if self._states.topic_of(uri) == topic}
            if uris:
                for uri in sorted(await asyncio.to_thread(self._states.changed, uris)):
                    await self._updated(uri)
            if self._wants_lists and await asyncio.to_thread(self._states.list_changed, topic):
                await self.list_changed("resources")
        finally:
            if self._comparing.pop(topic):
                self._changed(topic)

    async def _updated(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        for (client, wanted), session in list(self._subscribers.items()):
            if wanted == uri:
                # In separate tasks: a client that does not read must not delay the others.
                self._run(self._deliver(client, session.send_resource_updated(uri)))

    async def list_changed(
        self, listed: Listed, client: Hashable = None, session: ServerSession | None = None
    ) -> None:
        """Notify streams of a changed list, and the client that changed it, or else those that read it."""
        clients = dict(self._list_readers) if listed == "resources" and session is None else {}
        if session is not None:
            if listed == "resources" and client in self._list_readers:
                # It is notified by the watcher, as the others are.
                return
            clients[client] = session
        event, notification = _CHANGED[listed]
        await self.bus.publish(event())
        for reader, its_session in clients.items():
            self._run(self._deliver(reader, notification(its_session)))

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
"""For each list the event on a stream, and the notification to a handshake-era client."""
