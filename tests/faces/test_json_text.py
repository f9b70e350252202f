"""One spelling of JSON for every result and failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.faces.json_text import json_text
from holdfast.kernel.errors import NotFound, error_object


def test_for_a_program_it_is_one_line_of_utf_8() -> None:
    assert json_text({"b": "größe", "a": [1, None]}, for_a_person=False) == '{"b":"größe","a":[1,null]}\n'


def test_for_a_person_it_is_indented() -> None:
    assert json_text({"a": [1]}, for_a_person=True) == '{\n  "a": [\n    1\n  ]\n}\n'


@pytest.mark.parametrize("for_a_person", [True, False])
@pytest.mark.parametrize(
    "hidden", ["\u202e", "\x9b31m", "\u200b", "\U000e0041", "\x07", "\b", "\f", "\x7f", "\udce9"]
)
def test_nothing_is_hidden_in_a_text_or_in_the_name_of_a_member(hidden: str, *, for_a_person: bool) -> None:
    value = {f"na{hidden}me": [f"a{hidden}b", 1, Path(f"c{hidden}d")]}
    assert json.loads(json_text(value, for_a_person=for_a_person)) == {"name": ["ab", 1, "cd"]}


@pytest.mark.parametrize("text", ["C:\\users\\bin", "a\r\nb", r"\u202e", "👩\u200d👩 ⚠\ufe0f", "größe\t语"])
def test_what_can_be_seen_stays_as_it_is(text: str) -> None:
    assert json.loads(json_text(text, for_a_person=False)) == text


def test_a_failure_always_has_the_same_members() -> None:
    assert error_object(NotFound("Gone."), 4040) == {
        "kind": "not_found",
        "code": 4040,
        "message": "Gone.",
        "hint": None,
        "data": {},
    }
