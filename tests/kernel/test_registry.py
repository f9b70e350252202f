from __future__ import annotations

from collections.abc import Iterable

import pytest

from holdfast.kernel.errors import Invalid, UnknownTool
from holdfast.kernel.registry import Registry, Selection
from holdfast.kernel.toolset import Toolset
from tests.kernel.example import numbers, trouble


def registry(**selection: object) -> Registry:
    chosen = {
        name: frozenset(value) if isinstance(value, list) else value for name, value in selection.items()
    }
    return Registry([numbers(), trouble()], Selection(**chosen))  # type: ignore[arg-type]


def offered(registry: Registry) -> Iterable[str]:
    return [operation.name for operation in registry.operations]


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        ({}, ["add", "count.up", "forget"]),
        ({"toolsets": ["numbers"]}, ["add", "count.up", "forget"]),
        ({"toolsets": ["trouble"]}, ["fail", "refuse", "wait"]),
        ({"toolsets": ["trouble"], "tools": ["add"]}, ["add", "fail", "refuse", "wait"]),
        ({"toolsets": []}, []),
        ({"tools": ["add"]}, ["add"]),
        ({"tools": ["count_up", "fail"]}, ["count.up", "fail"]),
        ({"exclude_tools": ["add"]}, ["count.up", "forget"]),
        ({"tools": ["add", "forget"], "exclude_tools": ["forget"]}, ["add"]),
        ({"read_only": True}, ["add"]),
        ({"tools": ["count_up"], "read_only": True}, []),
        ({"toolsets": ["numbers"], "tools": ["forget"], "read_only": True}, ["add"]),
        ({"family": "arithmetic"}, ["add"]),
        ({"family": "geometry"}, []),
    ],
)
def test_a_selection_offers_exactly_what_it_names(selection: dict[str, object], names: list[str]):
    assert offered(registry(**selection)) == names


def test_resources_and_prompts_follow_their_toolset_and_family():
    everything, specified, none = registry(), registry(family="arithmetic"), registry(toolsets=["trouble"])
    assert [item.name for item in everything.resources] == ["Count", "Number"]
    assert [item.name for item in everything.prompts] == ["explain"]
    assert [item.name for item in specified.resources] == ["Count"]
    assert (specified.prompts, none.resources, none.prompts) == ([], [], [])


def test_both_spellings_of_a_name_find_the_operation():
    everything = registry()
    assert everything.operation("count.up") is everything.operation("count_up")
    assert everything.find("count.up") is everything.find("count_up") is not None
    assert everything.find("nothing") is None


@pytest.mark.parametrize(
    ("selection", "name", "hint"),
    [
        ({}, "ad", 'Did you mean "add"?'),
        ({}, "zzzzzz", "Known names: add, count_up, forget."),
        ({"read_only": True}, "forget", "It writes, and this server is read-only."),
        ({"exclude_tools": ["add"]}, "add", "It exists, but this server was started without it."),
        ({"toolsets": []}, "zzzzzz", "There are none here."),
    ],
)
def test_a_tool_that_is_not_offered_says_why(selection: dict[str, object], name: str, hint: str):
    with pytest.raises(UnknownTool, match=f"Unknown tool: {name}") as caught:
        registry(**selection).operation(name)
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    "selection", [{"toolsets": ["nmbers"]}, {"tools": ["ad"]}, {"exclude_tools": ["ad"]}]
)
def test_a_selection_of_unknown_names_is_refused_with_a_suggestion(selection: dict[str, object]):
    with pytest.raises(Invalid) as caught:
        registry(**selection)
    assert caught.value.hint in ('Did you mean "numbers"?', 'Did you mean "add"?')


def test_two_operations_of_one_name_are_refused():
    twin = Toolset("twin", "The same again.", operations=numbers().operations)
    with pytest.raises(ValueError, match="share a name"):
        Registry([numbers(), twin])


def test_narrowing_starts_from_everything():
    narrowed = registry(tools=["add"]).select(Selection(read_only=True))
    assert offered(narrowed) == ["add"]
    assert offered(narrowed.select(Selection())) == ["add", "count.up", "forget"]
