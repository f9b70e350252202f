"""The skills: their format, and that what they tell an agent to call exists."""

from __future__ import annotations

import re

import pytest
import yaml

from holdfast.installation.skills.catalogue import Skill, skills
from holdfast.kernel.operation import Operation
from holdfast.toolsets import full_registry

_MAX_BODY_CHARACTERS = 2200
"""A skill is loaded into a model's context as a whole: some 550 tokens."""
_ROOMS = {"comments", "inbox", "tasks", "milestones", "templates", "analyze", "source"}


def _tools() -> dict[str, Operation]:
    return {operation.name.replace(".", "_"): operation for operation in full_registry().operations}


@pytest.mark.parametrize("skill", skills(), ids=lambda skill: skill.name)
def test_a_skill_is_a_file_in_the_published_format(skill: Skill) -> None:
    _, front_matter, body = skill.text.split("---\n", 2)
    fields = yaml.safe_load(front_matter)
    assert fields == {"name": skill.name, "description": skill.description}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill.name)
    assert len(skill.name) <= 64
    assert len(skill.description) <= 1024
    assert skill.path == f"{skill.name}/SKILL.md"
    assert body == skill.body
    assert len(body) <= _MAX_BODY_CHARACTERS
    assert body.startswith(f"# {skill.title}\n")
    assert body.count("Example: ") == 1


def test_skills_name_only_tools_and_arguments_that_exist() -> None:
    tools = _tools()
    rooms = set()
    for skill in skills():
        words = re.findall(r"`([a-z]+_[a-z_]+)`", skill.body)
        arguments = {name for tool in tools.values() for name in tool.input.model_fields}
        aliases = {f.alias for tool in tools.values() for f in tool.input.model_fields.values()}
        assert set(words) <= tools.keys() | arguments | aliases | {"call_tool"}, skill.name
        assert any(word in tools for word in words)
        rooms |= {tools[word].toolset for word in words if word in tools}
        example = skill.body.partition("Example: ")[2]
        name, *given = re.findall(r"`(\w+)`", example)
        assert name == skill.main_tool
        tool = tools[name]
        accepted = {field.alias or key for key, field in tool.input.model_fields.items()}
        assert set(given) <= accepted, skill.name
        required = {
            field.alias or key for key, field in tool.input.model_fields.items() if field.is_required()
        }
        assert required <= set(given), skill.name
    assert rooms >= _ROOMS
