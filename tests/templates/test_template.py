from __future__ import annotations

from typing import Any

import pytest

from holdfast.kernel.limits import LIMITS
from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import ParameterValidation
from holdfast.templates.tools.generate_template import GenerateTemplate, generate_template
from holdfast.templates.tools.validate_template import ValidateTemplate, validate_template, validation_text
from tests.templates.conftest import OwnTemplate

MAKEFILE = "template://makefile/rust/cli"


def errors(room: Templates, parameters: dict[str, Any], uri: str = MAKEFILE) -> dict[str, str]:
    result = validate_template(room, ValidateTemplate(resource_uri=uri, parameters=parameters))
    assert result.valid == (not result.errors)
    return {error.field: error.message for error in result.errors}


@pytest.mark.requirement("templates-55", "templates-56")
def test_valid_parameters_have_no_errors(room: Templates):
    assert errors(room, {"project_name": "kelp", "has_tests": False, "features": ["a", "b/c"]}) == {}


def test_one_problem_is_called_an_error_and_two_are_called_errors(room: Templates):
    for given, head in (({}, "1 error"), ({"has_tests": 1}, "2 errors")):
        result = validate_template(room, ValidateTemplate(resource_uri=MAKEFILE, parameters=given))
        assert validation_text(result).splitlines()[0] == f"Validation failed: {head}"


@pytest.mark.requirement("templates-56")
def test_every_problem_is_told_at_once(room: Templates):
    assert errors(room, {"has_tests": "yes", "features": [1], "hastests": True, "target": 5}) == {
        "project_name": "Required parameter missing",
        "has_tests": "Must be true or false",
        "features": "Must be a list of texts",
        "target": "Must be a text",
        "hastests": 'Unknown parameter. Did you mean "has_tests"?',
    }


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "a/b",
            "../../x",
            "a\nb",
            "a\rb",
            "a\tb",
            "a b",
            "a.b",
            "-a",
            "1a",
            "$(shell id)",
            "a`b`",
            "a;b",
        ),
        *("a\x00b", "a\u202eb", "a\u200bb", "\ud800", "größe", "a" * 65, "{{ 7 * 7 }}", "fn", "Test", "self"),
    ],
)
def test_a_project_name_that_could_be_anything_else_is_refused(room: Templates, name: str):
    assert list(errors(room, {"project_name": name})) == ["project_name"]


@pytest.mark.parametrize("name", ["kelp", "my-kelp", "my_kelp2", "Kelp", "a" * 64])
def test_an_ordinary_project_name_is_accepted(room: Templates, name: str):
    assert errors(room, {"project_name": name}) == {}


def test_a_name_that_python_keeps_is_refused_for_python_only(room: Templates):
    assert "project_name" in errors(room, {"project_name": "json"}, "template://makefile/python-uv/cli")
    assert errors(room, {"project_name": "json"}, "template://makefile/go/cli") == {}


@pytest.mark.parametrize(
    ("uri", "parameters", "field"),
    [
        (MAKEFILE, {"default_args": "$(shell id)"}, "default_args"),
        (MAKEFILE, {"default_args": "a; id"}, "default_args"),
        (MAKEFILE, {"target": "x --config evil"}, "target"),
        (MAKEFILE, {"features": ["a", 'b" ; id']}, "features"),
        (MAKEFILE, {"features": ["x"] * (LIMITS.parameter_items + 1)}, "features"),
        ("template://makefile/deno/cli", {"entry_point": "../main.ts"}, "entry_point"),
        ("template://makefile/deno/cli", {"permissions": ["--allow-read; id"]}, "permissions"),
        ("template://readme/rust/cli", {"description": "two\nlines"}, "description"),
        (
            "template://readme/rust/cli",
            {"description": "x" * (LIMITS.parameter_characters + 1)},
            "description",
        ),
        ("template://license/rust/cli", {"license": "WTFPL"}, "license"),
    ],
)
def test_what_a_shell_or_make_would_act_on_is_refused(
    room: Templates, uri: str, parameters: dict[str, Any], field: str
):
    known = {item.name for item in room.find(uri).parameters}
    rest = {"project_name": "kelp", "description": "Holds"}
    assert list(errors(room, {name: rest[name] for name in rest.keys() & known} | parameters, uri)) == [field]


def test_the_longest_text_and_list_are_accepted(room: Templates):
    longest = {"project_name": "kelp", "description": "x" * LIMITS.parameter_characters}
    assert errors(room, longest, "template://readme/rust/cli") == {}
    assert errors(room, {"project_name": "kelp", "features": ["x"] * LIMITS.parameter_items}) == {}


@pytest.mark.requirement("transport-48")
def test_generating_refuses_exactly_what_validating_reports(room: Templates):
    for parameters in ({}, {"project_name": "a/b"}, {"project_name": "kelp", "x": 1}, {"project_name": None}):
        reported = errors(room, parameters)
        with pytest.raises(ParameterValidation) as failure:
            generate_template(room, GenerateTemplate(resource_uri=MAKEFILE, parameters=parameters))
        told = failure.value.data["errors"]
        assert reported
        assert {item["field"]: item["message"] for item in told} == reported


@pytest.mark.requirement("templates-54")
def test_validating_renders_nothing(room: Templates, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Templates, "generate", None)
    assert errors(room, {"project_name": "kelp"}) == {}


def test_a_pattern_of_somebody_else_is_matched_in_linear_time(room: Templates, own_template: OwnTemplate):
    own_template(
        "{{ project_name }}",
        parameters='{ name = "word", type = "string", pattern = "(a|aa)+$", description = "A word." },',
    )
    found = errors(room, {"project_name": "x", "word": "a" * 1_999 + "!"}, "template://notice/rust/cli")
    assert list(found) == ["word"]
    assert found["word"] == "Does not match pattern: (a|aa)+$"
