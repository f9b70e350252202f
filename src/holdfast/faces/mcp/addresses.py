"""From a resource URI to the resource that has it."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

from holdfast.kernel.errors import UnknownResource, did_you_mean
from holdfast.kernel.resource import Resource

MOST_OF_AN_ADDRESS = 2000
"""How much of an address that nothing has is told back."""


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
    addresses = [item.uri for item in known]
    raise unknown(uri, hint=did_you_mean(uri, addresses))


def unknown(uri: str, hint: str) -> UnknownResource:
    """Return the failure of an address that nothing has."""
    return UnknownResource(f"Resource not found: {uri[:200]}", hint=hint, uri=uri[:MOST_OF_AN_ADDRESS])


def family_of(resources: Iterable[Resource], uri: str, otherwise: str) -> str:
    """Return the family whose codes tell what is wrong with `uri`: that of the resource it begins like."""
    return next((item.family for item in resources if uri.startswith(item.fixed_part)), otherwise)


def _decoded(resource: Resource, uri: str, part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        if resource.malformed is not None:
            raise resource.malformed(uri) from None
        raise unknown(uri, hint="Its address is not UTF-8.") from None
