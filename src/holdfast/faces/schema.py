"""Types, defaults and descriptions from a model's JSON Schema, for faces that parse or print its values.

The command line and the documentation use the same schema that a tool shows to its clients, so the three
cannot disagree about a name, a type, a default or a description.

Text is converted to a value by the same schema. Text that spells no such value stays text, and the one
validator refuses it with the same message as on every face.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import from_json

from holdfast.kernel.errors import InvalidArguments

Schema = Mapping[str, Any]

_NULL = {"type": "null"}
_TYPE_NAMES = {"string": "text", "boolean": "true or false", "any": "any value"}


class ValueShape(NamedTuple):
    """The schema of one value, with references resolved and null separated."""

    schema: Schema
    definitions: Schema
    nullable: bool = False
    reference: str | None = None

    @property
    def kind(self) -> str:
        """Return the JSON type, or `any` when there is no single one."""
        declared = self.schema.get("type")
        if declared is None and self.choices:
            return "string" if all(isinstance(choice, str) for choice in self.choices) else "any"
        return declared if isinstance(declared, str) else "any"

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the allowed values, or nothing if any value is allowed."""
        if "const" in self.schema:
            return (self.schema["const"],)
        return tuple(self.schema.get("enum", ()))

    @property
    def items(self) -> ValueShape:
        """Return the schema of a list's items."""
        return _shape(self.schema.get("items", {}), self.definitions)

    @property
    def properties(self) -> list[Property]:
        """Return an object's named values, in the order they were declared."""
        required = frozenset(self.schema.get("required", ()))
        return [
            Property(name, _shape(schema, self.definitions), schema, name in required)
            for name, schema in self.schema.get("properties", {}).items()
        ]

    def type_name(self) -> str:
        """Return the type as documentation shows it."""
        return f"{self._non_null_name()} or null" if self.nullable else self._non_null_name()

    def _non_null_name(self) -> str:
        if self.choices:
            return " | ".join(f"`{choice}`" for choice in self.choices)
        if self.kind == "array":
            return f"list of {self.items.type_name()}"
        return _TYPE_NAMES.get(self.kind, self.kind)


class Property(NamedTuple):
    """One named value of an input or a result."""

    name: str
    shape: ValueShape
    schema: Schema
    required: bool

    @property
    def description(self) -> str:
        """Return the description."""
        text: str = self.schema.get("description", "")
        return text

    @property
    def default(self) -> Any:
        """Return the default, or None if there is none."""
        return self.schema.get("default")


def properties_of(model: type[BaseModel]) -> list[Property]:
    """Return the fields of an input model, with their names on the wire."""
    return _schema_of(model, as_result=False).properties


def result_fields(model: type[BaseModel]) -> Iterator[tuple[str, Property]]:
    """Yield every field of a result, including nested ones, with its path, such as `messages[].file`."""
    yield from _walk("", _schema_of(model, as_result=True), ())


def _schema_of(model: type[BaseModel], *, as_result: bool) -> ValueShape:
    schema = model.model_json_schema(by_alias=True, mode="serialization" if as_result else "validation")
    return _shape(schema, schema.get("$defs", {}))


def _walk(prefix: str, shape: ValueShape, above: tuple[str, ...]) -> Iterator[tuple[str, Property]]:
    for item in shape.properties:
        path, inner = f"{prefix}{item.name}", item.shape
        yield path, item
        while inner.kind == "array":
            path, inner = f"{path}[]", inner.items
        if inner.reference not in above:
            yield from _walk(f"{path}.", inner, (*above, *filter(None, [inner.reference])))


def _shape(schema: Schema, definitions: Schema) -> ValueShape:
    alternatives = [option for option in schema.get("anyOf", ()) if option != _NULL]
    nullable = len(alternatives) < len(schema.get("anyOf", ()))
    if len(alternatives) == 1:
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **alternatives[0]}
    reference = schema.get("$ref")
    if reference is not None:
        reference = str(reference).rpartition("/")[2]
        schema = {**definitions.get(reference, {}), **schema}
    return ValueShape(schema, definitions, nullable, reference)


def spelled_value(name: str, shape: ValueShape, text: str, quoting: str) -> Any:
    """Return the value that `text` spells; `quoting` is the hint for invalid JSON."""
    text = plain_text(name, text)
    if shape.kind == "string":
        return text
    if shape.kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if shape.kind in ("integer", "number"):
        return _number(text)
    return _json(name, text, quoting, open_ended=shape.kind == "any")


def plain_text(name: str, text: str) -> str:
    """Return text; refuse it if it cannot be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refused(name, "text in UTF-8", "These bytes are not valid UTF-8.") from None
    return text


def refused(name: str, expected: str, hint: str) -> InvalidArguments:
    """Return the refusal of an argument in the validator's wording."""
    problem = f'argument "{name}": input should be {expected}'
    return InvalidArguments(f"{problem}.", hint=hint, problems=[problem])


def _number(text: str) -> int | float | str:
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        return text
    return value if type(value) in (int, float) else text


def _json(name: str, text: str, quoting: str, *, open_ended: bool) -> Any:
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        if open_ended:
            return text
    raise refused(name, "JSON", quoting)
