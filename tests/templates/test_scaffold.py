from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import ParameterValidation
from holdfast.templates.scaffold import ScaffoldRecord
from holdfast.templates.tools.scaffold_project import ScaffoldedProject, ScaffoldProject, scaffold_project
from tests.templates.conftest import OwnTemplate

SHARED = {"project_name": "kelp", "description": "Holds fast"}


def scaffold(room: Templates, *names: str, toolchain: str = "rust", **more: Any) -> ScaffoldedProject:
    arguments = {"toolchain": toolchain, "templates": list(names), "parameters": SHARED, **more}
    return scaffold_project(room, ScaffoldProject(**arguments))


def codes(result: ScaffoldedProject) -> dict[str, int]:
    return {error.template: error.code for error in result.errors}


@pytest.mark.requirement("templates-57", "templates-58", "templates-59", "templates-60")
def test_files_come_with_path_content_and_checksum(room: Templates):
    result = scaffold(room, "makefile", "readme", "gitignore")
    assert [file.path for file in result.files] == ["Makefile", "README.md", ".gitignore", ".scaffold.json"]
    assert result.errors == []
    assert result.exit_code == 0
    for file in result.files:
        assert file.checksum == hashlib.sha256(file.content.encode()).hexdigest()
    assert "Holds fast" in result.files[1].content


def test_what_does_not_exist_is_an_error_entry_and_the_rest_is_generated(room: Templates):
    result = scaffold(room, "makefile", "dockerfile", "../x", "template://makefile/rust", "readme/gui")
    assert [file.path for file in result.files] == ["Makefile", ".scaffold.json"]
    assert codes(result) == {
        "dockerfile": -32000,
        "../x": -32001,
        "template://makefile/rust": -32001,
        "readme/gui": -32000,
    }
    assert result.exit_code != 0


@pytest.mark.parametrize(("toolchain", "code"), [("cobol", -32000), ("../rust", -32001), ("", -32001)])
def test_an_unknown_toolchain_is_an_error_entry_for_each_template(room: Templates, toolchain: str, code: int):
    result = scaffold(room, "makefile", "readme", toolchain=toolchain)
    assert result.files == []
    assert codes(result) == {"makefile": code, "readme": code}
    assert list(codes(scaffold(room, "all", toolchain=toolchain)).values()) == [-32000]


def test_a_mistyped_toolchain_or_variant_is_answered_with_the_closest_one(room: Templates):
    [error] = scaffold(room, "all", toolchain="pyhton-uv").errors
    assert 'Did you mean "python-uv"?' in error.message
    [error] = scaffold(room, "all", variant="libary").errors
    assert 'Did you mean "library"?' in error.message


def test_a_missing_parameter_is_an_error_entry_of_the_templates_that_need_it(room: Templates):
    result = scaffold(room, "makefile", "readme", parameters={"project_name": "kelp"})
    assert [file.path for file in result.files] == ["Makefile", ".scaffold.json"]
    assert codes(result) == {"readme": -32002}
    assert "description: Required parameter missing" in result.errors[0].message


def test_a_parameter_that_nobody_takes_is_refused(room: Templates):
    with pytest.raises(ParameterValidation, match='Did you mean "has_tests"'):
        scaffold(room, "makefile", parameters={**SHARED, "hastests": True})


def test_a_name_may_be_a_category_a_variant_or_an_address(room: Templates):
    result = scaffold(room, "makefile/library", "template://readme/rust/cli", "makefile/library")
    assert [file.template for file in result.files] == [
        "template://makefile/rust/library",
        "template://readme/rust/cli",
        None,
    ]


def test_two_templates_for_one_file_give_the_first_and_an_error(room: Templates):
    result = scaffold(room, "makefile", "makefile/library")
    assert [file.template for file in result.files] == ["template://makefile/rust/cli", None]
    assert "would overwrite 'Makefile' of another template" in result.errors[0].message


@pytest.mark.parametrize("toolchain", ["rust", "deno", "python-uv", "go", "node"])
@pytest.mark.parametrize("variant", ["cli", "library"])
def test_all_leaves_out_tests_when_there_are_to_be_none(room: Templates, toolchain: str, variant: str):
    shared = SHARED if toolchain == "rust" else {"project_name": "kelp"}
    with_tests = scaffold(room, "all", toolchain=toolchain, variant=variant, parameters=shared)
    without = scaffold(
        room, "all", toolchain=toolchain, variant=variant, parameters={**shared, "has_tests": False}
    )
    assert with_tests.errors == without.errors == []
    gone = {file.template for file in with_tests.files} - {file.template for file in without.files}
    assert gone == {f"template://test/{toolchain}/{variant}"}


def test_own_templates_are_part_of_a_whole_project(room: Templates, own_template: OwnTemplate):
    own_template("Held by {{ project_name }}\n")
    result = scaffold(room, "all")
    assert result.errors == []
    assert {"NOTICE", "Makefile"} <= {file.path for file in result.files}


def test_a_broken_own_template_is_an_entry_and_the_project_is_generated(
    room: Templates, own_template: OwnTemplate
):
    own_template("{{ nothing }}")
    result = scaffold(room, "all")
    assert list(codes(result)) == ["template://notice/rust/cli"]
    assert "Makefile" in {file.path for file in result.files}


def test_the_record_tells_how_far_a_project_has_moved_from_its_scaffold(room: Templates):
    result = scaffold(room, "makefile", "readme", parameters={**SHARED, "has_tests": False})
    record = ScaffoldRecord.model_validate(json.loads(result.files[-1].content))
    assert (record.toolchain, record.variant, record.parameters) == (
        "rust",
        "cli",
        {**SHARED, "has_tests": False},
    )
    now = {file.path: file.content for file in result.files} | {"README.md": "rewritten"}
    changed = [
        file.path
        for file in record.files
        if hashlib.sha256(now[file.path].encode()).hexdigest() != file.checksum
    ]
    assert changed == ["README.md"]
    assert {file.template for file in record.files} == {file.template for file in result.files[:-1]}


def test_the_record_is_the_same_whatever_the_order(room: Templates):
    first, second = scaffold(room, "makefile", "readme"), scaffold(room, "readme", "makefile")
    assert first.files[-1] == second.files[-1]
