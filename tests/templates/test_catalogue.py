from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import TemplateNotFound
from holdfast.templates.template import json_array
from holdfast.templates.tools.generate_template import GenerateTemplate, generate_template
from holdfast.templates.tools.list_templates import ListTemplates, list_templates
from tests.reliability.evidence import Tally
from tests.templates.conftest import OwnTemplate

NOTICE = "template://notice/rust/cli"


def listed(room: Templates, **filters: str) -> list[str]:
    result = list_templates(room, ListTemplates(**filters))
    assert result.count == len(result.templates)
    return [template.uri for template in result.templates]


def broken(room: Templates) -> dict[str, str]:
    return {item.file: item.problem for item in list_templates(room, ListTemplates()).broken}


@pytest.mark.requirement("templates-49", "templates-50", "templates-51")
def test_templates_are_listed_by_toolchain_and_category(room: Templates):
    everything = listed(room)
    rust, makefiles = listed(room, toolchain="rust"), listed(room, category="makefile")
    assert len(everything) == len(set(everything)) == 92
    assert set(listed(room, toolchain="rust", category="makefile")) == set(rust) & set(makefiles)
    assert len(makefiles) == 10
    assert listed(room, toolchain="cobol") == []
    nine = [
        f"template://{category}/{toolchain}/cli"
        for toolchain in ("rust", "deno", "python-uv")
        for category in ("makefile", "readme", "gitignore")
    ]
    assert [uri for uri in everything if uri in nine] == nine


def test_an_agent_finds_every_parameter_in_the_list(room: Templates):
    [makefile] = list_templates(room, ListTemplates(toolchain="rust", category="makefile")).templates[:1]
    shown = {item.name: (item.type, item.required, item.default) for item in makefile.parameters}
    assert shown == {
        "project_name": ("string", True, None),
        "has_tests": ("boolean", False, "true"),
        "has_benchmarks": ("boolean", False, "false"),
        "target": ("string", False, None),
        "features": ("array", False, "[]"),
        "default_args": ("string", False, None),
    }


@pytest.mark.parametrize("origin", ["repository", "user"])
def test_an_own_template_is_listed_and_rendered_like_ours(
    room: Templates, own_template: OwnTemplate, origin: str
):
    own_template("{{ project_name | pascal }}\n", origin=origin)
    [shown] = [item for item in list_templates(room, ListTemplates()).templates if item.uri == NOTICE]
    assert shown.origin == origin
    made = generate_template(room, GenerateTemplate(resource_uri=NOTICE, parameters={"project_name": "a-b"}))
    assert (made.path, made.content) == ("NOTICE", "AB\n")


def test_a_change_in_a_folder_is_seen_by_the_next_request(room: Templates, own_template: OwnTemplate):
    with pytest.raises(TemplateNotFound):
        room.find(NOTICE)
    path = own_template("one")
    assert room.find(NOTICE).body == "one"
    own_template("two and more")
    assert room.find(NOTICE).body == "two and more"
    path.unlink()
    with pytest.raises(TemplateNotFound):
        room.find(NOTICE)


def test_no_repository_can_change_what_a_known_address_gives(room: Templates, own_template: OwnTemplate):
    before = room.find("template://makefile/rust/cli")
    own_template("evil", category="makefile")
    own_template("mine", origin="user")
    own_template("theirs", file="second.template")
    assert room.find("template://makefile/rust/cli") == before
    assert room.find(NOTICE).origin == "user"
    told = broken(room)
    assert "template://makefile/rust/cli, which is taken" in told["notice.template"]
    assert "which is taken" in told["second.template"]


@pytest.mark.evidence("C1", "templates", "damaged and strange files among templates", every=True)
@pytest.mark.evidence("C1", "templates", control="reads all of them in one go")
def test_a_broken_file_is_one_entry_and_the_others_work(
    room: Templates, own_template: OwnTemplate, repository: Path, tally: Tally
):
    own_template("fine")
    folder = repository / ".scaffold"
    (folder / "a.template").write_bytes(b"\xff\x00")
    (folder / "b.template").mkdir()
    (folder / "c.template").symlink_to("/etc/passwd")
    (folder / "d.template").write_bytes(b"x" * 300_000)
    os.mkfifo(folder / "e.template")
    with pytest.raises(UnicodeDecodeError) as failure:
        [path.read_text() for path in sorted(folder.iterdir()) if path.is_file()]
    tally(1, int(isinstance(failure.value, UnicodeDecodeError)), of="reads all of them in one go")
    assert room.find(NOTICE).body == "fine"
    told = broken(room)
    assert sorted(told) == [f"{letter}.template" for letter in "abcde"]
    assert "root:" not in str(told)
    assert str(repository) not in str(told)


def test_a_default_that_its_own_rule_refuses_breaks_the_template(room: Templates, own_template: OwnTemplate):
    own_template(
        "x",
        parameters='{ name = "n", type = "string", default = "a b", format = "word", description = "N." },',
    )
    assert "has an invalid default: n" in broken(room)["notice.template"]


def test_a_folder_that_is_a_link_is_not_followed(room: Templates, repository: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.template").write_text("canary")
    (repository / ".scaffold").symlink_to(elsewhere)
    assert list(broken(room)) == [".scaffold"]
    assert "canary" not in str(broken(room))


def test_what_nobody_can_see_is_not_shown(room: Templates, own_template: OwnTemplate):
    path = own_template("x")
    path.write_text(path.read_text().replace('name = "Notice"', 'name = "No\u202etice"'))
    result = list_templates(room, ListTemplates(category="notice"))
    assert "Notice" in json_array(result.templates)
    assert "\u202e" not in json_array(result.templates) + str(result.wire())
