"""One spelling of JSON for every result and failure."""

from __future__ import annotations

import json

import pytest

from holdfast.faces.render.json_text import error_object, json_text
from holdfast.kernel.errors import NotFound


def test_for_a_program_it_is_one_line_of_utf_8() -> None:
    assert json_text({"b": "größe", "a": [1, None]}, for_a_person=False) == '{"b":"größe","a":[1,null]}\n'


def test_for_a_person_it_is_indented() -> None:
    assert json_text({"a": [1]}, for_a_person=True) == '{\n  "a": [\n    1\n  ]\n}\n'


@pytest.mark.parametrize("hidden", ["\u202e", "\x9b31m", "\u200b", "\U000e0041"])
def test_for_a_person_nothing_is_hidden_and_nothing_is_lost(hidden: str) -> None:
    value = {"text": f"a{hidden}b"}
    written = json_text(value, for_a_person=True)
    assert hidden not in written
    assert json.loads(written) == value
    assert hidden in json_text(value, for_a_person=False)


def test_half_a_pair_is_written_as_an_escape() -> None:
    assert json_text("\udce9", for_a_person=False) == '"\\udce9"\n'


def test_a_failure_always_has_the_same_members() -> None:
    assert error_object(NotFound("Gone."), 4040) == {
        "kind": "not_found",
        "code": 4040,
        "message": "Gone.",
        "hint": None,
        "data": {},
    }
