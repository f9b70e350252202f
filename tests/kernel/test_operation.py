from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from holdfast.kernel.models import Input, NoArguments, Output, wire_names
from holdfast.kernel.operation import Effect
from holdfast.kernel.resource import Resource
from holdfast.kernel.toolset import Toolset
from tests.kernel.example import Add, Sum, numbers


def test_an_operation_is_all_that_was_declared():
    add, count, forget = numbers().operations
    assert (add.name, add.toolset, add.family, add.effect) == ("add", "numbers", "arithmetic", Effect.READ)
    assert (add.input, add.output, add.seconds, add.specified) == (Add, Sum, 5.0, True)
    assert (count.effect, forget.effect) == (Effect.WRITE, Effect.DESTRUCTIVE)


def test_the_docstring_is_the_description_and_its_first_line_the_summary():
    add = numbers().operations[0]
    assert add.summary == "Add two numbers."
    assert add.description == "Add two numbers.\n\nBoth are whole."


def test_a_dotted_name_is_listed_without_dots():
    count = numbers().operations[1]
    assert (count.name, count.listed_name, count.command) == ("count.up", "count_up", "count-up")


def test_a_result_is_said_in_json_unless_the_room_has_words():
    add = numbers().operations[0]
    assert json.loads(add.as_text(Sum(the_sum=3))) == {"theSum": 3}
    spoken = Toolset("spoken", "Words.")

    @spoken.operation(
        "say", title="Say", effect=Effect.READ, example="", text=lambda result: f"It is {result.the_sum}."
    )
    def say(_room: Any, _arguments: NoArguments) -> Sum: ...  # type: ignore[empty-body]

    assert spoken.operations[0].as_text(Sum(the_sum=3)) == "It is 3."


def test_the_wire_has_the_names_of_the_specification():
    assert list(wire_names(Add)) == ["firstNumber", "second"]
    assert Sum(the_sum=3).wire() == {"theSum": 3}


def test_an_operation_without_models_is_refused_when_declared():
    room = Toolset("bare", "Nothing.")

    def plain(_room: Any, _arguments: NoArguments) -> str:
        return ""

    def bare(_room: Any, _arguments: str) -> Sum:
        return Sum(the_sum=0)

    for function in (plain, bare):
        with pytest.raises(TypeError, match=function.__name__):
            room.operation("x", title="X", effect=Effect.READ, example="")(function)


def test_models_cannot_be_changed():
    for model in (Input, Output):
        assert model.model_config["frozen"]


def resource(uri: str) -> Resource:
    return Resource(uri, "name", "description", "text/plain", lambda room: "", "toolset", "family")


@pytest.mark.parametrize(
    ("pattern", "uri", "parts"),
    [
        ("a://b", "a://b", {}),
        ("a://b", "a://bc", None),
        ("a://b.c", "a://bxc", None),
        ("a://{one}", "a://x", {"one": "x"}),
        ("a://{one}", "a://x/y", None),
        ("a://{one}", "a://", None),
        ("a://{+path}", "a://x/y/z", {"path": "x/y/z"}),
        ("a://{+path}/at/{index}", "a://x/at/y/at/3", {"path": "x/at/y", "index": "3"}),
        ("a://{one}", "a://%2e%2e", {"one": "%2e%2e"}),
    ],
)
def test_an_address_is_matched_whole_and_its_parts_stay_encoded(pattern: str, uri: str, parts: object):
    assert resource(pattern).match(uri) == parts
    assert resource(pattern).is_template == ("{" in pattern)


def test_what_pydantic_wants_of_its_plugins_beyond_their_absence_is_its_own():
    code = (
        "import holdfast.kernel.models, sys\n"
        "from pydantic.plugin._loader import get_plugins\n"
        "holdfast.kernel.models.NoArguments()\n"
        "assert 'importlib.metadata' not in sys.modules, 'no package was asked for plugins'\n"
        "loader = sys.modules['pydantic.plugin._loader']\n"
        "assert loader.get_plugins() == ()\n"
        "assert loader.PYDANTIC_ENTRY_POINT_GROUP == 'pydantic'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
