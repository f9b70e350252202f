"""From what arrived to an input model, or to an error that says what to change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from holdfast.kernel.booleans import SPELLED
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Input, wire_names
from holdfast.kernel.suggest import did_you_mean


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
    if error["type"] == "missing":
        return f'missing argument "{where}"'
    if error["type"] in {"literal_error", "enum"} and isinstance(error["input"], str):
        return f'argument "{where}": {_not_allowed(error["input"], str(error["ctx"]["expected"]))}'
    return f'argument "{where}": {_plain(error["msg"])}' if where else _plain(error["msg"])


def _not_allowed(value: str, expected: str) -> str:
    allowed = re.findall(r"'([^']*)'", expected)
    return f'"{value}" is not allowed. {did_you_mean(value, allowed)}'.rstrip(".")


def _plain(message: str) -> str:
    text = message.removeprefix("Value error, ").rstrip(".")
    return text[:1].lower() + text[1:]
