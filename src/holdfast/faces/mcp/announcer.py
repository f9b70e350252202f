"""Logs arrivals, such as new review remarks, to clients that enabled logging with logging/setLevel.

A resource with an `announce` function (`holdfast.kernel.resource`) reports what arrived since a position.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import mcp_types as types
from mcp.server.session import ServerSession

from holdfast.faces.topics import Topics
from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.resource import Resource

_ANNOUNCED_LEVELS = frozenset({"debug", "info"})
"""The levels a client may set to receive arrivals, which are logged as `info`."""


class Announcer:
    """Watches the resources that announce arrivals, and logs to each client what arrives from then on."""

    def __init__(self, resources: Iterable[Resource], topics: Topics, rooms: Rooms) -> None:
        self._resources = [item for item in resources if item.announce is not None]
        self._topics = topics
        self._rooms = rooms
        self._stops: dict[Hashable, list[Callable[[], None]]] = {}
        """For each client, the functions that stop watching."""

    async def enable(self, client: Hashable, session: ServerSession, level: str) -> None:
        """Log to a client if `level`, the lowest that it requested, includes `info`; otherwise stop."""
        self.forget(client)
        if level in _ANNOUNCED_LEVELS:
            loop = asyncio.get_running_loop()
            self._stops[client] = [
                # Opening a room touches the disk.
                await loop.run_in_executor(None, self._watch, resource, session, loop)
                for resource in self._resources
            ]

    def _watch(
        self, resource: Resource, session: ServerSession, loop: asyncio.AbstractEventLoop
    ) -> Callable[[], None]:
        announce = resource.announce
        assert announce is not None
        position, _ = announce(self._rooms(resource.toolset), None)

        def log_arrivals() -> None:
            nonlocal position
            position, arrivals = announce(self._rooms(resource.toolset), position)
            if loop.is_closed():
                return
            for item in arrivals:
                message = _log_message(resource, {"message": item.text, **item.data})
                asyncio.run_coroutine_threadsafe(session.send_notification(message), loop)

        return self._topics.subscribe(resource.topic or resource.toolset, log_arrivals)

    def forget(self, client: Hashable) -> None:
        for stop in self._stops.pop(client, []):
            stop()

    def close(self) -> None:
        for client in list(self._stops):
            self.forget(client)


def _log_message(resource: Resource, data: dict[str, Any]) -> types.LoggingMessageNotification:
    return types.LoggingMessageNotification(
        params=types.LoggingMessageNotificationParams(level="info", logger=resource.family, data=data)
    )
