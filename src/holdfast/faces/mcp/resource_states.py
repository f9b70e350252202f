"""Remembers the states of followed resources and the members of listed families, to detect changes.

`publisher` stores them when a client starts to follow, and compares them when a topic changes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from urllib.parse import unquote

from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.resource import Resource, find_resource

_log = logging.getLogger(__name__)


class ResourceStates:
    """Stores the states of resources and the members of families, and detects which have changed."""

    def __init__(self, resources: Iterable[Resource], rooms: Rooms) -> None:
        self._resources = tuple(resources)
        self._rooms = rooms
        self._list_topics = frozenset(
            item.list_topic for item in self._resources if item.list_topic is not None
        )
        """Topics that stand for the list itself: when one changes, the list has changed."""
        self._compared_families = [item for item in self._resources if _is_compared(item)]
        self._states: dict[str, object] = {}
        self._members: dict[str, object] = {}

    @property
    def list_topics(self) -> frozenset[str]:
        """Return the topics whose changes may change the list of resources."""
        family_topics = {item.topic for item in self._compared_families if item.topic is not None}
        return self._list_topics | family_topics

    def check(self, uri: str) -> None:
        find_resource(self._resources, uri)

    def topic_of(self, uri: str) -> str | None:
        """Return the topic to watch for a URI, or None if nothing announces its changes."""
        for item in self._resources:
            parts = item.match(uri)
            if parts is not None:
                values = {name: unquote(part) for name, part in parts.items()}
                return None if item.topic is None else item.topic.format_map(values)
        return None

    def store(self, uris: Iterable[str], *, with_members: bool) -> None:
        """Store the missing states of resources and, `with_members`, the missing members of families."""
        for uri in uris:
            if uri not in self._states:
                self._states[uri] = self._state(uri)
        for resource in self._compared_families if with_members else ():
            if resource.uri not in self._members:
                self._members[resource.uri] = self._member_uris(resource)

    def find_changed(self, uris: Iterable[str]) -> set[str]:
        """Store the current states; return the URIs whose state differs, or has nothing to compare."""
        current = {uri: self._state(uri) for uri in uris}
        changed = {uri for uri, state in current.items() if state is None or state != self._states.get(uri)}
        self._states.update(current)
        return changed

    def has_list_changed(self, topic: str) -> bool:
        """Return whether the list of resources has changed; store the current members for the next call."""
        if topic in self._list_topics:
            return True
        families = [item for item in self._compared_families if item.topic == topic]
        current = {item.uri: self._member_uris(item) for item in families}
        has_changed = any(self._members.get(uri) != members for uri, members in current.items())
        self._members.update(current)
        return has_changed

    def forget_all_but(self, uris: set[str], *, with_members: bool) -> None:
        """Drop the states of other resources and, unless `with_members`, the members of all families."""
        for uri in [uri for uri in list(self._states) if uri not in uris]:
            self._states.pop(uri, None)
        if not with_members:
            self._members.clear()

    def _state(self, uri: str) -> object:
        """Return a value that differs when the resource has changed; None when it has no `fingerprint`.

        A resource that fails has a state too, so that a client is notified when it works again.
        """
        try:
            resource, parts = find_resource(self._resources, uri)
            if resource.fingerprint is None:
                return None
            return ("is", resource.fingerprint(self._rooms(resource.toolset), **parts))
        except Exception as failure:
            return ("fails", _failure_kind(failure))

    def _member_uris(self, resource: Resource) -> object:
        assert resource.members is not None
        try:
            return [member.uri for member in resource.members(self._rooms(resource.toolset))]
        except Exception as failure:
            return ("fails", _failure_kind(failure))


def _is_compared(resource: Resource) -> bool:
    """Return whether changes of a family's members are detected by comparing: its list has no topic."""
    if resource.members is None or resource.topic is None or resource.list_topic is not None:
        return False
    return "{" not in resource.topic


def _failure_kind(failure: Exception) -> str:
    if isinstance(failure, HoldfastError):
        return failure.kind
    # No request reports this failure, so it is logged; clients are only notified of a change.
    _log.warning("comparing a followed resource: %s", type(failure).__name__)
    return type(failure).__name__
