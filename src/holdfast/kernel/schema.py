"""The JSON Schema of an operation's arguments, for clients."""

from __future__ import annotations

from typing import Any

from holdfast.kernel.models import ONLY_SPECIFIED
from holdfast.kernel.operation import Operation

_MARK = next(iter(ONLY_SPECIFIED))


def input_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's arguments."""
    schema: dict[str, Any] = strip_titles(operation.input.model_json_schema(by_alias=True))
    schema.pop("description", None)
    properties = schema.pop("properties", {})
    if not properties:
        return {"type": "object", "properties": {}}
    return {"type": "object", "properties": properties} | schema


def strip_marks(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without our own marks, such as `x-only-specified`."""
    stripped: dict[str, Any] = _strip_marks_in(schema)
    return stripped


def _strip_marks_in(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strip_marks_in(item) for key, item in value.items() if key != _MARK}
    return [_strip_marks_in(item) for item in value] if isinstance(value, list) else value


def strip_titles(value: Any, *, names: bool = False) -> Any:
    """Return a schema without titles, which only repeat field names.

    `names`: the keys of `value` are names of properties, so a key `title` stays.
    """
    if isinstance(value, dict):
        return {
            key: strip_titles(item, names=not names and key in {"properties", "$defs"})
            for key, item in value.items()
            if names or key != "title"
        }
    return [strip_titles(item) for item in value] if isinstance(value, list) else value
