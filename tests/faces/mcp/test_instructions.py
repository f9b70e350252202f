"""Instructions name the tools that a server offers, and no others."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from holdfast.faces.mcp.call_tool import offers_call_tool
from holdfast.faces.mcp.instructions import MENTIONED, instructions_for
from holdfast.faces.mcp.profiles import EVERYTHING, PROFILES, Profile
from holdfast.kernel.registry import CALL_TOOL, TOOLS, Selection
from holdfast.kernel.role import Role
from holdfast.toolsets import MODULES, full_registry

SELECTIONS = [
    Selection(),
    Selection(read_only=True),
    Selection(role=Role.READ),
    Selection(role=Role.WRITE),
    Selection(exclude_tools=frozenset({"taskpilot_start", "find_tools", "call_tool"})),
    Selection(tools=frozenset({"git_mile_show", "move_comment"})),
    Selection(toolsets=frozenset({"inbox"}), tools=frozenset({"add_comment"}), read_only=True),
    *[Selection(toolsets=frozenset({name})) for name in MODULES],
]


def mentioned(profile: Profile, selection: Selection) -> set[str]:
    text = instructions_for(profile, selection) or ""
    return {name.replace(".", "_") for name in re.findall(r"[a-z]+(?:[_.][a-z]+)+", text)} & {*MENTIONED}


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_only_what_is_offered_is_mentioned(profile: Profile, selection: Selection) -> None:
    registry = full_registry().select(selection._replace(family=profile.family))
    offered = {operation.listed_name for operation in registry.operations}
    if offers_call_tool(registry):
        offered.add(CALL_TOOL)
    assert mentioned(profile, selection) <= offered


def test_the_mentioned_tools_have_the_toolset_and_effect_that_they_declare() -> None:
    declared: dict[str, Any] = {
        operation.listed_name: (operation.toolset, operation.effect)
        for operation in full_registry().operations
    }
    own = {name: declared[name] for name in MENTIONED if name != CALL_TOOL}
    assert {name: entry for name, entry in MENTIONED.items() if name != CALL_TOOL} == own
    assert MENTIONED[CALL_TOOL][0] == TOOLS
    texts = [instructions_for(profile, Selection()) or "" for profile in PROFILES.values()]
    names = [name for text in texts for name in re.findall(r"[a-z]+(?:_[a-z.]*[a-z])+", text)]
    words = {name.replace(".", "_") for name in names}
    assert words <= {*MENTIONED, "max_bytes"}


def test_a_selection_keeps_what_it_offers() -> None:
    assert mentioned(EVERYTHING, Selection(toolsets=frozenset({"milestones"}))) == {
        "git_mile_ready",
        "git_mile_claim",
        "git_mile_close",
        "git_mile_list",
        "git_mile_show",
        "find_tools",
        "call_tool",
    }
    assert mentioned(EVERYTHING, Selection(read_only=True)) == {
        name for name, (_, effect) in MENTIONED.items() if effect.value == "read"
    } - {"search_comments"}


def test_names_have_dots_where_the_list_has_them() -> None:
    dotted = replace(EVERYTHING, uses_dotted_names=True)
    text = instructions_for(dotted, Selection()) or ""
    assert "git_mile.ready" in text
    assert "git_mile_" not in text
