"""Booleans that are booleans.

In JSON 0 is not false and "yes" is not true, and an agent that sends them has mistaken one argument for
another. Prompts are different: all their arguments are strings, so there "true" has to do.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationInfo
from pydantic_core import PydanticCustomError, core_schema

SPELLED = "spelled"
"""The context of a validation whose values were all spelled as text."""


def with_strict_booleans(schema: Any) -> Any:
    """Return a core schema whose booleans, however deep, take nothing but booleans."""
    if isinstance(schema, list | tuple):
        return type(schema)(with_strict_booleans(item) for item in schema)
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if kind == "bool":
        return core_schema.with_info_before_validator_function(_only_booleans, schema)
    if kind == "function-before" and schema["function"]["function"] is _only_booleans:
        return schema
    # Without a type it is a table of fields, whose names mean nothing here.
    opaque = _OPAQUE if isinstance(kind, str) else ()
    return {key: value if key in opaque else with_strict_booleans(value) for key, value in schema.items()}


_OPAQUE = frozenset({"metadata", "config", "default", "cls", "expected", "serialization", "function"})
"""Parts of a schema that describe no values, or are values themselves."""


def _only_booleans(value: Any, information: ValidationInfo) -> Any:
    if isinstance(value, bool) or information.context == SPELLED:
        return value
    raise PydanticCustomError("bool_type", "Input should be a valid boolean")
