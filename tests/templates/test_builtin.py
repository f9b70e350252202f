"""The built-in templates: what they take, what they give, and what they no longer get wrong.

`HOLDFAST_UPDATE_SNAPSHOTS=1 pytest tests/templates/test_builtin.py` rewrites the snapshots.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.templates.catalogue import Templates
from holdfast.templates.template import Template

SNAPSHOTS = Path(__file__).with_name("snapshots")
IS_UPDATING = os.environ.get("HOLDFAST_UPDATE_SNAPSHOTS") == "1"
ROOM = Templates(Repository(str(SNAPSHOTS.parent)))
BUILT_IN = [item for item in ROOM.catalogue.matching() if item.is_builtin]
EVERY = pytest.mark.parametrize("template", BUILT_IN, ids=lambda item: item.address.uri)
MAKEFILES = [item for item in BUILT_IN if item.address.category == "makefile"]


def generated(uri: str, **parameters: Any) -> str:
    return ROOM.generate(ROOM.find(uri), parameters).content


def required(template: Template) -> dict[str, Any]:
    values = {"project_name": "my-kelp", "description": 'Holds "fast" & <true>'}
    return {item.name: values[item.name] for item in template.parameters if item.required}


def combinations(template: Template) -> list[dict[str, bool]]:
    names = [item.name for item in template.parameters if item.type == "boolean"]
    products = itertools.product([True, False], repeat=len(names))
    return [dict(zip(names, values, strict=True)) for values in products]


@EVERY
def test_a_template_gives_what_it_gave(template: Template):
    sections = []
    for values in combinations(template):
        file = ROOM.generate(template, required(template) | values)
        sections.append(f"=== {file.path} {json.dumps(values)}\n{file.content}")
    text = "\n".join(sections)
    path = SNAPSHOTS / f"{template.address.uri.removeprefix('template://').replace('/', '.')}.txt"
    if IS_UPDATING:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@EVERY
def test_a_file_is_tidy_whatever_is_switched_on(template: Template):
    for values in combinations(template):
        file = ROOM.generate(template, required(template) | values)
        assert file.content == "" or file.content.endswith("\n")
        assert not file.content.endswith("\n\n")
        assert "\n\n\n" not in file.content or file.path.endswith(".py")
        assert [line for line in file.content.splitlines() if line != line.rstrip()] == []
        for leftover in ("{{", "{%", "&#", *(["None"] if not file.path.endswith((".rs", ".py")) else [])):
            assert leftover not in file.content


def changed(parameter: Any) -> Any:
    if parameter.type == "boolean":
        return not parameter.default
    samples = {
        "project-name": "other",
        "python-project-name": "other",
        "version": "9.9",
        "year": "1999",
        "permission": "--allow-net",
    }
    value = samples.get(parameter.format, "other")
    if parameter.choices:
        value = parameter.choices[-1]
    return [value] if parameter.type == "array" else value


@EVERY
def test_every_parameter_has_an_effect(template: Template):
    before = ROOM.generate(template, required(template))
    for parameter in template.parameters:
        if parameter.name == template.metadata.only_if:
            continue  # it decides whether the file is part of a whole project
        after = ROOM.generate(template, required(template) | {parameter.name: changed(parameter)})
        assert (after.path, after.content) != (before.path, before.content), parameter.name


@pytest.mark.parametrize("template", MAKEFILES, ids=lambda item: item.address.uri)
def test_make_understands_every_makefile_and_every_target_of_it(template: Template, tmp_path: Path):
    for values in combinations(template):
        content = ROOM.generate(template, required(template) | values).content
        (tmp_path / "Makefile").write_text(content)
        [phony] = [line for line in content.splitlines() if line.startswith(".PHONY:")]
        for target in phony.split()[1:]:
            answer = subprocess.run(
                ["make", "-n", target], cwd=tmp_path, capture_output=True, text=True, timeout=120
            )
            assert (answer.returncode, answer.stderr) == (0, ""), (values, target)
        default = subprocess.run(["make", "-n"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert default.returncode == 0


@pytest.mark.requirement("transport-30", "transport-47")
def test_declared_defaults_are_applied():
    makefile = generated("template://makefile/rust/cli", project_name="kelp")
    assert "\tcargo test\n" in makefile
    assert "No benchmarks configured" in makefile
    assert "deno check main.ts" in generated("template://makefile/deno/cli", project_name="kelp")
    assert "python -m kelp.main" in generated("template://makefile/python-uv/cli", project_name="kelp")
    assert "Rust 1.75 or later" in generated("template://readme/rust/cli", project_name="k", description="d")


def test_the_rust_makefile_passes_target_and_features_to_every_cargo_command():
    makefile = generated(
        "template://makefile/rust/cli",
        project_name="kelp",
        target="x86_64-unknown-linux-musl",
        features=["a", "b"],
        default_args="--verbose",
        has_benchmarks=True,
    )
    options = '--target x86_64-unknown-linux-musl --features "a,b"'
    commands = [line for line in makefile.splitlines() if line.startswith("\tcargo ")]
    for command in commands:
        assert options in command or command in ("\tcargo fmt", "\tcargo clean")
    assert f"\tcargo run {options} -- --verbose" in commands
    assert f"\tcargo bench {options}" in commands


def test_the_targets_of_the_original_makefiles_are_all_there():
    for toolchain, targets in {
        "rust": "all check format lint test bench build build-release run clean install help",
        "deno": "all fmt lint type-check test coverage clean run dev bundle help",
        "python-uv": "all install dev-install format lint type-check test coverage clean run help",
    }.items():
        makefile = generated(f"template://makefile/{toolchain}/cli", project_name="kelp")
        for target in targets.split():
            assert f"\n{target}:" in makefile, (toolchain, target)


def test_without_tests_nothing_asks_for_them():
    for toolchain in ("deno", "python-uv", "go", "node"):
        makefile = generated(f"template://makefile/{toolchain}/cli", project_name="kelp", has_tests=False)
        assert "\ntest:" not in makefile
        assert " test" not in next(line for line in makefile.splitlines() if line.startswith("all:"))
    rust = generated("template://makefile/rust/cli", project_name="kelp", has_tests=False)
    assert "No tests configured" in rust


def test_nothing_is_escaped_for_a_language_it_is_not_in():
    readme = generated(
        "template://readme/rust/cli", project_name="kelp", description="a=b & \"c\" <d> 'e'", features=["x=1"]
    )
    assert "a=b & \"c\" <d> 'e'" in readme
    assert "- x=1" in readme


def test_readmes_name_their_author_and_what_they_are_told():
    for toolchain in ("deno", "python-uv", "go", "node"):
        readme = generated(f"template://readme/{toolchain}/cli", project_name="kelp", author_name="Ada")
        assert "By Ada." in readme
    assert "A Deno CLI application" in generated("template://readme/deno/cli", project_name="kelp")
    assert "A Python CLI application using uv" in generated(
        "template://readme/python-uv/cli", project_name="kelp"
    )
    rust = generated(
        "template://readme/rust/cli",
        project_name="kelp",
        description="d",
        rust_version="1.80",
        configuration="Set `KELP`.",
        usage_example="kelp hold\nkelp release",
    )
    assert "Rust 1.80 or later" in rust
    assert "1.75" not in rust
    assert "## Configuration\n\nSet `KELP`.\n" in rust
    assert "```sh\nkelp hold\nkelp release\n```" in rust


def test_lock_files_are_not_ignored():
    for toolchain, lock in {"rust": "Cargo.lock", "deno": "deno.lock", "python-uv": "uv.lock"}.items():
        ignored = generated(f"template://gitignore/{toolchain}/cli").splitlines()
        assert lock not in ignored
        assert any(line.startswith("#") and lock in line for line in ignored)


def test_the_sections_of_the_rust_gitignore_follow_their_lists():
    text = generated("template://gitignore/rust/cli", ide_files=[".zed/"], embedded_targets=[])
    assert "# Editors\n.zed/\n" in text
    assert "# Embedded targets" not in text
    assert "# Build artifacts\ntarget/\n" in text


@pytest.mark.parametrize("text", ['say "hi"', "back\\slash", "100% $HOME `id`", "größe ☃", "{{ 7 * 7 }}"])
def test_any_line_of_text_survives_in_every_manifest(text: str):
    cargo = tomllib.loads(
        generated("template://manifest/rust/cli", project_name="k", description=text, author=text)
    )
    python = tomllib.loads(
        generated("template://manifest/python-uv/cli", project_name="k", description=text, author_name=text)
    )
    node = json.loads(
        generated("template://manifest/node/cli", project_name="k", description=text, author_name=text)
    )
    assert cargo["package"]["description"] == python["project"]["description"] == node["description"] == text
    assert cargo["package"]["authors"] == [text]
    assert python["project"]["authors"] == [{"name": text}]
    json.loads(generated("template://manifest/deno/library", project_name="k"))


def test_every_snapshot_has_a_template():
    names = {item.address.uri.removeprefix("template://").replace("/", ".") for item in BUILT_IN}
    assert {path.stem for path in SNAPSHOTS.glob("*.txt")} == names
    assert shutil.which("make"), "the Makefiles cannot be judged without make"
