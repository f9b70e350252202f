"""What is typed becomes the JSON value it spells, and the one validator judges it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import Field

from holdfast.faces.cli.command import OperationCommand
from holdfast.faces.cli.host import Host
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Registry
from holdfast.kernel.toolset import Toolset
from tests.faces.cli.conftest import Ask
from tests.faces.cli.sample import DescribeThing, SampleWorkspace


class Shadow(Input):
    json_: str = Field(alias="json", description="Taken.")


def received(ask: Ask, *arguments: str) -> dict[str, Any]:
    status, output, errors = ask("sample", "describe", *arguments, "--json")
    assert (status, errors) == (0, "")
    answer: dict[str, Any] = json.loads(output)["received"]
    return answer


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ([], {}),
        (["--line", "3"], {"line": 3}),
        (["--line=3"], {"line": 3}),
        (["--weight", "2.5"], {"weight": 2.5}),
        (["--weight", "-1e3"], {"weight": -1000.0}),
        (["--colour", "blue"], {"colour": "blue"}),
        (["--size", "large"], {"size": "large"}),
        (["--shiny"], {"shiny": True}),
        (["--solid"], {"solid": True}),
        (["--no-solid"], {"solid": False}),
        (["--known"], {"known": True}),
        (["--no-known"], {"known": False}),
        (["--labels", '{"a": 1}'], {"labels": {"a": 1}}),
        (["--corner", '{"x": 1, "y": 2}'], {"corner": {"x": 1, "y": 2}}),
        (
            ["--corners", '{"x": 1, "y": 2}', "--corners", '{"x": 3, "y": 4}'],
            {"corners": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]},
        ),
        (["--anything", "[1, null]"], {"anything": [1, None]}),
        (["--anything", "plain words"], {"anything": "plain words"}),
        (["--source-path", ""], {"sourcePath": ""}),
        (["--source-path", "-"], {"sourcePath": "-"}),
        (["--source-path", "--json"], {"sourcePath": "--json"}),
        (["one", "two"], {"extraWords": ["one", "two"]}),
        (["--", "--line", "-x"], {"extraWords": ["--line", "-x"]}),
    ],
)
def test_a_value_arrives_as_the_json_it_spells(ask: Ask, typed: list[str], expected: dict[str, Any]) -> None:
    after_separator = typed.index("--") if "--" in typed else len(typed)
    options, rest = typed[:after_separator], typed[after_separator:]
    status, output, errors = ask("sample", "describe", "--json", "lamp", *options, *rest)
    assert (status, errors) == (0, "")
    assert json.loads(output)["received"] == {"thing": "lamp", **expected}


def test_only_what_was_typed_is_handed_over(ask: Ask) -> None:
    assert received(ask, "lamp") == {"thing": "lamp"}


def test_text_that_looks_like_a_number_stays_text(ask: Ask) -> None:
    assert received(ask, "42", "--source-path", "1e5") == {"thing": "42", "sourcePath": "1e5"}


SPELLINGS = {
    "thing": "argument THING",
    "line": "option --line",
    "colour": "option --colour",
    "labels": "option --labels",
    "corner.y": "option --corner (y)",
    "corner.z": "option --corner (z)",
    "size": "option --size",
}


@pytest.mark.parametrize(
    ("typed", "arguments"),
    [
        ([], {}),
        (["lamp", "--line", "three"], {"thing": "lamp", "line": "three"}),
        (["lamp", "--line", "0"], {"thing": "lamp", "line": 0}),
        (["lamp", "--line", "true"], {"thing": "lamp", "line": "true"}),
        (["lamp", "--line", "1.5"], {"thing": "lamp", "line": 1.5}),
        (["lamp", "--line", "9" * 5000], {"thing": "lamp", "line": "9" * 5000}),
        (["lamp", "--colour", "gren"], {"thing": "lamp", "colour": "gren"}),
        (["lamp", "--labels", "[]"], {"thing": "lamp", "labels": []}),
        (["lamp", "--corner", '{"x": 1, "z": 2}'], {"thing": "lamp", "corner": {"x": 1, "z": 2}}),
        (["lamp", "--size", "huge", "--line", "x"], {"thing": "lamp", "size": "huge", "line": "x"}),
    ],
)
def test_a_refusal_has_the_words_of_the_one_validator(
    ask: Ask, typed: list[str], arguments: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArguments) as refused:
        validate_arguments(DescribeThing, arguments)
    status, output, errors = ask("sample", "describe", *typed)
    assert (status, output) == (2, "")
    told = refused.value.message
    for field, spelling in SPELLINGS.items():
        told = told.replace(f'argument "{field}"', spelling)
    assert " ".join(errors.replace("Hint: ", "").splitlines()).startswith(f"Error: {told}")


def test_text_that_should_be_json_says_how_to_quote_it(ask: Ask) -> None:
    status, _, errors = ask("sample", "describe", "lamp", "--labels", "{a: 1}")
    assert status == 2
    assert "option --labels: input should be JSON." in errors
    assert "Quote it for the shell" in errors


def test_json_too_deep_to_read_is_refused(ask: Ask) -> None:
    status, _, errors = ask("sample", "describe", "lamp", "--labels", "[" * 100_000)
    assert (status, "should be JSON" in errors) == (2, True)


def test_a_mistyped_choice_is_answered_with_the_closest_one(ask: Ask) -> None:
    _, _, errors = ask("sample", "describe", "lamp", "--colour", "gren")
    assert errors.splitlines()[1] == 'Hint: Did you mean "green"?'


def test_an_argument_that_would_hide_a_common_option_is_refused_at_once() -> None:
    shadowing = Toolset("shadowing", "Takes a name that is taken.")

    @shadowing.operation("shadow", title="Shadow", effect=Effect.READ, example="holdfast shadowing shadow")
    def shadow(room: Any, arguments: Shadow) -> Output:
        """Never runs."""
        return Output()

    host = Host.of(Registry((shadowing,)), SampleWorkspace)
    with pytest.raises(TypeError, match="--json"):
        OperationCommand("shadow", host.registry.operations[0], host)


def test_a_required_option_has_its_initial_as_short_form(ask: Ask) -> None:
    assert ask("sample", "fail", "-k", "Busy")[0] == 7
    assert ask("sample", "hand-over", "-s", "3")[2].startswith('Error: Unknown option "-s".')


def test_an_operation_without_arguments_takes_none(ask: Ask) -> None:
    status, _, errors = ask("sample", "damage", "extra")
    assert (status, "Too many arguments: extra." in errors) == (2, True)
