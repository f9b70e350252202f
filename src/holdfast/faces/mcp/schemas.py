"""The forms in which argument schemas are listed: complete, brief, or plain as in specifications.

- Complete: listed by the server of one specification.
- Brief: listed by the server of all specifications, because every model reads the whole list first. Brief
  schemas omit what does not help a model to choose a tool: bounds (a refusal names them), null as an
  alternative to omission, empty defaults, descriptions that only repeat a name, and arguments that only one
  specification has. Every argument is still checked against the complete schema.
- Plain: no references, nothing nullable, and no full stop at the end of descriptions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, cast

from holdfast.kernel.models import ONLY_SPECIFIED_KEYWORD

_REFERENCE = re.compile(r'"#/\$defs/([^"]+)"')
_WORD = re.compile(r"\w+")
_OMITTED_KEYWORDS = frozenset(
    {"maxLength", "minLength", "maxItems", "minItems", "maximum", "minimum", "ge", "le", "example"}
)
"""Bounds, and keywords of specifications that no validator knows."""
_EMPTY_WORDS = frozenset(
    {"a", "its", "the", "this", "only", "new", "maximum", "number", "of", "with", "tasks", "comments"}
)
"""Words that tell nothing of an argument beside its name and the name of its tool, as in "Only tasks of this
milestone." """
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
        parts = definition.get("properties", {})
        if len(parts) > 1 and all(arguments.get(name) == part for name, part in parts.items()):
            definition.clear()
            definition.update(type="object", description=f"Members as above: {', '.join(parts)}.")
        for name, part in parts.items():
            if arguments.get(name) == part:
                part.pop("description", None)  # the argument of that name has the same description
    inlined: dict[str, Any] = _with_single_uses_inlined(brief)
    return inlined


def _with_single_uses_inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the definitions that only one place refers to: they are there instead."""
    definitions = schema.get("$defs", {})
    uses = Counter(_REFERENCE.findall(json.dumps(schema)))
    single = {name: part for name, part in definitions.items() if uses[name] == 1}

    def inline(value: Any) -> Any:
        if isinstance(value, list):
            return [inline(item) for item in value]
        if not isinstance(value, dict):
            return value
        name = str(value.get("$ref", "")).rpartition("/")[2]
        if name in single:
            return inline({**single[name], **_without(value, "$ref")})
        return {key: inline(item) for key, item in value.items()}

    kept = {name: part for name, part in definitions.items() if name not in single}
    return cast("dict[str, Any]", inline({**_without(schema, "$defs"), **({"$defs": kept} if kept else {})}))


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
            if keyword not in _OMITTED_KEYWORDS
        }
    )
    has_empty_default = "default" in schema and schema["default"] in _EMPTY_DEFAULTS
    return _without(schema, "default") if has_empty_default else schema


def _without_repetition(name: str, schema: Any) -> Any:
    """Return the schema of a property without a description that only repeats the property's name."""
    words = set(_WORD.findall(schema.get("description", "").lower())) if isinstance(schema, dict) else {name}
    says_nothing = words and words <= {*_EMPTY_WORDS, *name.lower().split("_")}
    return _without(schema, "description") if says_nothing else schema


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
