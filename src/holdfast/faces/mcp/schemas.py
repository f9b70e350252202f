"""The forms in which argument schemas are listed: complete, brief, or plain as in specifications.

- Complete: listed by the server of one specification.
- Brief: listed by the server of all specifications, because every model reads the whole list first. Brief
  schemas omit what does not help a model to choose a tool: lengths (a refusal names them), null as an
  alternative to omission, empty defaults, descriptions that only repeat a name, and arguments that only one
  specification has. Every argument is still checked against the complete schema.
- Plain: no references, nothing nullable, and no full stop at the end of descriptions.
"""

from __future__ import annotations

import re
from typing import Any

from holdfast.kernel.models import ONLY_SPECIFIED_KEYWORD

_WORD = re.compile(r"\w+")
_LENGTH_KEYWORDS = frozenset({"maxLength", "minLength", "maxItems", "minItems"})
_KEYWORDS_WITH_NAMES = frozenset({"properties", "$defs"})
"""The keywords whose values map names, rather than keywords, to schemas."""
_KEYWORDS_NOT_PLAIN = frozenset({"additionalProperties", "$defs"})
_NULL = {"type": "null"}
_EMPTY_DEFAULTS: tuple[Any, ...] = (None, False, "", [])


def brief_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the brief form of an argument schema."""
    brief: dict[str, Any] = _brief(schema)
    arguments = brief.get("properties", {})
    for definition in brief.get("$defs", {}).values():
        definition.pop("description", None)
        definition.pop("additionalProperties", None)
        for name, part in definition.get("properties", {}).items():
            if arguments.get(name) == part:
                part.pop("description", None)  # the argument of that name has the same description
    return brief


def _brief(value: Any, *, keys_are_names: bool = False) -> Any:
    """Return the brief form of a part of a schema, whose keys are names or, by default, keywords."""
    if isinstance(value, list):
        return [_brief(item) for item in value]
    if not isinstance(value, dict):
        return value
    if keys_are_names:
        members = {name: _brief(item) for name, item in value.items() if not _is_only_specified(item)}
        return {name: _without_repetition(name, item) for name, item in members.items()}
    schema = _without_null(
        {
            keyword: _brief(item, keys_are_names=keyword in _KEYWORDS_WITH_NAMES)
            for keyword, item in value.items()
            if keyword not in _LENGTH_KEYWORDS
        }
    )
    has_empty_default = "default" in schema and schema["default"] in _EMPTY_DEFAULTS
    return _without(schema, "default") if has_empty_default else schema


def _without_repetition(name: str, schema: Any) -> Any:
    """Return the schema of a property without a description that only repeats the property's name."""
    words = set(_WORD.findall(schema.get("description", "").lower())) if isinstance(schema, dict) else {name}
    return _without(schema, "description") if words and words <= {"new", *name.lower().split("_")} else schema


def _is_only_specified(schema: Any) -> bool:
    return isinstance(schema, dict) and ONLY_SPECIFIED_KEYWORD in schema


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the plain form of an argument schema."""
    plain: dict[str, Any] = _plain(schema, schema.get("$defs", {}))
    return plain


def _plain(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_plain(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        keyword: _plain_member(keyword, item, definitions)
        for keyword, item in _resolve(value, definitions).items()
        if keyword not in _KEYWORDS_NOT_PLAIN
    }


def _plain_member(keyword: str, item: Any, definitions: dict[str, Any]) -> Any:
    if keyword == "properties":
        return {name: _plain(schema, definitions) for name, schema in item.items()}
    if keyword == "description":
        return item.removesuffix(".")
    return _plain(item, definitions)


def _resolve(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its references resolved, and without null as an alternative or default."""
    schema = _without_null(schema)
    if "default" in schema and schema["default"] is None:
        schema = _without(schema, "default")
    if "$ref" not in schema:
        return schema
    definition = definitions.get(schema["$ref"].rpartition("/")[2], {})
    return _resolve({**definition, **_without(schema, "$ref")}, definitions)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without null as an alternative, which stands for leaving the argument out."""
    alternatives = schema.get("anyOf", ())
    remaining = [option for option in alternatives if option != _NULL]
    if len(remaining) == len(alternatives):
        return schema
    simplified = remaining[0] if len(remaining) == 1 else {"anyOf": remaining}
    return {**simplified, **_without(schema, "anyOf")}


def _without(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    return {key: item for key, item in schema.items() if key != keyword}
