"""What a specification of a web interface adds to operations: further routes, and streams of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Address:
    """A route below `/api/` whose `{parts}` are arguments of the operation."""

    method: str
    path: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that this route stands for."""
    status: int = 200
    takes: frozenset[str] | None = None
    """The arguments that may be given beside the parts, where not all of the operation's make sense."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Arguments that this interface calls otherwise, by its names for them."""
    meanings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Words that stand for values here, by argument."""


@dataclass(frozen=True)
class FeedEvent:
    """One thing that happened, under an id that says where it stands among the others."""

    id: str
    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Feed:
    """A stream of a room's numbered events, at a path below `/api/` with `{parts}`."""

    path: str
    topic: str
    read: Callable[..., tuple[str, list[FeedEvent]]]
    """Given the room and a position (None at first), returns the new position and what came since."""
    toolset: str
    family: str
    specified: bool = False
