"""`find_tools`: searches all tools by words, because `tools/list` has only the common ones.

A match in the name has the highest weight, followed by the title, the first line of the description, and last
the rest of the description and the names of arguments. A word matches if a field has a word that starts with
it, after common English endings are removed from the query.
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
# A common English ending after at least three letters.
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|e?s|ed|e)$")
_STOP_WORDS = frozenset(
    {"a", "all", "an", "and", "for", "from", "in", "it", "of", "on", "or", "that", "th", "to", "with"}
)
"""After endings are removed, which turns "the" into "th"."""
_FIELD_WEIGHTS = (8, 4, 2, 1)
"""Of the name, the title, the first line and the rest. A judgement: a match in one field outweighs one match
in each of the following fields."""
_MAX_FURTHER_NAMES = 20
"""A judgement: enough to see what else there is, in a few hundred characters."""


class FindTools(Input):
    """The words to search for."""

    query: str = Field(
        min_length=1, max_length=200, description="Words for what you want to do, such as: move note."
    )
    limit: Integer = Field(default=3, ge=1, le=20, description="Number of tools to describe.")


class FoundTool(Output):
    """A tool and its arguments."""

    name: str
    description: str
    effect: Effect = Field(description="Whether the tool reads, writes or destroys.")
    command: str = Field(description="The equivalent command.")
    input_schema: dict[str, Any] = Field(alias="inputSchema", description="JSON Schema of the arguments.")


class FoundTools(Output):
    """Matching tools, best first."""

    tools: list[FoundTool]
    more: list[str] = Field(description="Names of further tools that match less well.")
    toolsets: dict[str, str] = Field(description="If nothing matches: the kinds of tools.")


def _score(operation: Operation, words: list[str]) -> int:
    """Return the score of an operation: for each word, the weight of the best field that matches."""
    first_line, _, rest = operation.description.partition("\n")
    fields = [
        _WORD.findall(text.lower())
        for text in (
            f"{operation.listed_name.replace('_', ' ')} {operation.toolset}",
            operation.title,
            first_line,
            f"{rest} {' '.join(wire_names(operation.input))}".replace("_", " "),
        )
    ]
    return sum(_best_weight(word, fields) for word in words)


def _best_weight(word: str, fields: list[list[str]]) -> int:
    """Return the weight of the first field with a word that starts with `word`, or 0."""
    for weight, field in zip(_FIELD_WEIGHTS, fields, strict=True):
        if any(field_word.startswith(word) for field_word in field):
            return weight
    return 0


def _describe(operation: Operation) -> FoundTool:
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
    paragraphs = [
        f"{tool.name}: {tool.description}\n{json.dumps(tool.input_schema, ensure_ascii=False)}"
        for tool in result.tools
    ]
    if result.more:
        paragraphs.append(f"Match less well: {', '.join(result.more)}.")
    return "\n\n".join(paragraphs)


def _for_people(result: FoundTools) -> str:
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
    search_words = [word for word in words if word not in _STOP_WORDS] or words
    scores = {operation.name: _score(operation, search_words) for operation in registry.operations}
    matching = sorted(
        (operation for operation in registry.operations if scores[operation.name]),
        key=lambda operation: (-scores[operation.name], operation.name),
    )
    return FoundTools(
        tools=[_describe(operation) for operation in matching[: arguments.limit]],
        more=[item.listed_name for item in matching[arguments.limit :]][:_MAX_FURTHER_NAMES],
        toolsets={} if matching else {item.name: item.summary for item in registry.toolsets},
    )
