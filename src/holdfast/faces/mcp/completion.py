"""Values that fit what a person has typed of a prompt's or an address's argument."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import mcp_types as types

from holdfast.kernel.dispatch import Rooms
from holdfast.kernel.errors import UnknownPrompt, did_you_mean
from holdfast.kernel.operation import Prompt
from holdfast.kernel.registry import Registry
from holdfast.kernel.resource import Complete, unknown

_MOST_VALUES = 100
_MOST_COUNTED = 10_000


def completed(registry: Registry, rooms: Rooms, params: types.CompleteRequestParams) -> types.Completion:
    """Return the values for the argument that is being typed."""
    name, typed = params.argument.name, params.argument.value
    if isinstance(params.ref, types.PromptReference):
        values = _for_prompt(registry, rooms, params.ref.name, name, typed)
    else:
        values = _for_address(registry, rooms, str(params.ref.uri), name, typed)
    found = list(islice(values, _MOST_COUNTED))
    return types.Completion(values=found[:_MOST_VALUES], total=len(found), has_more=len(found) > _MOST_VALUES)


def _for_prompt(registry: Registry, rooms: Rooms, prompt_name: str, name: str, typed: str) -> Iterable[str]:
    for prompt in registry.prompts:
        if prompt.name == prompt_name:
            completer = prompt.complete.get(name)
            return (
                _from(completer, rooms(prompt.toolset), typed) if completer else _allowed(prompt, name, typed)
            )
    known = [prompt.name for prompt in registry.prompts]
    raise UnknownPrompt(f"Unknown prompt: {prompt_name}", hint=did_you_mean(prompt_name, known))


def _for_address(registry: Registry, rooms: Rooms, uri: str, name: str, typed: str) -> Iterable[str]:
    for resource in registry.resources:
        if resource.uri == uri:
            completer = resource.complete.get(name)
            return _from(completer, rooms(resource.toolset), typed) if completer else ()
    known = [resource.uri for resource in registry.resources]
    raise unknown(uri, hint=did_you_mean(uri, known))


def _from(completer: Complete, room: Any, typed: str) -> Iterable[str]:
    return completer(room, typed)


def _allowed(prompt: Prompt, name: str, typed: str) -> Iterable[str]:
    """Return the values a declaration allows, where it allows only some."""
    schema = prompt.input.model_json_schema().get("properties", {}).get(name, {})
    return [value for value in schema.get("enum", []) if str(value).lower().startswith(typed.lower())]
