"""From text that spells a value to the value, by the shape its declaration gives it.

What spells no such value is handed on as text: whether it is acceptable is for the one validator to say, in
the same words as on every face.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from holdfast.faces.render.schema import Shape
from holdfast.kernel.errors import InvalidArguments


def spelled_value(name: str, shape: Shape, text: str, quoting: str) -> Any:
    """Return the value that `text` spells; `quoting` says how to write what has to be JSON."""
    if shape.kind == "string":
        return plain_text(name, text)
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
            return plain_text(name, text)
    raise refused(name, "JSON", quoting)
