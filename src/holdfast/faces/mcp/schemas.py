"""Argument schemas as lists of tools show them: brief, whole, or plain as specifications write theirs.

Whoever offers five specifications at once has to be brief: the list is read by a model before anything else.
So it leaves out what a model does not choose by: lengths (a refusal names them), that null is as good as
nothing, defaults that are empty, and arguments that only one specification asks for. Every argument is
checked against the whole schema all the same. A server limited to one specification lists everything.

In the plain form nothing is referred to and nothing is nullable: what a caller may leave out is left out.
That it might also be null is told only to those who read our own, fuller schema. Descriptions lose the full
stop that ours end with.
"""

from __future__ import annotations

from typing import Any

from holdfast.kernel.models import ONLY_SPECIFIED

_MARK = next(iter(ONLY_SPECIFIED))
_LENGTHS = frozenset({"maxLength", "minLength", "maxItems", "minItems"})
_NAMES = frozenset({"properties", "$defs"})


def brief_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a model needs to know of a schema."""
    found: dict[str, Any] = _brief(schema)
    said = found.get("properties", {})
    for definition in found.get("$defs", {}).values():
        definition.pop("description", None)
        definition.pop("additionalProperties", None)
        for name, part in definition.get("properties", {}).items():
            if said.get(name) == part:
                part.pop("description", None)  # it was said of the argument of that name
    return found


def _brief(value: Any, *, names: bool = False) -> Any:
    """Return a part of a schema in brief; `names` says that its keys are names that somebody chose."""
    if isinstance(value, list):
        return [_brief(item) for item in value]
    if not isinstance(value, dict):
        return value
    if names:
        return {key: _brief(item) for key, item in value.items() if not _is_marked(item)}
    kept = {key: _brief(item, names=key in _NAMES) for key, item in value.items() if key not in _LENGTHS}
    return _without_empty_default(_without_null(kept))


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
