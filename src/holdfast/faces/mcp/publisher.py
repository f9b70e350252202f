"""Tells clients what changed, in both eras, whoever changed it, and logs to them what arrives.

Contract:
- A topic is watched only while somebody wants to hear of a resource of it; its room is opened then.
- When a topic changed, those who subscribed to one of its addresses are told. Where the resource can tell the
  state of one address (`fingerprint`), only if that state differs.
- Whoever listed the resources of a family is told when the family has other members than before.
- What is known about an address is forgotten with the last one who wants to hear of it.

The watcher notices writes of any process on a thread of its own, and rooms are looked at beside the event
loop; everything else here runs on it.

`Announcer` sends log messages, to clients that asked for them with logging/setLevel.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Protocol
from urllib.parse import unquote

import anyio
import mcp_types as types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from holdfast.kernel.call import Listed
from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.resource import Resource, find_resource

_log = logging.getLogger(__name__)


class ResourceStates:
    """Remembers states of addresses and members of families, and tells what differs."""

    def __init__(self, resources: Iterable[Resource], rooms: Rooms) -> None:
        self._resources = tuple(resources)
        self._rooms = rooms
        self._announced = frozenset(
            item.list_topic for item in self._resources if item.list_topic is not None
        )
        self._listed = [item for item in self._resources if _is_compared(item)]
        self._states: dict[str, object] = {}
        self._members: dict[str, object] = {}

    @property
    def list_topics(self) -> frozenset[str]:
        """Return the topics whose changes may change the list of resources."""
        return self._announced | {item.topic for item in self._listed if item.topic is not None}

    def check(self, uri: str) -> None:
        """Raise when nothing has this address."""
        find_resource(self._resources, uri)

    def topic_of(self, uri: str) -> str | None:
        """Return what to watch for an address."""
        for item in self._resources:
            parts = item.match(uri)
            if parts is not None:
                named = {name: unquote(part) for name, part in parts.items()}
                return None if item.topic is None else item.topic.format_map(named)
        return None

    def note(self, uris: Iterable[str], *, lists: bool) -> None:
        """Remember how these addresses stand, and families if wanted, unless that is known already."""
        for uri in uris:
            if uri not in self._states:
                self._states[uri] = self._state(uri)
        for resource in self._listed if lists else ():
            if resource.uri not in self._members:
                self._members[resource.uri] = self._addresses(resource)

    def changed(self, uris: Iterable[str]) -> set[str]:
        """Return those that stand differently now, and those about which that cannot be told."""
        found = {uri: self._state(uri) for uri in uris}
        differing = {uri for uri, state in found.items() if state is None or state != self._states.get(uri)}
        self._states.update(found)
        return differing

    def list_changed(self, topic: str) -> bool:
        """Return whether a family of a topic has other members now."""
        if topic in self._announced:
            return True
        found = {item.uri: self._addresses(item) for item in self._listed if item.topic == topic}
        differing = any(self._members.get(uri) != members for uri, members in found.items())
        self._members.update(found)
        return differing

    def forget_all_but(self, uris: set[str], *, lists: bool) -> None:
        """Forget what nobody follows any more."""
        for uri in [uri for uri in list(self._states) if uri not in uris]:
            self._states.pop(uri, None)
        if not lists:
            self._members.clear()

    def _state(self, uri: str) -> object:
        """Return the state of one address; None when its resource cannot tell."""
        try:
            resource, parts = find_resource(self._resources, uri)
            if resource.fingerprint is None:
                return None
            return ("is", resource.fingerprint(self._rooms(resource.toolset), **parts))
        except Exception as failure:
            return ("fails", _kind(failure))

    def _addresses(self, resource: Resource) -> object:
        assert resource.members is not None
        try:
            return [member.uri for member in resource.members(self._rooms(resource.toolset))]
        except Exception as failure:
            return ("fails", _kind(failure))


def _is_compared(resource: Resource) -> bool:
    """Return whether a family's members are compared, because nothing else tells that they are others."""
    if resource.members is None or resource.topic is None or resource.list_topic is not None:
        return False
    return "{" not in resource.topic


def _kind(failure: Exception) -> Any:
    if isinstance(failure, HoldfastError):
        return failure.kind
    # Nobody waits for this; that it failed differently than before is all a client may know.
    _log.warning("looking at a followed resource: %s", type(failure).__name__)
    return type(failure).__name__


_PATIENCE_SECONDS = 5.0
_SHOWN_AT = frozenset({"debug", "info"})


class Topics(Protocol):
    """Where changes are noticed."""

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on any thread, when something of `topic` changed; return how to stop."""


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


class Announcer:
    """Watches the resources that have news, and tells each client what came since it asked."""

    def __init__(self, resources: Iterable[Resource], topics: Topics, rooms: Rooms) -> None:
        self._resources = [item for item in resources if item.announce is not None]
        self._topics = topics
        self._rooms = rooms
        self._stops: dict[Hashable, list[Callable[[], None]]] = {}

    async def enable(self, client: Hashable, session: ServerSession, level: str) -> None:
        """Start or stop telling a client, by the lowest level it wants to see."""
        self.forget(client)
        if level in _SHOWN_AT:
            loop = asyncio.get_running_loop()
            self._stops[client] = [
                # Opening a room touches the disk.
                await loop.run_in_executor(None, self._follow, resource, session, loop)
                for resource in self._resources
            ]

    def _follow(
        self, resource: Resource, session: ServerSession, loop: asyncio.AbstractEventLoop
    ) -> Callable[[], None]:
        assert resource.announce is not None
        announce = resource.announce
        position, _ = announce(self._rooms(resource.toolset), None)

        def changed() -> None:
            nonlocal position
            position, news = announce(self._rooms(resource.toolset), position)
            for item in news if not loop.is_closed() else []:
                message = _log_message(resource, {"message": item.text, **item.data})
                asyncio.run_coroutine_threadsafe(session.send_notification(message), loop)

        return self._topics.subscribe(resource.topic or resource.toolset, changed)

    def forget(self, client: Hashable) -> None:
        """Tell a client that is gone nothing more."""
        for stop in self._stops.pop(client, []):
            stop()

    def close(self) -> None:
        """Stop telling anybody."""
        for client in list(self._stops):
            self.forget(client)


def _log_message(resource: Resource, data: dict[str, Any]) -> types.LoggingMessageNotification:
    return types.LoggingMessageNotification(
        params=types.LoggingMessageNotificationParams(level="info", logger=resource.family, data=data)
    )
