from __future__ import annotations

import pytest

from holdfast.faces.cli.command import write_result
from holdfast.faces.cli.host import Host
from holdfast.faces.mcp.catalogue import ProtocolCatalogue
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.errors import Invalid, UnknownTool
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Registry, Selection
from holdfast.kernel.resource import ListedResource, family_of, find_resource
from holdfast.kernel.toolset import Toolset


class Nothing(Input):
    """Takes nothing."""


class Said(Output):
    """Something said."""

    text: str


shed = Toolset("shed", "Where tools hang.", family="garden")


@shed.operation(
    "dig",
    title="Dig",
    effect=Effect.WRITE,
    example="holdfast shed dig",
    command_only=True,
    text=lambda _: "dug",
)
def dig(room: object, args: Nothing) -> Said:
    """Dig here."""
    return Said(text="deep")


@shed.operation(
    "look",
    title="Look",
    effect=Effect.READ,
    example="holdfast shed look",
    text=lambda result: f"[{result.text}]",
    command_text=lambda result: f"You see {result.text}.",
)
def look(room: object, args: Nothing) -> Said:
    """Look around."""
    return Said(text="a spade")


@shed.resource(
    "shed://{tool}",
    name="Tool",
    description="A tool",
    members=lambda room: [ListedResource(f"shed://{name}", name, "A tool", "text/plain") for name in room],
    malformed=lambda uri: Invalid(f"no shed: {uri}"),
)
def tool(room: object, tool: str) -> str:
    """Return a tool."""
    return tool


REGISTRY = Registry((shed,))


@pytest.mark.parametrize(
    "selection",
    [Selection(), Selection(toolsets=frozenset({"shed"})), Selection(tools=frozenset({"dig", "look"}))],
)
def test_what_is_for_the_command_line_is_offered_to_nobody_else(selection: Selection):
    offered = REGISTRY.select(selection)
    assert [operation.name for operation in offered.operations] == ["look"]
    with pytest.raises(UnknownTool) as failure:
        offered.operation("dig")
    assert failure.value.hint == "It is only for the command line."


def test_the_command_line_offers_it():
    host = Host.of(REGISTRY, lambda _: None)  # type: ignore[arg-type, return-value]
    assert [operation.name for operation in host.registry.operations] == ["dig", "look"]


def test_a_person_gets_words_of_their_own_where_there_are_some(capfdbinary):
    by_name = {operation.name: operation for operation in shed.operations}
    said = Said(text="a spade")
    assert by_name["look"].as_text(said) == "[a spade]"
    for name in ("look", "dig"):
        write_result(by_name[name], said, as_json=False)
    assert capfdbinary.readouterr().out == b"You see a spade.\ndug\n"


def test_a_family_of_resources_lists_what_it_has_right_now():
    catalogue = ProtocolCatalogue(
        REGISTRY,
        PROFILES["everything"],
        2,
        lambda item: item.members(["c", "a", "b"]) if item.members else (),
    )
    first = catalogue.resources(None)
    second = catalogue.resources(first.next_cursor)
    assert [item.uri for item in (*first.resources, *second.resources)] == [
        "shed://a",
        "shed://b",
        "shed://c",
    ]
    assert second.next_cursor is None
    assert ProtocolCatalogue(REGISTRY, PROFILES["everything"], 2).resources(None).resources == []


@pytest.mark.parametrize("uri", ["shed://", "shed://a/b", "shed://%ff"])
def test_a_family_says_itself_what_is_wrong_with_an_address_of_its_kind(uri: str):
    with pytest.raises(Invalid, match="no shed"):
        find_resource(REGISTRY.resources, uri)
    assert family_of(REGISTRY.resources, uri, "other") == "garden"
    assert family_of(REGISTRY.resources, "barn://x", "other") == "other"
