"""The JSON Schema of an operation's arguments, for clients."""

from __future__ import annotations

from typing import Any

from holdfast.kernel.models import ONLY_SPECIFIED_KEYWORD
from holdfast.kernel.operation import Operation


def input_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's arguments."""
    schema: dict[str, Any] = strip_titles(operation.input.model_json_schema(by_alias=True))
    schema.pop("description", None)
    properties = schema.pop("properties", {})
    if not properties:
        return {"type": "object", "properties": {}}
    return {"type": "object", "properties": properties} | schema


def strip_marks(schema: Any) -> Any:
    """Return a schema, or any part of one, without the keyword that marks arguments for ourselves."""
    if isinstance(schema, dict):
        return {key: strip_marks(item) for key, item in schema.items() if key != ONLY_SPECIFIED_KEYWORD}
    return [strip_marks(item) for item in schema] if isinstance(schema, list) else schema


def strip_titles(value: Any, *, keys_are_names: bool = False) -> Any:
    """Return a schema, or any part of one, without titles, which only repeat field names.

    `keys_are_names`: the keys of `value` are names of properties, so a key `title` stays.
    """
    if isinstance(value, dict):
        return {
            key: strip_titles(item, keys_are_names=not keys_are_names and key in {"properties", "$defs"})
            for key, item in value.items()
            if keys_are_names or key != "title"
        }
    return [strip_titles(item) for item in value] if isinstance(value, list) else value
