from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field, StrictBool, field_validator

from holdfast.kernel.dispatch.validation import validate_arguments, with_declared_names
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import AtLeast, AtMost, Input, Integer, IntegerOrNone, NoArguments
from tests.kernel.example import Add


def refusal(model: type[Input], arguments: Any) -> InvalidArguments:
    with pytest.raises(InvalidArguments) as caught:
        validate_arguments(model, arguments)
    return caught.value


def test_arguments_are_accepted_by_wire_name_and_by_our_name():
    assert (
        validate_arguments(Add, {"firstNumber": 1})
        == validate_arguments(Add, {"first_number": 1})
        == Add(first_number=1)
    )


def test_no_arguments_are_an_empty_object():
    assert validate_arguments(NoArguments, None) == NoArguments()


def test_an_unknown_argument_is_refused_with_the_closest_name():
    error = refusal(Add, {"firstNumber": 1, "secnd": 2})
    assert 'unknown argument "secnd"' in error.message
    assert 'Did you mean "second"?' in error.message
    assert "Known names: firstNumber, second" in refusal(Add, {"firstNumber": 1, "zzz": 2}).message


def test_suggestions_are_spelled_as_on_the_wire():
    assert 'Did you mean "firstNumber"?' in refusal(Add, {"firstNumbr": 1}).message


def test_every_problem_is_named_at_once():
    error = refusal(Add, {"second": "two", "third": 3})
    assert len(error.data["problems"]) == 3  # type: ignore[arg-type]
    assert 'missing argument "firstNumber"' in error.message
    assert 'argument "second": input should be a valid integer;' in error.message


def test_a_value_out_of_range_is_explained_without_repeating_it():
    message = refusal(Add, {"firstNumber": -4711}).message
    assert message == 'argument "firstNumber": input should be greater than or equal to 0.'


def test_the_message_ends_like_a_sentence():
    for arguments in ({"firstNumber": 1, "secnd": 2}, {"firstNumber": -1}, {}):
        message = refusal(Add, arguments).message
        assert message[-1] in ".?"
        assert message[-2] not in ".?"


@pytest.mark.parametrize("arguments", [[], "text", 5, [["firstNumber", 1]]])
def test_what_is_not_an_object_is_refused(arguments: Any):
    assert refusal(Add, arguments).message


def test_a_rule_of_the_model_speaks_for_itself():
    class Even(Input):
        number: int

        @field_validator("number")
        @classmethod
        def is_even(cls, number: int) -> int:
            if number % 2:
                raise ValueError("An odd number.")
            return number

    assert refusal(Even, {"number": 3}).message == 'argument "number": an odd number.'


class Nested(Input):
    """A part of the arguments."""

    deep: StrictBool = True


class Switches(Input):
    """Booleans in every position."""

    on: StrictBool = False
    maybe: StrictBool | None = None
    several: tuple[StrictBool, ...] = ()
    default: StrictBool = False
    nested: Nested | None = None


@pytest.mark.requirement("http-22")
@pytest.mark.parametrize(
    "arguments",
    [
        {"on": 0},
        {"on": 1.0},
        {"on": "true"},
        {"maybe": 1},
        {"several": [True, 0]},
        {"default": 1},
        {"nested": {"deep": 0}},
    ],
)
def test_a_number_or_a_word_is_no_boolean(arguments: dict[str, Any]) -> None:
    assert "should be a valid boolean" in refusal(Switches, arguments).message


class Numbers(Input):
    """Whole numbers in every position."""

    one: Integer = Field(default=1, ge=1, le=9)
    maybe: IntegerOrNone = Field(default=None, ge=1)
    several: tuple[Integer | str, ...] = ()


@pytest.mark.parametrize(
    "wrong", [{"one": True}, {"one": "5"}, {"one": 5.5}, {"maybe": "5"}, {"several": [True]}]
)
def test_a_boolean_or_a_text_is_no_whole_number(wrong: dict[str, Any]) -> None:
    refused = refusal(Numbers, wrong)
    assert "should be a valid integer" in refused.message
    assert refused.undecodable


def test_a_whole_number_may_have_a_point_and_keeps_its_bounds() -> None:
    assert validate_arguments(Numbers, {"one": 5.0, "maybe": 7, "several": [1, "2"]}) == Numbers(
        one=5, maybe=7, several=(1, "2")
    )
    assert "less than or equal to 9" in refusal(Numbers, {"one": 10}).message
    assert "greater than or equal to 1" in refusal(Numbers, {"maybe": 0}).message
    schema = Numbers.model_json_schema()["properties"]
    assert (schema["one"]["type"], schema["one"]["minimum"], schema["one"]["maximum"]) == ("integer", 1, 9)
    assert schema["maybe"]["anyOf"] == [{"type": "integer", "minimum": 1}, {"type": "null"}]


@pytest.mark.requirement("http-22")
def test_where_everything_is_text_the_words_are_booleans() -> None:
    spelled = validate_arguments(
        Switches, {"on": "true", "maybe": "no", "nested": {"deep": "false"}}, spelled=True
    )
    assert spelled == Switches(on=True, maybe=False, nested=Nested(deep=False))
    with pytest.raises(InvalidArguments, match="valid boolean"):
        validate_arguments(Switches, {"on": "perhaps"}, spelled=True)


class Remark(Input):
    file_path: str = Field(alias="filePath")
    text: str = ""
    comment_id: str = Field(default="", alias="commentId")


@pytest.mark.parametrize("name", ["filePath", "file_path", "file", "path"])
def test_names_that_other_tools_use_for_the_same_thing_are_accepted(name: str) -> None:
    named = with_declared_names(Remark, {name: "a.py", "body": "x", "comment_id": "c_1"})
    assert validate_arguments(Remark, named) == Remark(filePath="a.py", text="x", commentId="c_1")


def test_a_name_is_not_replaced_by_one_that_is_given_as_well() -> None:
    for given in ({"filePath": "a.py", "path": "b.py"}, {"path": "a.py", "file": "b.py"}):
        with pytest.raises(InvalidArguments, match="unknown argument"):
            validate_arguments(Remark, with_declared_names(Remark, given))


def test_a_number_may_have_a_fraction_where_only_its_whole_part_counts() -> None:
    class Counts(Input):
        most: AtMost | None = Field(default=None, ge=1)
        least: AtLeast = Field(default=1, ge=1)

    assert validate_arguments(Counts, {"most": 10.5, "least": 5.5}) == Counts(most=10, least=6)
    assert validate_arguments(Counts, {"most": 3, "least": 3.0}) == Counts(most=3, least=3)
    assert Counts.model_json_schema()["properties"]["least"]["type"] == "number"
    for wrong in ({"most": 0.5}, {"most": "3"}, {"most": True}, {"least": float("inf")}):
        with pytest.raises(InvalidArguments):
            validate_arguments(Counts, wrong)
