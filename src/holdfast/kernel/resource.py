"""Resources that can be read by URI, and families of resources with a URI template."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from holdfast.kernel.errors import HoldfastError, UnknownResource, did_you_mean

if TYPE_CHECKING:
    from holdfast.kernel.content import ContentAnnotations

MAX_QUOTED_URI_CHARACTERS = 2000
"""How much of an unknown URI an error contains as data. A judgement: enough to recognise the URI."""
_MAX_MESSAGE_URI_CHARACTERS = 200
"""How much of an unknown URI an error message contains. A judgement: about two lines."""

Complete = Callable[[Any, str], Iterable[str]]
"""Given the room and the start of a value, returns the matching values, best first."""


@dataclass(frozen=True)
class Announcement:
    """An event that a client may want to show immediately."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


Announce = Callable[[Any, Any], tuple[Any, list[Announcement]]]
"""Given the room and a position (None at first), returns the new position and the events since then."""


@dataclass(frozen=True)
class ResourceBody:
    """The contents of a resource: text or bytes."""

    text: str | None = None
    data: bytes | None = None
    mime_type: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Further fields that a specification adds to the contents, such as `annotations`."""


@dataclass(frozen=True)
class ListedResource:
    """One resource of a family, as lists show it."""

    uri: str
    name: str
    description: str
    mime_type: str
    title: str | None = None
    size: int | None = None
    annotations: ContentAnnotations | None = None


@dataclass(frozen=True)
class Resource:
    """A resource with one URI, or a family whose URI has `{name}` and `{+path}` parts (RFC 6570)."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: Callable[..., str | ResourceBody]
    toolset: str
    family: str
    title: str | None = None
    topic: str | None = None
    """The topic to watch for changes of the contents: a toolset, or `toolset/part`, with parts of the URI as
    `{name}`."""
    list_topic: str | None = None
    """The topic to watch for changes of `members`; without it, lists are compared to notice changes."""
    fingerprint: Callable[..., object] | None = None
    """Given the room and the parts of a URI, returns a cheap value that changes with the contents. Without
    it, subscribers of a URI are notified of every change of the topic."""
    announce: Announce | None = None
    complete: Mapping[str, Complete] = field(default_factory=dict)
    specified: bool = False
    members: Callable[[Any], Iterable[ListedResource]] | None = None
    """Given the room, lists the current resources of a family."""
    malformed: Callable[[str], HoldfastError] | None = None
    """Returns the error for a URI that starts like those of this family, but does not match."""
    annotations: ContentAnnotations | None = None

    @property
    def fixed_part(self) -> str:
        """The prefix that all URIs of this resource share."""
        return self.uri.partition("{")[0]

    @property
    def is_template(self) -> bool:
        """Whether this is a family, whose URI is a template."""
        return "{" in self.uri

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split(r"(\{\+?\w+\})", self.uri)
        return re.compile("".join(_part_pattern(part) for part in parts), re.DOTALL)

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the parts of `uri`, still percent-encoded, or None if it does not match."""
        match = self._pattern.fullmatch(uri)
        return None if match is None else match.groupdict()


def _part_pattern(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    name = part.strip("{+}")
    return f"(?P<{name}>.+)" if part.startswith("{+") else f"(?P<{name}>[^/]+)"


def find_resource(resources: Iterable[Resource], uri: str) -> tuple[Resource, dict[str, str]]:
    """Return the resource at `uri` and the parts of the URI, decoded exactly once."""
    candidates = list(resources)
    for resource in candidates:
        parts = resource.match(uri)
        if parts is not None:
            return resource, {name: _decode(resource, uri, part) for name, part in parts.items()}
    for resource in candidates:
        if resource.malformed is not None and uri.startswith(resource.fixed_part):
            raise resource.malformed(uri)
    similar_uris = [item.uri for item in candidates]
    for item in candidates:
        completed = uri + item.uri.rpartition("}")[2]  # the end of the template may be missing
        if item.is_template and item.match(completed):
            similar_uris.append(completed)
    raise unknown_resource(uri, hint=did_you_mean(uri, similar_uris))


def unknown_resource(uri: str, hint: str) -> UnknownResource:
    """Return the error for an unknown URI."""
    return UnknownResource(
        f"Resource not found: {uri[:_MAX_MESSAGE_URI_CHARACTERS]}",
        hint=hint,
        uri=uri[:MAX_QUOTED_URI_CHARACTERS],
    )


def family_of(resources: Iterable[Resource], uri: str, otherwise: str) -> str:
    """Return the family whose codes apply to `uri`: that of the first resource with the same prefix."""
    return next((item.family for item in resources if uri.startswith(item.fixed_part)), otherwise)


def _decode(resource: Resource, uri: str, part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        if resource.malformed is not None:
            raise resource.malformed(uri) from None
        raise unknown_resource(uri, hint="The URI is not UTF-8.") from None
