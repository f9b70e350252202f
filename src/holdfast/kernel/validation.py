"""From what arrived to an input model, or to an error that says what to change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from holdfast.kernel.booleans import SPELLED
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Input, wire_names
from holdfast.kernel.suggest import did_you_mean

_SHAPES = {
    "list_type": 'it has to be a list, such as ["a", "b"]',
    "model_type": 'it has to be an object, such as {"name": "value"}',
    "dict_type": 'it has to be an object, such as {"name": "value"}',
}
"""What the library says of a wrong shape in words of its own making."""


def validated(model: type[Input], arguments: Mapping[str, Any] | None, *, spelled: bool = False) -> Input:
    """Return the arguments as a model; raise `InvalidArguments` naming every problem.

    Where all values were `spelled` as text, as in prompts, "true" is a boolean.
    """
    try:
        return model.model_validate(
            {} if arguments is None else arguments, context=SPELLED if spelled else None
        )
    except ValidationError as failure:
        errors = [dict(error) for error in failure.errors(include_url=False)]
    problems = [_problem(model, error) for error in errors]
    text = "; ".join(problems)
    refusal = InvalidArguments(text if text.endswith("?") else f"{text}.", problems=problems)
    refusal.undecodable = any(_is_undecodable(error) for error in errors)
    raise refusal


def _is_undecodable(error: Mapping[str, Any]) -> bool:
    """Tell whether a value is missing or of another JSON type, rather than of the right type and refused."""
    if error["type"] in {"literal_error", "enum"}:
        return not isinstance(error["input"], str)
    return error["type"] == "missing" or str(error["type"]).endswith(("_type", "_parsing"))


def _problem(model: type[Input], error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
        return f'unknown argument "{where}": {did_you_mean(where, wire_names(model))}'.rstrip(".")
    if error["type"] == "extra_forbidden":
        return f'unknown argument "{where}": {_other_names(model, error["loc"])}'.rstrip(": .")
    if error["type"] in _SHAPES:
        return f'argument "{where}": {_SHAPES[error["type"]]}'
    if error["type"] in {"too_long", "too_short"} and isinstance(error["input"], str):
        return f'argument "{where}": {_plain(error["msg"]).replace(" items after validation", " characters")}'
    if error["type"] == "missing":
        return f'missing argument "{where}"'
    if error["type"] in {"literal_error", "enum"} and isinstance(error["input"], str):
        return f'argument "{where}": {_not_allowed(error["input"], str(error["ctx"]["expected"]))}'
    return f'argument "{where}": {_plain(error["msg"])}' if where else _plain(error["msg"])


def _other_names(model: type[BaseModel], path: Sequence[Any]) -> str:
    """Return the names that a part of the arguments has instead of the last one of a path."""
    for part in path[:-1]:
        if isinstance(part, str):
            field = next(
                (info for name, info in model.model_fields.items() if part in (name, info.alias)), None
            )
            inner = None if field is None else _model_in(field.annotation)
            if inner is None:
                return ""
            model = inner
    return did_you_mean(str(path[-1]), wire_names(model))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that an annotation is about: itself, one of a list, or one that may be missing."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part)) is not None), None)


def _not_allowed(value: str, expected: str) -> str:
    allowed = re.findall(r"'([^']*)'", expected)
    return f'"{value}" is not allowed. {did_you_mean(value, allowed)}'.rstrip(".")


def _plain(message: str) -> str:
    text = message.removeprefix("Value error, ").rstrip(".")
    return text[:1].lower() + text[1:]
