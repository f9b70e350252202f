"""Turns the arguments of a request into an operation's input model, with readable error messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from holdfast.kernel.errors import InvalidArguments, did_you_mean
from holdfast.kernel.models import ExpectedFormat, Input, wire_names

Model = TypeVar("Model", bound=Input)

_SAME_MEANING = (
    frozenset({"file", "file_path", "path", "project_path", "connected_file"}),
    frozenset({"text", "comment", "body"}),
)
"""Names that the specifications give to arguments with the same meaning."""
_SHAPE_MESSAGES = {
    "list_type": 'it has to be a list, such as ["a", "b"]',
    "model_type": 'it has to be an object, such as {"name": "value"}',
    "dict_type": 'it has to be an object, such as {"name": "value"}',
}
"""Replacements for pydantic's messages about wrong JSON types, which name Python's types."""


def validate_arguments(
    model: type[Model], arguments: Mapping[str, Any] | None, *, spelled: bool = False
) -> Model:
    """Return the arguments as a model; raise `InvalidArguments` naming every problem.

    `spelled`: all values are strings, as in prompts, so "true" is a boolean.
    """
    validate = model.model_validate_strings if spelled else model.model_validate
    try:
        return validate({} if arguments is None else arguments)
    except ValidationError as failure:
        errors = [dict(error) for error in failure.errors(include_url=False)]
    problems = [_describe_problem(model, error) for error in errors]
    text = "; ".join(problems)
    refusal = InvalidArguments(text if text.endswith("?") else f"{text}.", problems=problems)
    refusal.undecodable = any(_is_undecodable(error) for error in errors)
    raise refusal


def with_declared_names(model: type[Input], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with names that other tools use for the same thing replaced by the model's own.

    A name stays, to be refused as unknown, if the model's own is given as well or several would fit.
    """
    known = {*model.model_fields, *wire_names(model)}
    free = [
        info.alias or name
        for name, info in model.model_fields.items()
        if name not in arguments and info.alias not in arguments
    ]
    renamed: dict[str, Any] = {}
    for name, value in arguments.items():
        fitting = [] if name in known else [own for own in free if _mean_the_same(name, own)]
        renamed[fitting[0] if len(fitting) == 1 and fitting[0] not in renamed else name] = value
    return renamed


def _mean_the_same(one: str, other: str) -> bool:
    words = {_in_snake_case(one), _in_snake_case(other)}
    return len(words) == 1 or any(words <= names for names in _SAME_MEANING)


def _in_snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _is_undecodable(error: Mapping[str, Any]) -> bool:
    """Return whether a value is missing or of another JSON type, rather than just not allowed."""
    if error["type"] in {"literal_error", "enum"}:
        return not isinstance(error["input"], str)
    return error["type"] == "missing" or str(error["type"]).endswith(("_type", "_parsing"))


def _describe_problem(model: type[Input], error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f'unknown argument "{where}": {_suggested_name(model, error["loc"])}'.rstrip(": .")
    if error["type"] in _SHAPE_MESSAGES:
        return f'argument "{where}": {_SHAPE_MESSAGES[error["type"]]}'
    if error["type"] in {"too_long", "too_short"} and isinstance(error["input"], str):
        return (
            f'argument "{where}": {_simplify(error["msg"]).replace(" items after validation", " characters")}'
        )
    if error["type"] == "missing":
        return f'missing argument "{where}"'
    if error["type"] in {"literal_error", "enum"} and isinstance(error["input"], str):
        allowed = re.findall(r"'([^']*)'", str(error["ctx"]["expected"]))
        suggestion = did_you_mean(error["input"], allowed).rstrip(".")
        return f'argument "{where}": "{error["input"]}" is not allowed. {suggestion}'
    metadata = getattr(_field(model, where), "metadata", ())
    formats = [item for item in metadata if isinstance(item, ExpectedFormat)]
    if error["type"] == "string_pattern_mismatch" and formats:
        return f'argument "{where}": "{str(error["input"])[:40]}" is not {formats[0]}'
    return f'argument "{where}": {_simplify(error["msg"])}' if where else _simplify(error["msg"])


def _field(model: type[BaseModel], name: str) -> object:
    return next((info for field, info in model.model_fields.items() if name in (field, info.alias)), None)


def _suggested_name(model: type[BaseModel], path: Sequence[Any]) -> str:
    """Return a hint naming the known argument closest to the unknown argument at the end of a path."""
    for part in path[:-1]:
        if not isinstance(part, str):  # the index in a list
            continue
        inner = _model_in(getattr(_field(model, part), "annotation", None))
        if inner is None:
            return ""
        model = inner
    return did_you_mean(str(path[-1]), wire_names(model))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model in an annotation: the annotation itself, or the first in a list or union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part)) is not None), None)


def _simplify(message: str) -> str:
    """Return a pydantic message without its prefix, its technical ending and its capital letter."""
    text = message.removeprefix("Value error, ").partition(", unable to ")[0].rstrip(".")
    return text[:1].lower() + text[1:]
