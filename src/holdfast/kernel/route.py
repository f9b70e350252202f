"""What a room declares for a web interface beside its operations: further routes, and feeds of events."""

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
    """Arguments that this route stands for."""
    status: int = 200
    takes: frozenset[str] | None = None
    """The arguments that may be given beside the parts, where not all of the operation's make sense."""
    renamed: Mapping[str, str] = _NONE
    """Arguments that this interface calls otherwise, by its names for them."""
    meanings: Mapping[str, Mapping[str, Any]] = _NONE
    """Words that stand for values here, by argument."""


class FeedEvent(NamedTuple):
    """One thing that happened, under an id that says where it stands among the others."""

    id: str
    name: str
    data: Mapping[str, Any]


class Feed(NamedTuple):
    """A stream of a room's numbered events, at a path below `/api/` with `{parts}`."""

    path: str
    topic: str
    read: Callable[..., tuple[str, list[FeedEvent]]]
    """Given the room and a position (None at first), returns the new position and what came since."""
    toolset: str
    family: str
    specified: bool = False
