"""Lists say what a model chooses by, and nothing that becomes possible or impossible by leaving it out."""

from __future__ import annotations

from typing import Any, Literal

import jsonschema
import pytest
from pydantic import Field

from holdfast.faces.mcp import output_schemas
from holdfast.faces.mcp.output_schemas import brief_output_schema
from holdfast.faces.mcp.schemas import brief_schema
from holdfast.kernel.models import ONLY_SPECIFIED, Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.schema import input_schema, strip_marks
from holdfast.kernel.toolset import Toolset


class Part(Input):
    """A part."""

    maxLength: int | None = Field(default=None, description="A name that only looks like a bound.")  # noqa: N815
    note: str = Field(default="", description="A remark.")


class Whole(Input):
    """The arguments again."""

    name: str = Field(description="Who asks.")
    level: str = Field(default="low", description="A level.")


class Asked(Input):
    """What is asked."""

    name: str = Field(min_length=1, max_length=40, description="Who asks.")
    count: int | None = Field(default=None, ge=1, le=9, description="How many.")
    parts: list[Part] = Field(default=[], max_length=5, description="Parts.")
    note: str = Field(default="", description="A remark.")
    old: str | None = Field(default=None, description="Of old.", json_schema_extra=ONLY_SPECIFIED)
    level: str = Field(default="low", description="A level.")
    limit: int | str = Field(default="", description="Maximum number of comments.")
    more: list[Whole] = Field(default=[], description="More of them.")


class Leaf(Output):
    """What a branch ends with."""

    kind: Literal["green", "brown"]
    note: str | None = Field(default=None, description="A remark.")


class Branch(Output):
    """A branch."""

    leaves: list[Leaf]
    branches: list[Branch] = Field(default_factory=list)


class Nothing(Output):
    """No facts."""

    length: int | None = None
    branch: Branch | None = None


toolset = Toolset("samples", "Samples.")


@toolset.operation("sample", title="Sample", effect=Effect.READ, example="holdfast samples sample")
def sample(room: Any, arguments: Asked) -> Nothing:
    """Do nothing."""
    del room, arguments
    return Nothing()


LEAF = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["green", "brown"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
}


SCHEMA = input_schema(toolset.operations[0])


def test_bounds_null_empty_defaults_and_repetitions_are_left_out():
    properties = brief_schema(SCHEMA)["properties"]
    assert properties["name"] == {"type": "string", "description": "Who asks."}
    assert properties["count"] == {"type": "integer", "description": "How many."}
    assert properties["limit"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert properties["level"]["default"] == "low"


def test_what_only_a_specification_asks_for_is_not_listed_beside_everything():
    assert "old" not in brief_schema(SCHEMA)["properties"]
    assert strip_marks(SCHEMA)["properties"]["old"]["description"] == "Of old."
    assert "x-only-specified" not in str(strip_marks(SCHEMA))


def test_a_name_that_looks_like_a_bound_stays():
    part = brief_schema(SCHEMA)["properties"]["parts"]["items"]["properties"]
    assert part["maxLength"] == {"type": "integer", "description": "A name that only looks like a bound."}


def test_what_was_said_of_an_argument_is_not_said_again_of_a_part():
    part = brief_schema(SCHEMA)["properties"]["parts"]["items"]["properties"]
    assert part["note"] == {"type": "string"}


def test_a_part_with_the_arguments_themselves_only_names_them():
    items = brief_schema(SCHEMA)["properties"]["more"]["items"]
    assert items == {"type": "object", "description": "Members as above: name, level."}


def test_a_definition_that_is_used_twice_stays_one():
    brief = brief_schema(SCHEMA | {"properties": SCHEMA["properties"] | {"x": {"$ref": "#/$defs/Part"}}})
    assert brief["properties"]["x"] == {"$ref": "#/$defs/Part"}
    assert list(brief["$defs"]) == ["Part"]


def test_required_names_and_strictness_stay():
    assert brief_schema(SCHEMA)["required"] == ["name"]
    assert brief_schema(SCHEMA)["additionalProperties"] is False


def test_the_schema_itself_is_left_as_it_is():
    before = str(SCHEMA)
    brief_schema(SCHEMA)
    strip_marks(SCHEMA)
    assert str(SCHEMA) == before


def test_a_schema_of_results_names_members_to_the_depth_that_fits(monkeypatch: pytest.MonkeyPatch):
    operation = toolset.operations[0]
    branch, none = brief_output_schema(operation)["properties"]["branch"]["anyOf"]
    assert none == {"type": "null"}
    assert branch["properties"]["leaves"] == {"type": "array", "items": LEAF}
    monkeypatch.setattr(output_schemas, "_MAX_BRIEF_BYTES", 400)
    properties = brief_output_schema(operation)["properties"]
    leaves = properties["branch"]["anyOf"][0]["properties"]["leaves"]
    assert leaves == {"type": "array", "items": {"type": "object"}}
    assert properties["length"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}


def test_a_result_and_a_failure_fit_the_brief_schema():
    schema = brief_output_schema(toolset.operations[0])
    leaf = Leaf(kind="green", note="new")
    result = Nothing(length=2, branch=Branch(leaves=[leaf], branches=[Branch(leaves=[leaf])]))
    for answer in (result.wire(), Nothing().wire(), {"error": {"kind": "not_found"}}):
        jsonschema.validate(answer, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"branch": {"leaves": [{"kind": "red"}]}}, schema)
