"""Completes the argument that a user is typing for a prompt or a resource template (completion/complete)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import mcp_types as types

from holdfast.kernel.dispatch.dispatcher import Rooms
from holdfast.kernel.errors import did_you_mean
from holdfast.kernel.prompt import Prompt
from holdfast.kernel.registry import Registry
from holdfast.kernel.resource import Resource, unknown_resource

_MAX_COMPLETIONS_SENT = 100
"""The protocol's limit
(<https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion>)."""

_MAX_COMPLETIONS_COUNTED = 10_000
"""The highest `total` that is reported. A judgement: a request is sent with every keystroke, and no user
needs an exact count above this."""


def complete_argument(
    registry: Registry, rooms: Rooms, params: types.CompleteRequestParams
) -> types.Completion:
    """Return the values of the argument that continue the typed text."""
    name, typed = params.argument.name, params.argument.value
    declared: Prompt | Resource
    if isinstance(params.ref, types.PromptReference):
        declared = registry.prompt(params.ref.name)
    else:
        declared = _find_template(registry, str(params.ref.uri))
    completer = declared.complete.get(name)
    if completer is None:
        candidates = _enum_values(declared, name, typed)
    else:
        candidates = completer(rooms(declared.toolset), typed)
    values = list(islice(candidates, _MAX_COMPLETIONS_COUNTED))
    return types.Completion(
        values=values[:_MAX_COMPLETIONS_SENT], total=len(values), has_more=len(values) > _MAX_COMPLETIONS_SENT
    )


def _find_template(registry: Registry, uri: str) -> Resource:
    for resource in registry.resources:
        if resource.uri == uri:
            return resource
    raise unknown_resource(uri, hint=did_you_mean(uri, [resource.uri for resource in registry.resources]))


def _enum_values(declared: Prompt | Resource, name: str, typed: str) -> Iterable[str]:
    """Return the values of an enumerated argument that start with the typed text."""
    if isinstance(declared, Resource):
        return ()
    schema = declared.input.model_json_schema().get("properties", {}).get(name, {})
    return [value for value in schema.get("enum", []) if str(value).lower().startswith(typed.lower())]
