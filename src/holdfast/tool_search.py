"""`find_tools`: searches all tools by words, since `tools/list` has only the common ones.

A match scores most in the name, then in the title, in the first line of the description, and least in the
rest and in argument names. Matching is by prefix, after removing common English endings from the query.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import Field

from holdfast.kernel.models import Input, Integer, Output, wire_names
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import TOOLS, Registry
from holdfast.kernel.schema import input_schema, strip_marks
from holdfast.kernel.toolset import Toolset

toolset = Toolset(TOOLS, "The tools themselves: searches all of them, with their arguments.")

_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|e?s|ed|e)$")
_FILLERS = frozenset(
    {"a", "all", "an", "and", "for", "from", "in", "it", "of", "on", "or", "that", "th", "to", "with"}
)
_WEIGHTS = (8, 4, 2, 1)  # chosen: a match in one place outweighs one in the next
_MAX_OTHERS = 20  # a chosen bound for one line of text


class FindTools(Input):
    """What to search for."""

    query: str = Field(
        min_length=1, max_length=200, description="Words for what you want to do, such as: move note."
    )
    limit: Integer = Field(default=3, ge=1, le=20, description="Number of tools to describe.")


class FoundTool(Output):
    """A tool and its arguments."""

    name: str
    description: str
    effect: Effect = Field(description="Whether it reads, writes or destroys.")
    command: str = Field(description="The equivalent command.")
    input_schema: dict[str, Any] = Field(alias="inputSchema", description="The JSON Schema of its arguments.")


class FoundTools(Output):
    """Matching tools, best first."""

    tools: list[FoundTool]
    more: list[str] = Field(description="Names of further tools that match less well.")
    toolsets: dict[str, str] = Field(description="If nothing matches: the kinds of tools.")


def _score(operation: Operation, words: list[str]) -> int:
    """Return the score of an operation: for each word, the weight of the best field that matches."""
    first, _, rest = operation.description.partition("\n")
    fields = [
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
                for weight, field in zip(_WEIGHTS, fields, strict=True)
                if any(other.startswith(word) for other in field)
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
        inputSchema=strip_marks(input_schema(operation)),
    )


def _for_agents(result: FoundTools) -> str:
    """Format the result for a model, with each tool as in `tools/list`."""
    if not result.tools:
        kinds = "\n".join(f"- {name}: {summary}" for name, summary in result.toolsets.items())
        return f"No tool matches these words. There are tools for:\n{kinds}"
    found = [
        f"{tool.name}: {tool.description}\n{json.dumps(tool.input_schema, ensure_ascii=False)}"
        for tool in result.tools
    ]
    return "\n\n".join([*found, f"Match less well: {', '.join(result.more)}."] if result.more else found)


def _for_people(result: FoundTools) -> str:
    """Format the result for the command line."""
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
    matching = sorted(
        (operation for operation in registry.operations if scores[operation.name]),
        key=lambda operation: (-scores[operation.name], operation.name),
    )
    return FoundTools(
        tools=[_described(operation) for operation in matching[: arguments.limit]],
        more=[item.listed_name for item in matching[arguments.limit :]][:_MAX_OTHERS],
        toolsets={} if matching else {item.name: item.summary for item in registry.toolsets},
    )
