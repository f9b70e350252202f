"""Completion of the argument of a prompt or a resource template that is being typed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import mcp_types as types

from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.errors import did_you_mean
from holdfast.kernel.prompt import Prompt
from holdfast.kernel.registry import Registry
from holdfast.kernel.resource import Resource, unknown_resource

_MAX_VALUES = 100
"""The protocol's limit
(<https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion>)."""


_MAX_COUNTED = 10_000
"""A chosen bound on the work for `total`."""


def completed(registry: Registry, rooms: Rooms, params: types.CompleteRequestParams) -> types.Completion:
    """Return completions of the argument."""
    name, typed = params.argument.name, params.argument.value
    declared: Prompt | Resource
    if isinstance(params.ref, types.PromptReference):
        declared = registry.prompt(params.ref.name)
    else:
        declared = _at_address(registry, str(params.ref.uri))
    completer = declared.complete.get(name)
    values = completer(rooms(declared.toolset), typed) if completer else _allowed(declared, name, typed)
    found = list(islice(values, _MAX_COUNTED))
    return types.Completion(values=found[:_MAX_VALUES], total=len(found), has_more=len(found) > _MAX_VALUES)


def _at_address(registry: Registry, uri: str) -> Resource:
    for resource in registry.resources:
        if resource.uri == uri:
            return resource
    raise unknown_resource(uri, hint=did_you_mean(uri, [resource.uri for resource in registry.resources]))


def _allowed(declared: Prompt | Resource, name: str, typed: str) -> Iterable[str]:
    """Return the values of an enumerated argument that begin with the typed text."""
    if isinstance(declared, Resource):
        return ()
    schema = declared.input.model_json_schema().get("properties", {}).get(name, {})
    return [value for value in schema.get("enum", []) if str(value).lower().startswith(typed.lower())]
