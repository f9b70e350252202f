"""Lists say what a model chooses by, and nothing that becomes possible or impossible by leaving it out."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from holdfast.faces.mcp.schemas import brief_schema
from holdfast.kernel.models import ONLY_SPECIFIED, Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.schema import input_schema, strip_marks
from holdfast.kernel.toolset import Toolset


class Part(Input):
    """A part."""

    maxLength: int | None = Field(default=None, description="A name that only looks like a bound.")  # noqa: N815
    note: str = Field(default="", description="A note.")


class Asked(Input):
    """What is asked."""

    name: str = Field(min_length=1, max_length=40, description="A name.")
    count: int | None = Field(default=None, ge=1, le=9, description="How many.")
    parts: list[Part] = Field(default=[], max_length=5, description="Parts.")
    note: str = Field(default="", description="A note.")
    old: str | None = Field(default=None, description="Of old.", json_schema_extra=ONLY_SPECIFIED)
    level: str = Field(default="low", description="A level.")


class Nothing(Output):
    """No facts."""


toolset = Toolset("samples", "Samples.")


@toolset.operation("sample", title="Sample", effect=Effect.READ, example="holdfast samples sample")
def sample(room: Any, arguments: Asked) -> Nothing:
    """Do nothing."""
    del room, arguments
    return Nothing()


SCHEMA = input_schema(toolset.operations[0])


def test_lengths_null_empty_defaults_and_repetitions_are_left_out():
    properties = brief_schema(SCHEMA)["properties"]
    assert properties["name"] == {"type": "string", "description": "A name."}
    assert properties["count"] == {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."}
    assert properties["parts"] == {"type": "array", "items": {"$ref": "#/$defs/Part"}}
    assert properties["level"]["default"] == "low"


def test_what_only_a_specification_asks_for_is_not_listed_beside_everything():
    assert "old" not in brief_schema(SCHEMA)["properties"]
    assert strip_marks(SCHEMA)["properties"]["old"]["description"] == "Of old."
    assert "x-only-specified" not in str(strip_marks(SCHEMA))


def test_a_name_that_looks_like_a_bound_stays():
    part = brief_schema(SCHEMA)["$defs"]["Part"]["properties"]
    assert part["maxLength"] == {"type": "integer", "description": "A name that only looks like a bound."}


def test_what_was_said_of_an_argument_is_not_said_again_of_a_part():
    assert "description" not in brief_schema(SCHEMA)["$defs"]["Part"]["properties"]["note"]


def test_required_names_and_strictness_stay():
    assert brief_schema(SCHEMA)["required"] == ["name"]
    assert brief_schema(SCHEMA)["additionalProperties"] is False


def test_the_schema_itself_is_left_as_it_is():
    before = str(SCHEMA)
    brief_schema(SCHEMA)
    strip_marks(SCHEMA)
    assert str(SCHEMA) == before
