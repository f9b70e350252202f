"""Tells subscribed clients what changed, in both eras, whoever changed it.

The watcher notices writes of any process on a thread of its own; everything here runs on the event
loop. A topic is watched only while somebody listens to a resource of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Iterable
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import unquote

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from holdfast.faces.mcp.addresses import find_resource
from holdfast.kernel.call import Listed
from holdfast.kernel.operation import Resource

_PATIENCE_SECONDS = 5.0


class Topics(Protocol):
    """Where changes are noticed."""

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on any thread, when something of `topic` changed; return how to stop."""


class Publisher:
    """Keeps who listens to what, and tells them."""

    def __init__(self, resources: Iterable[Resource], topics: Topics) -> None:
        self._resources = tuple(resources)
        self._topics = topics
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscribers: dict[tuple[Hashable, str], ServerSession] = {}
        self._listened: Counter[str] = Counter()
        self._readers_of_lists: dict[Hashable, ServerSession] = {}
        self._list_streams = 0
        self._watched: dict[str, Callable[[], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.bus = InMemorySubscriptionBus()

    def subscribe(self, client: Hashable, uri: str, session: ServerSession) -> None:
        """Send a handshake-era client updates of `uri` from now on."""
        find_resource(self._resources, uri)
        self._subscribers[client, uri] = session
        try:
            self._watch_what_is_wanted()
        except BaseException:
            del self._subscribers[client, uri]
            raise

    def unsubscribe(self, client: Hashable, uri: str) -> None:
        """Send that client no more updates of `uri`."""
        self._subscribers.pop((client, uri), None)
        self._watch_what_is_wanted()

    def forget(self, client: Hashable) -> None:
        """Send a client that is gone no more updates of anything."""
        for key in [key for key in self._subscribers if key[0] == client]:
            del self._subscribers[key]
        self._readers_of_lists.pop(client, None)
        self._watch_what_is_wanted()

    def follow_lists(self, client: Hashable, session: ServerSession) -> None:
        """Tell a handshake-era client that has listed resources when it would find others."""
        if any(item.list_topic is not None for item in self._resources):
            self._readers_of_lists[client] = session
            self._watch_what_is_wanted()

    @asynccontextmanager
    async def listening(self, uris: Iterable[str], *, lists: bool = False) -> AsyncIterator[None]:
        """Watch what a stateless-era stream listens to, for as long as it lasts."""
        wanted = list(uris)
        self._listened.update(wanted)
        self._list_streams += lists
        self._watch_what_is_wanted()
        try:
            yield
        finally:
            self._list_streams -= lists
            self._listened.subtract(wanted)
            self._listened += Counter()
            self._watch_what_is_wanted()

    async def list_changed(self, listed: Listed, session: ServerSession) -> None:
        """Tell listening streams, and the handshake-era client that caused it, that a list has changed."""
        match listed:
            case "tools":
                await self.bus.publish(ToolsListChanged())
                await session.send_tool_list_changed()
            case "prompts":
                await self.bus.publish(PromptsListChanged())
                await session.send_prompt_list_changed()
            case "resources":
                if session in self._readers_of_lists.values():
                    return  # the watcher has noticed, or will
                await self.bus.publish(ResourcesListChanged())
                await session.send_resource_list_changed()

    def close(self) -> None:
        """Stop watching."""
        for stop in self._watched.values():
            stop()
        self._watched.clear()

    def _watch_what_is_wanted(self) -> None:
        self._loop = asyncio.get_running_loop()
        wanted = {topic for uri in self._wanted_uris() if (topic := self._topic_of(uri)) is not None}
        if self._readers_of_lists or self._list_streams:
            wanted |= self._list_topics
        for topic in wanted - self._watched.keys():
            self._watched[topic] = self._topics.subscribe(topic, self._notifier(topic))
        for topic in self._watched.keys() - wanted:
            self._watched.pop(topic)()

    def _wanted_uris(self) -> set[str]:
        return {uri for _, uri in self._subscribers} | set(self._listened)

    def _topic_of(self, uri: str) -> str | None:
        for item in self._resources:
            parts = item.match(uri)
            if parts is not None:
                named = {name: unquote(part) for name, part in parts.items()}
                return None if item.topic is None else item.topic.format_map(named)
        return None

    @cached_property
    def _list_topics(self) -> frozenset[str]:
        return frozenset(item.list_topic for item in self._resources if item.list_topic is not None)

    def _notifier(self, topic: str) -> Callable[[], None]:
        def changed() -> None:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._publish, topic)

        return changed

    def _publish(self, topic: str) -> None:
        self._run(self._tell(topic))

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, topic: str) -> None:
        if topic in self._list_topics:
            await self.bus.publish(ResourcesListChanged())
            for client, session in list(self._readers_of_lists.items()):
                self._run(self._send(client, session.send_resource_list_changed()))
        for uri in sorted(self._wanted_uris()):
            if self._topic_of(uri) == topic:
                await self.bus.publish(ResourceUpdated(uri=uri))
                for (client, wanted), session in list(self._subscribers.items()):
                    if wanted == uri:
                        # Apart: one client that does not read must not keep news from the rest.
                        self._run(self._send(client, session.send_resource_updated(uri)))

    async def _send(self, client: Hashable, sending: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await sending
        except TimeoutError:
            return
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.forget(client)
