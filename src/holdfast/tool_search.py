"""`find_tools`: the tools that fit some words, with their arguments; lists show only the common ones.

A word counts most in a name, then in a title, then in the first line of a description, then in the rest and
in the names of arguments. It also finds longer words that begin with it, and itself without its ending.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import Field

from holdfast.kernel.models import Input, Integer, Output, wire_names
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import TOOLS, Registry
from holdfast.kernel.schema import input_schema, whole_schema
from holdfast.kernel.toolset import Toolset

toolset = Toolset(TOOLS, "The tools themselves: which there are, and what they take.")

_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|e?s|ed|e)$")
_FILLERS = frozenset(
    {"a", "all", "an", "and", "for", "from", "in", "it", "of", "on", "or", "that", "th", "to", "with"}
)
_WEIGHTS = (8, 4, 2, 1)
_MOST_NAMED = 20


class FindTools(Input):
    """What the tools shall be about."""

    query: str = Field(
        min_length=1, max_length=200, description="Words for what you want to do, such as: move note."
    )
    limit: Integer = Field(default=3, ge=1, le=20, description="How many tools to describe.")


class FoundTool(Output):
    """A tool and what it takes."""

    name: str
    description: str
    effect: Effect = Field(description="Whether it reads, writes or destroys.")
    command: str = Field(description="The same at a command line.")
    input_schema: dict[str, Any] = Field(alias="inputSchema", description="The JSON Schema of its arguments.")


class FoundTools(Output):
    """Tools that fit, best first."""

    tools: list[FoundTool]
    more: list[str] = Field(description="Names of further tools that fit less well.")
    toolsets: dict[str, str] = Field(description="Where nothing fits: what kinds of tools there are.")


def _score(operation: Operation, words: list[str]) -> int:
    """Return how well an operation fits: the sum of where its words occur."""
    first, _, rest = operation.description.partition("\n")
    places = [
        _WORD.findall(text.lower())
        for text in (
            f"{operation.listed_name.replace('_', ' ')} {operation.toolset}",
            operation.title,
            first,
            f"{rest} {' '.join(wire_names(operation.input))}".replace("_", " "),
        )
    ]
    return sum(
        max(
            (
                weight
                for weight, place in zip(_WEIGHTS, places, strict=True)
                if any(other.startswith(word) for other in place)
            ),
            default=0,
        )
        for word in words
    )


def _described(operation: Operation) -> FoundTool:
    return FoundTool(
        name=operation.listed_name,
        description=operation.description,
        effect=operation.effect,
        command=f"holdfast {operation.toolset} {operation.command}",
        inputSchema=whole_schema(input_schema(operation)),
    )


def _for_agents(result: FoundTools) -> str:
    """Say what was found to a model: each tool as a list of tools would show it."""
    if not result.tools:
        kinds = "\n".join(f"- {name}: {summary}" for name, summary in result.toolsets.items())
        return f"No tool fits these words. There are tools for:\n{kinds}"
    found = [
        f"{tool.name}: {tool.description}\n{json.dumps(tool.input_schema, ensure_ascii=False)}"
        for tool in result.tools
    ]
    return "\n\n".join([*found, f"Fits less well: {', '.join(result.more)}."] if result.more else found)


def _for_people(result: FoundTools) -> str:
    """Say what was found to somebody at a command line."""
    if not result.tools:
        return _for_agents(result)
    width = max(len(tool.command) for tool in result.tools)
    rows = [(tool.command, tool.description.partition("\n")[0]) for tool in result.tools]
    return "\n".join(f"{command:<{width}}  {summary}" for command, summary in rows)


@toolset.operation(
    "find_tools",
    title="Find tools",
    effect=Effect.READ,
    command="find",
    positional=("query",),
    example='holdfast tools find "export notes"',
    text=_for_agents,
    command_text=_for_people,
)
def find_tools(registry: Registry, arguments: FindTools) -> FoundTools:
    """Find tools that are not listed, by words for what you want to do.

    Returns their descriptions and argument schemas; call them by name like any other.
    """
    words = [_ENDING.sub("", word) for word in _WORD.findall(arguments.query.lower())]
    wanted = [word for word in words if word not in _FILLERS] or words
    scores = {operation.name: _score(operation, wanted) for operation in registry.operations}
    fitting = sorted(
        (operation for operation in registry.operations if scores[operation.name]),
        key=lambda operation: (-scores[operation.name], operation.name),
    )
    return FoundTools(
        tools=[_described(operation) for operation in fitting[: arguments.limit]],
        more=[item.listed_name for item in fitting[arguments.limit :]][:_MOST_NAMED],
        toolsets={} if fitting else {item.name: item.summary for item in registry.toolsets},
    )
