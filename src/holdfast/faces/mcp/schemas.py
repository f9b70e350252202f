"""The forms in which argument schemas are listed: complete, brief, or plain as in specifications.

A server of five specifications at once lists brief schemas, because models read the list before anything
else. They omit what does not help a model to choose: lengths (a refusal names them), null as an alternative
to omission, empty defaults, and arguments that only one specification has. Every argument is still checked
against the complete schema. A server of one specification lists complete schemas.

Plain schemas have no references and nothing nullable, and their descriptions have no full stop at the end.
"""

from __future__ import annotations

from typing import Any

from holdfast.kernel.models import ONLY_SPECIFIED

_MARK = next(iter(ONLY_SPECIFIED))
_LENGTHS = frozenset({"maxLength", "minLength", "maxItems", "minItems"})
_NAMES = frozenset({"properties", "$defs"})


def brief_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without what does not help a model to choose."""
    found: dict[str, Any] = _brief(schema)
    arguments = found.get("properties", {})
    for definition in found.get("$defs", {}).values():
        definition.pop("description", None)
        definition.pop("additionalProperties", None)
        for name, part in definition.get("properties", {}).items():
            if arguments.get(name) == part:
                part.pop("description", None)  # the argument of that name has the same description
    return found


def _brief(value: Any, *, names: bool = False) -> Any:
    """Return the brief form of a part; with `names` its keys are names of fields, not of schema keywords."""
    if isinstance(value, list):
        return [_brief(item) for item in value]
    if not isinstance(value, dict):
        return value
    if names:
        return {key: _brief(item) for key, item in value.items() if not _is_marked(item)}
    rest = {key: _brief(item, names=key in _NAMES) for key, item in value.items() if key not in _LENGTHS}
    return _without_empty_default(_without_null(rest))


def _is_marked(schema: Any) -> bool:
    return isinstance(schema, dict) and _MARK in schema


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) == len(schema.get("anyOf", ())):
        return schema
    rest = {key: item for key, item in schema.items() if key != "anyOf"}
    return {**(options[0] if len(options) == 1 else {"anyOf": options}), **rest}


def _without_empty_default(schema: dict[str, Any]) -> dict[str, Any]:
    empty = "default" in schema and schema["default"] in (None, False, "", [])
    return {key: item for key, item in schema.items() if key != "default"} if empty else schema


_NULL = {"type": "null"}
_OURS = frozenset({"additionalProperties", "$defs"})


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the plain form of a schema of arguments."""
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
    """Return a schema with its reference resolved, and without null as an alternative."""
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
