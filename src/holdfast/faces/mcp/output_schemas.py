"""The forms in which schemas of results are listed: complete, or brief.

- Complete: listed by the server of one specification, and compared with every answer by our tests.
- Brief: listed by the server of all specifications, whose list a client loads before anything else. Members
  are named down to the depth that fits the limit, without descriptions; below it a value is any object. A
  result that fits the complete schema fits the brief one.
"""

from __future__ import annotations

import json
from typing import Any

from holdfast.kernel.operation import Operation
from holdfast.kernel.schema import strip_titles

_MAX_BRIEF_BYTES = 1_500
"""A judgement: it names every member of three results in four, and keeps the whole list below 60 kB."""
_MAX_DEPTH = 5
"""A judgement: no result of a tool is nested deeper."""
_ERROR_SCHEMA = {
    "type": "object",
    "description": "Only in a failed result: kind, code, message, hint and data.",
}


def output_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's result, which may be a failure instead.

    Clients validate failed results against the schema too; a failure that did not match would hide its
    message behind a validation error.
    """
    schema: dict[str, Any] = strip_titles(
        operation.output.model_json_schema(by_alias=True, mode="serialization")
    )
    schema.pop("description", None)
    if operation.output.requires_fields:
        return schema
    required = schema.pop("required", [])
    schema["properties"] = {**schema.get("properties", {}), "error": _ERROR_SCHEMA}
    if required:
        schema["anyOf"] = [{"required": required}, {"required": ["error"]}]
    return schema


def brief_output_schema(operation: Operation) -> dict[str, Any]:
    """Return the brief form of the schema of an operation's result."""
    schema = output_schema(operation)
    presence = {key: schema.pop(key) for key in ("required", "anyOf") if key in schema}
    definitions = schema.pop("$defs", {})
    for depth in range(_MAX_DEPTH, 0, -1):
        brief = _outline(schema, definitions, depth) | presence
        if len(json.dumps(brief, separators=(",", ":"), ensure_ascii=False).encode()) <= _MAX_BRIEF_BYTES:
            break
    return brief


def _outline(schema: Any, definitions: dict[str, Any], depth: int) -> dict[str, Any]:
    """Return a schema with the members of its objects down to a depth, and nothing but types and choices."""
    if not isinstance(schema, dict):
        return {}
    if "$ref" in schema:
        return _outline(definitions[schema["$ref"].rpartition("/")[2]], definitions, depth)
    if "anyOf" in schema:
        options = [_outline(option, definitions, depth) for option in schema["anyOf"]]
        return {"anyOf": options} if all(options) else {}
    for choice in ("enum", "const"):
        if choice in schema:
            return {choice: schema[choice]}
    outline = {"type": schema["type"]} if "type" in schema else {}
    if "items" in schema and (items := _outline(schema["items"], definitions, depth)):
        outline["items"] = items
    if "properties" in schema and depth:
        members = schema["properties"].items()
        outline["properties"] = {name: _outline(part, definitions, depth - 1) for name, part in members}
    return outline
