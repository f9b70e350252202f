"""Types, defaults and descriptions from a model's JSON Schema, for interfaces that parse or print its values.

The command line and the documentation use the same schema that a tool shows to its clients, so the three
cannot disagree about a name, a type, a default or a description.

`parse_value` converts text to a value by the same schema. Text that is not such a value stays text, and the
validator refuses it with the same message as in every interface.
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
    """The schema of one value, with its reference resolved and null as an alternative removed."""

    schema: Schema
    definitions: Schema
    """The definitions that references in `schema` name."""
    nullable: bool = False
    """Whether null was an alternative."""
    reference: str | None = None
    """The name of the definition that the schema was, if it was a reference."""

    @property
    def kind(self) -> str:
        """The JSON type, or `any` when several are allowed."""
        declared = self.schema.get("type")
        if declared is None and self.choices:
            return "string" if all(isinstance(choice, str) for choice in self.choices) else "any"
        return declared if isinstance(declared, str) else "any"

    @property
    def choices(self) -> tuple[Any, ...]:
        """The allowed values; empty if any value is allowed."""
        if "const" in self.schema:
            return (self.schema["const"],)
        return tuple(self.schema.get("enum", ()))

    @property
    def items(self) -> ValueShape:
        return _shape(self.schema.get("items", {}), self.definitions)

    @property
    def properties(self) -> list[Property]:
        """An object's named values in the order of their declaration."""
        required = frozenset(self.schema.get("required", ()))
        return [
            Property(name, _shape(schema, self.definitions), schema, name in required)
            for name, schema in self.schema.get("properties", {}).items()
        ]

    def type_name(self) -> str:
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
        text: str = self.schema.get("description", "")
        return text

    @property
    def default(self) -> Any:
        """The default; None if there is none or if it is null."""
        return self.schema.get("default")


def properties_of(model: type[BaseModel]) -> list[Property]:
    """Return the fields of an input model, with their names on the wire, in the order of declaration."""
    return _schema_of(model, as_result=False).properties


def result_fields(model: type[BaseModel]) -> Iterator[tuple[str, Property]]:
    """Yield every field of a result, including nested ones, with its path, such as `messages[].file`."""
    yield from _walk("", _schema_of(model, as_result=True), ())


def _schema_of(model: type[BaseModel], *, as_result: bool) -> ValueShape:
    schema = model.model_json_schema(by_alias=True, mode="serialization" if as_result else "validation")
    return _shape(schema, schema.get("$defs", {}))


def _walk(prefix: str, shape: ValueShape, ancestors: tuple[str, ...]) -> Iterator[tuple[str, Property]]:
    """Yield the fields below `shape`; `ancestors` are the references that led to it, to stop at a cycle."""
    for item in shape.properties:
        path, inner = f"{prefix}{item.name}", item.shape
        yield path, item
        while inner.kind == "array":
            path, inner = f"{path}[]", inner.items
        if inner.reference is None:
            yield from _walk(f"{path}.", inner, ancestors)
        elif inner.reference not in ancestors:
            yield from _walk(f"{path}.", inner, (*ancestors, inner.reference))


def _shape(schema: Schema, definitions: Schema) -> ValueShape:
    alternatives = [option for option in schema.get("anyOf", ()) if option != _NULL]
    nullable = len(alternatives) < len(schema.get("anyOf", ()))
    if len(alternatives) == 1:
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **alternatives[0]}
    reference = schema.get("$ref")
    if reference is not None:
        reference = str(reference).rpartition("/")[2]
        # Keywords beside `$ref`, such as the description of one field, win over the definition's.
        schema = {**definitions.get(reference, {}), **schema}
    return ValueShape(schema, definitions, nullable, reference)


def parse_value(name: str, shape: ValueShape, text: str, json_hint: str) -> Any:
    """Return the value that `text` stands for, or `text` itself if it is not of the shape's type.

    An object or a list has to be JSON; `json_hint` is the hint if it is not.
    """
    text = check_utf8(name, text)
    if shape.kind == "string":
        return text
    if shape.kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if shape.kind in ("integer", "number"):
        return _parse_number(text)
    return _parse_json(name, text, json_hint, allow_text=shape.kind == "any")


def check_utf8(name: str, text: str) -> str:
    """Return text; refuse it if it has unpaired surrogates, which stand for bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid_argument(name, "text in UTF-8", "These bytes are not valid UTF-8.") from None
    return text


def invalid_argument(name: str, expected: str, hint: str) -> InvalidArguments:
    """Return the error for an invalid argument, in the validator's wording."""
    problem = f'argument "{name}": input should be {expected}'
    return InvalidArguments(f"{problem}.", hint=hint, problems=[problem])


def _parse_number(text: str) -> int | float | str:
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        return text
    return value if type(value) in (int, float) else text


def _parse_json(name: str, text: str, json_hint: str, *, allow_text: bool) -> Any:
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        if allow_text:
            return text
    raise invalid_argument(name, "JSON", json_hint)
