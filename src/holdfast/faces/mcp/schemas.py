"""The forms in which argument schemas are listed: complete, brief, or plain as in specifications.

- Complete: listed by the server of one specification.
- Brief: listed by the server of all specifications, because every model reads the whole list first. Brief
  schemas omit what does not help a model to choose a tool: lengths (a refusal names them), null as an
  alternative to omission, empty defaults, and arguments that only one specification has. Every argument is
  still checked against the complete schema.
- Plain: no references, nothing nullable, and no full stop at the end of descriptions.
"""

from __future__ import annotations

from typing import Any

from holdfast.kernel.models import ONLY_SPECIFIED

_ONLY_SPECIFIED_KEYWORD = next(iter(ONLY_SPECIFIED))
_LENGTH_KEYWORDS = frozenset({"maxLength", "minLength", "maxItems", "minItems"})
_KEYWORDS_WITH_NAMES = frozenset({"properties", "$defs"})
"""The keywords whose values map names, rather than keywords, to schemas."""

_NULL = {"type": "null"}


def brief_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the parts that do not help a model to choose a tool."""
    brief: dict[str, Any] = _brief(schema)
    arguments = brief.get("properties", {})
    for definition in brief.get("$defs", {}).values():
        definition.pop("description", None)
        definition.pop("additionalProperties", None)
        for name, part in definition.get("properties", {}).items():
            if arguments.get(name) == part:
                part.pop("description", None)  # the argument of that name has the same description
    return brief


def _brief(value: Any, *, names: bool = False) -> Any:
    """Return the brief form of a part; `names` says that its keys are names, not schema keywords."""
    if isinstance(value, list):
        return [_brief(item) for item in value]
    if not isinstance(value, dict):
        return value
    if names:
        return {key: _brief(item) for key, item in value.items() if not _is_only_specified(item)}
    rest = {
        key: _brief(item, names=key in _KEYWORDS_WITH_NAMES)
        for key, item in value.items()
        if key not in _LENGTH_KEYWORDS
    }
    return _drop_empty_default(_drop_null(rest))


def _is_only_specified(schema: Any) -> bool:
    return isinstance(schema, dict) and _ONLY_SPECIFIED_KEYWORD in schema


def _drop_null(schema: dict[str, Any]) -> dict[str, Any]:
    options = schema.get("anyOf", ())
    other_options = [option for option in options if option != _NULL]
    if len(other_options) == len(options):
        return schema
    rest = {key: item for key, item in schema.items() if key != "anyOf"}
    remaining = other_options[0] if len(other_options) == 1 else {"anyOf": other_options}
    return {**remaining, **rest}


def _drop_empty_default(schema: dict[str, Any]) -> dict[str, Any]:
    if "default" in schema and schema["default"] in (None, False, "", []):
        return {key: item for key, item in schema.items() if key != "default"}
    return schema


_KEYWORDS_NOT_PLAIN = frozenset({"additionalProperties", "$defs"})


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the plain form of an argument schema."""
    plain = _plain(schema, schema.get("$defs", {}))
    assert isinstance(plain, dict)
    return plain


def _plain(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_plain(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    value = _resolve(value, definitions)
    return {
        key: _plain_member(key, item, definitions)
        for key, item in value.items()
        if key not in _KEYWORDS_NOT_PLAIN
    }


def _plain_member(key: str, item: Any, definitions: dict[str, Any]) -> Any:
    if key == "properties" and isinstance(item, dict):
        return {name: _plain(schema, definitions) for name, schema in item.items()}
    if key == "description" and isinstance(item, str):
        return item.removesuffix(".")
    return _plain(item, definitions)


def _resolve(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
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
        return _resolve(schema, definitions)
    return schema
