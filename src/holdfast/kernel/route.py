"""Declarations for REST beyond the routes of operations: further routes, and feeds of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_EMPTY: Mapping[str, Any] = MappingProxyType({})


class Address(NamedTuple):
    """A route below `/api/` whose `{parts}` are arguments of the operation."""

    method: str
    path: str
    fixed: Mapping[str, Any] = _EMPTY
    """Arguments that this route sets."""
    status: int = 200
    takes: frozenset[str] | None = None
    """The other arguments that a request may have; None for all arguments of the operation."""
    renamed: Mapping[str, str] = _EMPTY
    """The operation's argument names, by the names of this route."""
    meanings: Mapping[str, Mapping[str, Any]] = _EMPTY
    """The values of arguments, by the words of this route for them, by argument."""
    members: Mapping[str, str] = _EMPTY
    """Members that a request may have itself, each with the argument, an object, that they belong to."""


class FeedEvent(NamedTuple):
    """An event, with an id that gives its position in the feed."""

    id: str
    name: str
    data: Mapping[str, Any]


class Feed(NamedTuple):
    """A stream of numbered events, at a path below `/api/` with `{parts}`."""

    path: str
    topic: str
    read: Callable[..., tuple[str, list[FeedEvent]]]
    """Given the room and a position (None at first), returns the new position and the events since then."""
    toolset: str
    family: str
    specified: bool = False
