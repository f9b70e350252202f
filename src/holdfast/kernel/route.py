"""What a room declares for REST in addition to its operations: further routes, and feeds of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_NONE: Mapping[str, Any] = MappingProxyType({})


class Address(NamedTuple):
    """A route below `/api/` whose `{parts}` are arguments of the operation."""

    method: str
    path: str
    fixed: Mapping[str, Any] = _NONE
    """Arguments that this route sets."""
    status: int = 200
    takes: frozenset[str] | None = None
    """The other arguments that may be given; None for all of the operation's."""
    renamed: Mapping[str, str] = _NONE
    """The operation's argument names by this interface's names."""
    meanings: Mapping[str, Mapping[str, Any]] = _NONE
    """Words that this interface uses for values, by argument."""


class FeedEvent(NamedTuple):
    """An event, with an id that gives its position in the feed."""

    id: str
    name: str
    data: Mapping[str, Any]


class Feed(NamedTuple):
    """A stream of a room's numbered events, at a path below `/api/` with `{parts}`."""

    path: str
    topic: str
    read: Callable[..., tuple[str, list[FeedEvent]]]
    """Given the room and a position (None at first), returns the new position and the events since."""
    toolset: str
    family: str
    specified: bool = False
