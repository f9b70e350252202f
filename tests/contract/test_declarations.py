"""Rules that every operation keeps, whatever it does."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError

from holdfast.faces.cli.application import run
from holdfast.faces.cli.host import Host
from holdfast.faces.mcp.output_schemas import output_schema
from holdfast.faces.schema import properties_of, result_fields
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.schema import input_schema
from holdfast.toolsets import full_registry

REGISTRY = full_registry()
SPECIFIED = {"Absolute path to the workspace directory"}
"""Descriptions that a specification prescribes to the letter."""
OPERATIONS = pytest.mark.parametrize("operation", REGISTRY.operations, ids=lambda operation: operation.name)
PROMPTS = pytest.mark.parametrize("prompt", REGISTRY.prompts, ids=lambda prompt: prompt.name)
RESOURCES = pytest.mark.parametrize("resource", REGISTRY.resources, ids=lambda resource: resource.uri)


@OPERATIONS
def test_its_name_suits_every_host(operation: Operation) -> None:
    assert re.fullmatch(r"[a-z0-9_.]{1,40}", operation.name)
    assert "__" not in operation.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", operation.command)


@OPERATIONS
def test_it_says_what_it_is(operation: Operation) -> None:
    assert next(letter for letter in operation.title if letter.isalpha()).isupper()
    assert not operation.title.endswith(".")
    assert operation.summary.endswith(".")
    assert isinstance(operation.effect, Effect)


@OPERATIONS
def test_each_argument_is_typed_and_described(operation: Operation) -> None:
    for item in properties_of(operation.input):
        assert item.shape.kind != "any", item.name
        ends = item.description.endswith(".") or item.description in SPECIFIED
        assert ends, f"{item.name}: {item.description!r}"


@OPERATIONS
def test_its_booleans_take_nothing_but_booleans(operation: Operation) -> None:
    for model in models_in(operation.input):
        for name, info in model.model_fields.items():
            if bool in parts_of(info.annotation):
                with pytest.raises(ValidationError, match="valid boolean"):
                    model.model_validate({info.alias or name: 1})


@OPERATIONS
def test_its_numbers_take_nothing_but_numbers(operation: Operation) -> None:
    for model in models_in(operation.input):
        for name, info in model.model_fields.items():
            parts = parts_of(info.annotation)
            for wrong in [True, *(["5"] if str not in parts else [])] * (int in parts or float in parts):
                given = [wrong] if get_origin(info.annotation) is list else wrong
                with pytest.raises(ValidationError, match=r"valid (integer|number)"):
                    model.model_validate({info.alias or name: given})


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    for part in parts_of(annotation):
        if isinstance(part, type) and issubclass(part, BaseModel):
            yield part
            for info in part.model_fields.values():
                yield from models_in(info.annotation)


def parts_of(annotation: Any) -> list[Any]:
    return [annotation, *(part for inner in get_args(annotation) for part in parts_of(inner))]


@OPERATIONS
def test_its_input_schema_is_a_plain_object(operation: Operation) -> None:
    schema = input_schema(operation)
    assert schema["type"] == "object"
    assert not schema.keys() & {"anyOf", "oneOf", "allOf", "not", "enum"}


@OPERATIONS
def test_its_result_schema_is_an_object_whose_values_have_types(operation: Operation) -> None:
    assert output_schema(operation)["type"] == "object"
    assert all(item.shape.kind != "any" for _, item in result_fields(operation.output))


@OPERATIONS
def test_its_command_is_its_own(operation: Operation) -> None:
    others = [item for item in REGISTRY.operations if item is not operation]
    assert (operation.toolset, operation.command) not in {(item.toolset, item.command) for item in others}
    if operation.shortcut is not None:
        taken = {item.shortcut for item in others} | {toolset.name for toolset in REGISTRY.toolsets}
        assert operation.shortcut not in taken | {"serve", "token", "completion"}


@OPERATIONS
def test_its_positional_arguments_exist(operation: Operation) -> None:
    known = {item.name for item in properties_of(operation.input)} | operation.input.model_fields.keys()
    assert set(operation.positional) <= known


@OPERATIONS
def test_its_example_is_a_command_line_of_its_own(
    operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *words = shlex.split(operation.example)
    performed: list[tuple[str, Any]] = []

    def perform(host: Host, named: Operation, arguments: Any, **_: Any) -> int:
        performed.append((named.name, validate_arguments(named.input, arguments)))
        return 0

    monkeypatch.setattr("holdfast.faces.cli.command.perform", perform)
    assert (program, run(words)) == ("holdfast", 0)
    assert [name for name, _ in performed] == [operation.name]


@PROMPTS
def test_a_prompt_says_what_it_is_for(prompt: Any) -> None:
    assert prompt.title
    assert prompt.description.partition("\n")[0].endswith(".")
    assert all(item.description for item in properties_of(prompt.input))


@RESOURCES
def test_a_resource_says_what_it_holds(resource: Any) -> None:
    assert resource.name
    assert resource.description
    assert "/" in resource.mime_type
