"""Resources that can be read by URI: single ones, and URI templates that stand for many."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from holdfast.kernel.errors import HoldfastError, UnknownResource, did_you_mean

if TYPE_CHECKING:
    from holdfast.kernel.content import Annotations

Complete = Callable[[Any, str], Iterable[str]]
"""Given the room and the beginning of a value, returns the values that fit, best first."""


@dataclass(frozen=True)
class Announcement:
    """Something new that a client may want to show at once."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


Announce = Callable[[Any, Any], tuple[Any, list[Announcement]]]
"""Given the room and a position (None at first), returns the new position and what came since."""


@dataclass(frozen=True)
class ResourceBody:
    """What a resource holds: text, or bytes."""

    text: str | None = None
    data: bytes | None = None
    mime_type: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Fields a specification puts beside the contents, such as `annotations`."""


@dataclass(frozen=True)
class ListedResource:
    """One address of a family, as a list shows it."""

    uri: str
    name: str
    description: str
    mime_type: str
    title: str | None = None
    size: int | None = None
    annotations: Annotations | None = None


@dataclass(frozen=True)
class Resource:
    """Something readable by address: one URI, or a family of them with `{name}` and `{+path}` parts."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: Callable[..., str | ResourceBody]
    toolset: str
    family: str
    title: str | None = None
    topic: str | None = None
    """What to watch to know that the contents changed: a toolset, or a part of it as `toolset/part`, in which
    parts of the address may stand."""
    list_topic: str | None = None
    """What to watch to know that `members` would list others; without it they are compared."""
    fingerprint: Callable[..., object] | None = None
    """Given the room and the parts of an address, returns a cheap value that differs when the contents at
    that address do. Without it whoever follows an address hears of every change of the topic."""
    announce: Announce | None = None
    complete: Mapping[str, Complete] = field(default_factory=dict)
    specified: bool = False
    members: Callable[[Any], Iterable[ListedResource]] | None = None
    """Given the room, lists the addresses a family has at this moment."""
    malformed: Callable[[str], HoldfastError] | None = None
    """Says what is wrong with an address that begins like one of this family and is none."""
    annotations: Annotations | None = None

    @property
    def fixed_part(self) -> str:
        """Return how every address of this resource begins."""
        return self.uri.partition("{")[0]

    @property
    def is_template(self) -> bool:
        """Return whether the address has parts to fill in."""
        return "{" in self.uri

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split(r"(\{\+?\w+\})", self.uri)
        return re.compile("".join(_part_pattern(part) for part in parts), re.DOTALL)

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the still encoded parts of `uri` when it is an address of this resource."""
        found = self._pattern.fullmatch(uri)
        return None if found is None else found.groupdict()


def _part_pattern(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    name = part.strip("{+}")
    return f"(?P<{name}>.+)" if part.startswith("{+") else f"(?P<{name}>[^/]+)"


QUOTED_URI_CHARACTERS = 2000
"""How many characters of an unknown URI an error quotes: enough to recognise it, a chosen bound."""


def find_resource(resources: Iterable[Resource], uri: str) -> tuple[Resource, dict[str, str]]:
    """Return the resource at `uri` and the parts of the address, decoded exactly once."""
    known = list(resources)
    for resource in known:
        parts = resource.match(uri)
        if parts is not None:
            return resource, {name: _decoded(resource, uri, part) for name, part in parts.items()}
    for resource in known:
        if resource.malformed is not None and uri.startswith(resource.fixed_part):
            raise resource.malformed(uri)
    ended = [(item, uri + item.uri.rpartition("}")[2]) for item in known if item.is_template]
    addresses = [item.uri for item in known] + [whole for item, whole in ended if item.match(whole)]
    raise unknown_resource(uri, hint=did_you_mean(uri, addresses))


def unknown_resource(uri: str, hint: str) -> UnknownResource:
    """Return the failure of an address that nothing has."""
    return UnknownResource(f"Resource not found: {uri[:200]}", hint=hint, uri=uri[:QUOTED_URI_CHARACTERS])


def family_of(resources: Iterable[Resource], uri: str, otherwise: str) -> str:
    """Return the family whose codes tell what is wrong with `uri`: that of the resource it begins like."""
    return next((item.family for item in resources if uri.startswith(item.fixed_part)), otherwise)


def _decoded(resource: Resource, uri: str, part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        if resource.malformed is not None:
            raise resource.malformed(uri) from None
        raise unknown_resource(uri, hint="Its address is not UTF-8.") from None
