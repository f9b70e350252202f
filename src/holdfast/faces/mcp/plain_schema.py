"""A schema in the plain form in which specifications write theirs: nothing referred to, nothing nullable.

What a caller may leave out is left out; that it might also be null is told only to those who read our own,
fuller schema. Descriptions lose the full stop that ours end with.
"""

from __future__ import annotations

from typing import Any

_NULL = {"type": "null"}
_OURS = frozenset({"additionalProperties", "$defs"})


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of arguments in plain form."""
    plain = _plain(schema, schema.get("$defs", {}))
    assert isinstance(plain, dict)
    return plain


def _plain(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_plain(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    value = _resolved(value, definitions)
    return {key: _member(key, item, definitions) for key, item in value.items() if key not in _OURS}


def _member(key: str, item: Any, definitions: dict[str, Any]) -> Any:
    if key == "properties" and isinstance(item, dict):
        return {name: _plain(schema, definitions) for name, schema in item.items()}
    if key == "description" and isinstance(item, str):
        return item.removesuffix(".")
    return _plain(item, definitions)


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with what it refers to in place, and without null as an alternative."""
    choices = schema.get("anyOf")
    if isinstance(choices, list) and _NULL in choices and len(choices) == 2:
        (other,) = (choice for choice in choices if choice != _NULL)
        rest = {key: item for key, item in schema.items() if key != "anyOf"}
        if rest.get("default", 0) is None:
            del rest["default"]
        schema = {**other, **rest}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        found = definitions.get(reference.rpartition("/")[2], {})
        schema = {**found, **{key: item for key, item in schema.items() if key != "$ref"}}
        return _resolved(schema, definitions)
    return schema
