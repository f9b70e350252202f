"""Base classes and field types for the arguments and results of operations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from math import ceil, floor, isfinite
from types import ModuleType
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

# Before it builds its first model, pydantic searches all installed packages for plugins, which takes longer
# than many commands. Holdfast has none, and those of other packages must not change what its models accept.
_no_plugins = ModuleType("pydantic.plugin._loader")
_no_plugins.get_plugins = tuple  # type: ignore[attr-defined]


def _from_pydantic(name: str) -> Any:
    """Return another attribute from pydantic's own module, in case a later version needs one."""
    if name.startswith("__"):
        raise AttributeError(name)  # Python itself looks these up at every import.
    sys.modules.pop(_no_plugins.__name__)
    return getattr(import_module(_no_plugins.__name__), name)


_no_plugins.__getattr__ = _from_pydantic  # type: ignore[method-assign]
sys.modules.setdefault(_no_plugins.__name__, _no_plugins)


ONLY_SPECIFIED_KEYWORD = "x-only-specified"
ONLY_SPECIFIED: dict[str, Any] = {ONLY_SPECIFIED_KEYWORD: True}
"""Added to the JSON schema of an argument that exists only because a specification requires it; other clients
do not see it."""

SIGNATURE = "signature"
"""Marks, in its annotation, the argument that names the author."""


class ExpectedFormat(str):
    """Describes, for error messages, what the pattern of an argument matches: `a line N or a range N-M`."""


class Input(BaseModel):
    """Arguments of an operation. Unknown names are refused.

    Booleans of operations are `StrictBool`, numbers `Integer` or `StrictFloat`: in JSON 0 is not false and
    "5" is not a number, and an agent that sends them has confused one argument with another. In prompts, all
    arguments are text.
    """

    # Built at first use: a server declares many more operations than a client calls.
    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True, defer_build=True
    )


class Output(BaseModel):
    """Result of an operation, complete without its rendering as text."""

    model_config = ConfigDict(
        frozen=True, serialize_by_alias=True, validate_by_name=True, validate_by_alias=True, defer_build=True
    )

    omits_null: ClassVar[bool] = False
    """Whether members that are null are left out on the wire."""
    requires_fields: ClassVar[bool] = False
    """Whether a specification requires all fields, so that a failure must have no structured data at all."""

    def wire(self) -> dict[str, Any]:
        """Return the result as JSON data, as every interface sends it."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=self.omits_null)

    @property
    def exit_code(self) -> int:
        """Return the exit status of the command: 0, or another one for a result that reports problems.

        1 means that the result reports something to be checked; any other is the status of a matching error.
        """
        return 0


class NoArguments(Input):
    """The input of an operation that takes none."""


_MAX_INTEGER = 2**63 - 1
"""The largest number that both databases store."""


def as_integer(value: object) -> object:
    """Return 10.0 as 10, which JSON Schema treats as equal, and other values unchanged; refuse huge ones."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, int) and not -_MAX_INTEGER <= number <= _MAX_INTEGER:
        raise ValueError(f"it must be at most {_MAX_INTEGER}")
    return number


def _rounding(round_up_or_down: Callable[[float], int]) -> Any:
    """Return the type of an argument that accepts any number and means the whole number above or below it."""

    def rounded(value: object) -> object:
        return round_up_or_down(value) if isinstance(value, float) and isfinite(value) else value

    return Annotated[int, Field(strict=True, json_schema_extra={"type": "number"}), BeforeValidator(rounded)]


Integer = Annotated[int, Field(strict=True), BeforeValidator(as_integer)]
"""A whole number as an argument."""
IntegerOrNone = Annotated[int | None, Field(strict=True), BeforeValidator(as_integer)]
AtMost = _rounding(floor)
"""A number that limits what is counted from above: at most 10.5 of them are at most 10."""
AtLeast = _rounding(ceil)
"""A number that limits what is counted from below: at least 5.5 lines are at least 6."""


def count_field(default: int, maximum: int, description: str) -> Any:
    """Return an argument that is a number of items or days, at least 1."""
    return Field(default=default, ge=1, le=maximum, description=description)


def optional(description: str, **more: Any) -> Any:
    """Return a field of a result that is left out when it is None."""
    return Field(default=None, exclude_if=lambda value: value is None, description=description, **more)


def signature_of(model: type[BaseModel]) -> str | None:
    """Return the argument that names the author, if the operation with this input has one."""
    return next((name for name, info in model.model_fields.items() if SIGNATURE in info.metadata), None)


def wire_names(model: type[BaseModel]) -> Iterable[str]:
    """Return the names of a model's fields as they are spelled on the wire."""
    return [info.alias or name for name, info in model.model_fields.items()]
