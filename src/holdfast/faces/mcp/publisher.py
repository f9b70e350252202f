"""Notifies MCP clients of both eras of changed resources and lists, whichever process changed them.

Contract:
- A topic is watched only while a client follows one of its resources; its room is opened then.
- When a topic changes, the clients that follow one of its resources are notified. If the resource has a
  `fingerprint`, they are notified only when the fingerprint differs.
- A client that listed the resources of a family is notified when the members of the family change.
- The stored state of a resource is dropped when its last follower leaves.

The watcher calls back on its own thread, and rooms are read in worker threads; everything else in this module
runs on the event loop.
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

_DELIVERY_TIMEOUT_SECONDS = 5.0
"""How long a client may leave a notification unread before the notification is dropped. A judgement: a live
client reads at once, and the next change notifies it again."""


class Publisher:
    """Records which client follows which resource, and notifies it of changes."""

    def __init__(self, resources: Iterable[Resource], topics: Topics, rooms: Rooms) -> None:
        self._states = ResourceStates(resources, rooms)
        self._topics = topics
        self._subscribers: dict[tuple[Hashable, str], ServerSession] = {}
        """The subscriptions of handshake-era clients, by client and URI."""
        self._stream_uris: Counter[str] = Counter()
        """For each URI, how many stateless-era streams follow it."""
        self._list_readers: dict[Hashable, ServerSession] = {}
        """The handshake-era clients that have read the list of resources."""
        self._list_streams = 0
        """How many stateless-era streams follow the list of resources."""
        self._watched: dict[str, Callable[[], None]] = {}
        """For each watched topic, the function that stops watching it."""
        self._watch_lock = asyncio.Lock()
        self._comparing: dict[str, bool] = {}
        """For each topic being compared, whether it changed again meanwhile."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.bus = InMemorySubscriptionBus()

    # Subscriptions

    async def subscribe(self, client: Hashable, uri: str, session: ServerSession) -> None:
        self._states.check(uri)
        self._subscribers[client, uri] = session
        try:
            await self._watch()
        except BaseException:
            self._subscribers.pop((client, uri), None)
            raise

    def unsubscribe(self, client: Hashable, uri: str) -> None:
        self._subscribers.pop((client, uri), None)
        self._stop_unfollowed()

    async def follow_lists(self, client: Hashable, session: ServerSession) -> None:
        """Notify a handshake-era client that has read the list of resources when it changes."""
        is_new = client not in self._list_readers
        self._list_readers[client] = session
        if is_new:
            await self._watch()

    def forget(self, client: Hashable) -> None:
        for key in [key for key in self._subscribers if key[0] == client]:
            del self._subscribers[key]
        self._list_readers.pop(client, None)
        self._stop_unfollowed()

    @asynccontextmanager
    async def listening(self, uris: Iterable[str], *, with_lists: bool = False) -> AsyncIterator[None]:
        """Watch resources, and `with_lists` their list, for a stateless-era stream while the block runs."""
        followed = list(uris)
        self._stream_uris.update(followed)
        self._list_streams += with_lists
        try:
            await self._watch()
            yield
        finally:
            self._stream_uris.subtract(followed)
            self._stream_uris += Counter()  # removes the URIs that have no followers left
            self._list_streams -= with_lists
            self._stop_unfollowed()

    def close(self) -> None:
        for stop in self._watched.values():
            stop()
        self._watched.clear()

    @property
    def _followed_uris(self) -> set[str]:
        return {uri for _, uri in self._subscribers} | set(self._stream_uris)

    @property
    def _wants_lists(self) -> bool:
        return bool(self._list_readers or self._list_streams)

    def _followed_topics(self) -> set[str]:
        list_topics = self._states.list_topics if self._wants_lists else frozenset()
        topics = {self._states.topic_of(uri) for uri in self._followed_uris}
        return {topic for topic in topics if topic is not None} | list_topics

    async def _watch(self) -> None:
        """Watch the followed topics that are not watched yet, and store the states of their resources."""
        async with self._watch_lock:
            for topic in self._followed_topics() - self._watched.keys():
                stop = await asyncio.to_thread(self._topics.subscribe, topic, self._notifier(topic))
                self._watched[topic] = stop
            await asyncio.to_thread(self._states.store, self._followed_uris, with_members=self._wants_lists)
        self._stop_unfollowed()

    def _stop_unfollowed(self) -> None:
        for topic in self._watched.keys() - self._followed_topics():
            self._watched.pop(topic)()
        self._states.forget_all_but(self._followed_uris, with_members=self._wants_lists)

    # Changes

    def _notifier(self, topic: str) -> Callable[[], None]:
        loop = asyncio.get_running_loop()

        def notify() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._start_comparing, topic)

        return notify

    def _start_comparing(self, topic: str) -> None:
        """Compare a topic that changed; compare it again if it changes meanwhile."""
        if topic in self._comparing:
            self._comparing[topic] = True
            return
        self._comparing[topic] = False
        self._start(self._compare(topic))

    async def _compare(self, topic: str) -> None:
        try:
            uris = {uri for uri in self._followed_uris if self._states.topic_of(uri) == topic}
            if uris:
                for uri in sorted(await asyncio.to_thread(self._states.find_changed, uris)):
                    await self._publish_update(uri)
            if self._wants_lists and await asyncio.to_thread(self._states.has_list_changed, topic):
                await self.list_changed("resources")
        finally:
            if self._comparing.pop(topic):
                self._start_comparing(topic)

    async def _publish_update(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        for (client, followed_uri), session in list(self._subscribers.items()):
            if followed_uri == uri:
                # In separate tasks: a client that does not read must not delay the others.
                self._start(self._deliver(client, session.send_resource_updated(uri)))

    async def list_changed(
        self, listed: Listed, client: Hashable = None, session: ServerSession | None = None
    ) -> None:
        """Notify streams of a changed list, and either the given client or all clients that have read it."""
        clients = dict(self._list_readers) if listed == "resources" and session is None else {}
        if session is not None:
            if listed == "resources" and client in self._list_readers:
                # The watcher notifies it, as it notifies the others.
                return
            clients[client] = session
        event, send_notification = _LIST_CHANGES[listed]
        await self.bus.publish(event())
        for reader, reader_session in clients.items():
            self._start(self._deliver(reader, send_notification(reader_session)))

    async def _deliver(self, client: Hashable, sending: Coroutine[Any, Any, None]) -> None:
        try:
            async with asyncio.timeout(_DELIVERY_TIMEOUT_SECONDS):
                await sending
        except TimeoutError:
            return
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.forget(client)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_LIST_CHANGES: dict[
    Listed, tuple[Callable[[], Any], Callable[[ServerSession], Coroutine[Any, Any, None]]]
] = {
    "tools": (ToolsListChanged, ServerSession.send_tool_list_changed),
    "prompts": (PromptsListChanged, ServerSession.send_prompt_list_changed),
    "resources": (ResourcesListChanged, ServerSession.send_resource_list_changed),
}
"""For each list, the event on a stream and the method that notifies a handshake-era client."""
