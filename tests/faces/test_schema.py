"""What a schema says about each value, in a form faces can use."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from holdfast.faces.schema import Property, properties_of, result_fields


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Leaf(BaseModel):
    name: str = Field(description="What it is called.")


class Branch(BaseModel):
    leaves: list[Leaf]
    branches: list[Branch]


class Tree(BaseModel):
    text: str = Field(description="Some text.")
    number: float = 1.5
    maybe: int | None = None
    choice: Literal["a", "b"] = "a"
    only: Literal["one"] = "one"
    colour: Colour | None = Field(default=None, description="A colour.")
    names: list[str] = []
    grid: list[list[int]] = []
    leaf: Leaf | None = None
    branch: Branch | None = None
    mixed: int | str = 0
    anything: Any = None


@pytest.fixture(scope="module")
def values() -> dict[str, Property]:
    return {item.name: item for item in properties_of(Tree)}


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("text", "string", "text"),
        ("number", "number", "number"),
        ("maybe", "integer", "integer or null"),
        ("choice", "string", "`a` | `b`"),
        ("only", "string", "`one`"),
        ("colour", "string", "`red` | `blue` or null"),
        ("names", "array", "list of text"),
        ("grid", "array", "list of list of integer"),
        ("leaf", "object", "object or null"),
        ("mixed", "any", "any value"),
        ("anything", "any", "any value"),
    ],
)
def test_each_value_has_a_kind_and_words_for_it(
    values: dict[str, Property], name: str, kind: str, words: str
) -> None:
    assert (values[name].shape.kind, values[name].shape.type_name()) == (kind, words)


def test_a_value_knows_its_description_default_and_need(values: dict[str, Property]) -> None:
    assert (values["text"].description, values["text"].required, values["text"].default) == (
        "Some text.",
        True,
        None,
    )
    assert (values["number"].required, values["number"].default) == (False, 1.5)
    assert values["colour"].description == "A colour."


def test_nested_values_are_found_by_path_and_recursion_ends() -> None:
    paths = [path for path, _ in result_fields(Tree)]
    assert paths[-8:] == [
        "leaf",
        "leaf.name",
        "branch",
        "branch.leaves",
        "branch.leaves[].name",
        "branch.branches",
        "mixed",
        "anything",
    ]
