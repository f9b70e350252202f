"""The last seen states of followed resources and the members of listed families, to find what differs now."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.resource import Resource, find_resource

_log = logging.getLogger(__name__)


class ResourceStates:
    """Stores the states of resources and the members of families, and finds what differs."""

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
        """Raise when no resource has this URI."""
        find_resource(self._resources, uri)

    def topic_of(self, uri: str) -> str | None:
        """Return the topic to watch for a URI."""
        for item in self._resources:
            parts = item.match(uri)
            if parts is not None:
                named = {name: unquote(part) for name, part in parts.items()}
                return None if item.topic is None else item.topic.format_map(named)
        return None

    def store(self, uris: Iterable[str], *, lists: bool) -> None:
        """Store the states that are not stored yet, of resources and, with `lists`, of families."""
        for uri in uris:
            if uri not in self._states:
                self._states[uri] = self._state(uri)
        for resource in self._listed if lists else ():
            if resource.uri not in self._members:
                self._members[resource.uri] = self._member_uris(resource)

    def changed(self, uris: Iterable[str]) -> set[str]:
        """Return the URIs whose state differs now, and those whose resource has no state."""
        found = {uri: self._state(uri) for uri in uris}
        differing = {uri for uri, state in found.items() if state is None or state != self._states.get(uri)}
        self._states.update(found)
        return differing

    def list_changed(self, topic: str) -> bool:
        """Return whether a family of a topic has other members now."""
        if topic in self._announced:
            return True
        found = {item.uri: self._member_uris(item) for item in self._listed if item.topic == topic}
        differing = any(self._members.get(uri) != members for uri, members in found.items())
        self._members.update(found)
        return differing

    def forget_all_but(self, uris: set[str], *, lists: bool) -> None:
        """Drop what no client follows."""
        for uri in [uri for uri in list(self._states) if uri not in uris]:
            self._states.pop(uri, None)
        if not lists:
            self._members.clear()

    def _state(self, uri: str) -> object:
        """Return the state of one resource; None when it has no `fingerprint`."""
        try:
            resource, parts = find_resource(self._resources, uri)
            if resource.fingerprint is None:
                return None
            return ("is", resource.fingerprint(self._rooms(resource.toolset), **parts))
        except Exception as failure:
            return ("fails", _kind(failure))

    def _member_uris(self, resource: Resource) -> object:
        assert resource.members is not None
        try:
            return [member.uri for member in resource.members(self._rooms(resource.toolset))]
        except Exception as failure:
            return ("fails", _kind(failure))


def _is_compared(resource: Resource) -> bool:
    """Return whether a family's members have to be compared: it has no topic for its list."""
    if resource.members is None or resource.topic is None or resource.list_topic is not None:
        return False
    return "{" not in resource.topic


def _kind(failure: Exception) -> Any:
    if isinstance(failure, HoldfastError):
        return failure.kind
    # No request waits for this; a client only learns that the failure is another one.
    _log.warning("comparing a followed resource: %s", type(failure).__name__)
    return type(failure).__name__
