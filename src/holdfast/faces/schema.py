"""What a model's JSON Schema says about its values, for faces that parse or print them.

The command line and the documentation read the same schema that a tool shows to its clients, so
the three cannot disagree about a name, a type, a default or a description.

Text that spells a value becomes the value by the same schema. What spells no such value is handed on as text:
whether it is acceptable is for the one validator to say, in the same words as on every face.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import from_json

from holdfast.kernel.errors import InvalidArguments

Schema = Mapping[str, Any]

_NULL = {"type": "null"}
_WORDS = {"string": "text", "boolean": "true or false", "any": "any value"}


class Shape(NamedTuple):
    """The kind of one value: references followed, null set apart."""

    schema: Schema
    definitions: Schema
    nullable: bool = False
    reference: str | None = None

    @property
    def kind(self) -> str:
        """Return the JSON type, or `any` when there is no single one."""
        stated = self.schema.get("type")
        if stated is None and self.choices:
            return "string" if all(isinstance(choice, str) for choice in self.choices) else "any"
        return stated if isinstance(stated, str) else "any"

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the only values there are, or nothing when they are open."""
        if "const" in self.schema:
            return (self.schema["const"],)
        return tuple(self.schema.get("enum", ()))

    @property
    def items(self) -> Shape:
        """Return the shape of a list's items."""
        return _shape(self.schema.get("items", {}), self.definitions)

    @property
    def properties(self) -> list[Property]:
        """Return an object's named values, in the order they were declared."""
        required = frozenset(self.schema.get("required", ()))
        return [
            Property(name, _shape(schema, self.definitions), schema, name in required)
            for name, schema in self.schema.get("properties", {}).items()
        ]

    def words(self) -> str:
        """Name the type for a reader."""
        return f"{self._plain_words()} or null" if self.nullable else self._plain_words()

    def _plain_words(self) -> str:
        if self.choices:
            return " | ".join(f"`{choice}`" for choice in self.choices)
        if self.kind == "array":
            return f"list of {self.items.words()}"
        return _WORDS.get(self.kind, self.kind)


class Property(NamedTuple):
    """One named value of an input or a result."""

    name: str
    shape: Shape
    schema: Schema
    required: bool

    @property
    def description(self) -> str:
        """Return what the declaration says about it."""
        text: str = self.schema.get("description", "")
        return text

    @property
    def default(self) -> Any:
        """Return the value taken when none is given; None also when there is no default."""
        return self.schema.get("default")


def properties_of(model: type[BaseModel]) -> list[Property]:
    """Return the named values of an input model, spelled as on the wire."""
    return _whole(model, as_result=False).properties


def result_fields(model: type[BaseModel]) -> Iterator[tuple[str, Property]]:
    """Yield every value of a result, nested ones included, with its path: `messages[].file`."""
    yield from _walk("", _whole(model, as_result=True), ())


def _whole(model: type[BaseModel], *, as_result: bool) -> Shape:
    schema = model.model_json_schema(by_alias=True, mode="serialization" if as_result else "validation")
    return _shape(schema, schema.get("$defs", {}))


def _walk(prefix: str, shape: Shape, above: tuple[str, ...]) -> Iterator[tuple[str, Property]]:
    for item in shape.properties:
        path, inner = f"{prefix}{item.name}", item.shape
        yield path, item
        while inner.kind == "array":
            path, inner = f"{path}[]", inner.items
        if inner.reference not in above:
            yield from _walk(f"{path}.", inner, (*above, *filter(None, [inner.reference])))


def _shape(schema: Schema, definitions: Schema) -> Shape:
    alternatives = [option for option in schema.get("anyOf", ()) if option != _NULL]
    nullable = len(alternatives) < len(schema.get("anyOf", ()))
    if len(alternatives) == 1:
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **alternatives[0]}
    reference = schema.get("$ref")
    if reference is not None:
        reference = str(reference).rpartition("/")[2]
        schema = {**definitions.get(reference, {}), **schema}
    return Shape(schema, definitions, nullable, reference)


def spelled_value(name: str, shape: Shape, text: str, quoting: str) -> Any:
    """Return the value that `text` spells; `quoting` says how to write what has to be JSON."""
    text = plain_text(name, text)
    if shape.kind == "string":
        return text
    if shape.kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if shape.kind in ("integer", "number"):
        return _number(text)
    return _json(name, text, quoting, open_ended=shape.kind == "any")


def plain_text(name: str, text: str) -> str:
    """Return text that can be written as UTF-8, or refuse it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refused(name, "text in UTF-8", "These bytes are no text.") from None
    return text


def refused(name: str, expected: str, hint: str) -> InvalidArguments:
    """Return the refusal of one argument, as the validator would word it."""
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
