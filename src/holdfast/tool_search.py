"""`find_tools`: searches all tools by words, because `tools/list` has only the common ones.

The score of a tool is the sum over the query's words of the word's weight, its inverse document frequency,
times the weight of the best field that has it: the name, the title, the first line of the description, or the
rest of the description and the names of arguments. Words are compared by their stems, and words of the same
meaning (`_RELATED`) count too, for less.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from typing import Any

from pydantic import Field

from holdfast.kernel.models import Input, Integer, Output, wire_names
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import TOOLS, Registry
from holdfast.kernel.schema import input_schema, strip_marks
from holdfast.kernel.toolset import Toolset

toolset = Toolset(TOOLS, "The tools themselves: searches all of them, with their arguments.")

_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ions?|i(?:ties|ty|ve)|ings?|ments?|ers?|al|ed|es?|ies|ly|s|y)$")
"""Common English endings after at least three letters. Simpler than Porter's stemmer: descriptions are short,
and the stems of unrelated words rarely collide in them."""
_STEM_ENDING = re.compile(r"(?<=\w{3})at$")
"""What "duplication" and "duplicates" differ in, once their endings are gone."""
_DOUBLED = re.compile(r"([bdgklmnprt])\1$")
_STOP_WORDS = (
    "a about all an and any are by can code do does for from get has have how i in is it me my of on or our "
    "show tell that the there this to tool want was what when where which who will with would you"
)
_RELATED = (
    "annotation comment note remark",
    "answer reply respond",
    "backup dump export save",
    "bottleneck hotspot hot churn heat",
    "board kanban card",
    "browse read view",
    "bug defect fault fix",
    "central important pagerank",
    "check lint verify",
    "circular cyclic cycle loop",
    "clone copied copy duplicate paste redundant repeat repetition",
    "close finish complete done",
    "corruption corrupt damage broken",
    "create make new",
    "dead unused unreachable unreferenced",
    "deadline due",
    "delete drop erase remove",
    "diagram draw picture graph chart visualize plot",
    "diff difference uncommitted unstaged",
    "directory folder",
    "edit change modify rename update",
    "fixme hack todo debt",
    "fact knowledge lesson memory recall remember",
    "free release unclaim",
    "frequent often",
    "health quality score",
    "function method procedure",
    "history log event activity happened",
    "hold claim reserve lock take",
    "issue ticket bug",
    "lost orphan missing gone",
    "member person author assignee who",
    "predict likely forecast risk prone probability",
    "reopen open",
    "import convert migrate",
    "metric measure statistic",
    "misspelled spelling letter sound",
    "restore recover",
    "scaffold boilerplate skeleton bootstrap generate project",
    "screenshot image picture attachment",
    "size disk storage usage space",
    "start begin",
    "sync synchronise synchronize push pull share",
    "task todo",
    "tracker jira linear trello asana github",
    "trend time evolution",
)
"""Groups of words that people use for the same thing, the tools' own words among them."""
_FIELD_WEIGHTS = (8, 4, 3, 1)
"""Of the name, the title, the first line and the rest. A judgement: a match in one field outweighs one match
in each of the following fields."""
_RELATED_WEIGHT = 0.6
"""Of a word with the same meaning as the query's. A judgement: the word itself in the next field wins."""
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


class _Index:
    """The stems of the words of each operation, by field."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._fields = {operation: _fields(operation) for operation in operations}
        # Without commands that only people have, so that a word weighs the same in every interface.
        offered = [fields for operation, fields in self._fields.items() if not operation.command_only]
        self._total = len(offered)
        self._counts = Counter(stem for fields in offered for stem in frozenset[str]().union(*fields))

    def score(self, operation: Operation, words: Iterable[str]) -> float:
        """Return the score of an operation for a query of these words."""
        return sum(self._word_score(self._fields[operation], word) for word in words)

    def _word_score(self, fields: tuple[frozenset[str], ...], word: str) -> float:
        stem = _stem(word)
        related = _RELATED_STEMS.get(stem, frozenset())
        return max(
            self._best(fields, stem), *(_RELATED_WEIGHT * self._best(fields, other) for other in related), 0.0
        )

    def _best(self, fields: tuple[frozenset[str], ...], stem: str) -> float:
        """Return the weight of a stem times that of the first field that has it, or 0."""
        weights = (weight for weight, field in zip(_FIELD_WEIGHTS, fields, strict=True) if stem in field)
        count = self._counts[stem]
        # Inverse document frequency as in BM25, which is positive for words that every description has.
        return next(weights, 0) * log(1 + (self._total - count + 0.5) / (count + 0.5))


def _fields(operation: Operation) -> tuple[frozenset[str], ...]:
    first_line, _, rest = operation.description.partition("\n")
    names = f"{operation.listed_name} {operation.toolset} {operation.command}"
    texts = (names, operation.title, first_line, f"{rest} {' '.join(wire_names(operation.input))}")
    return tuple(frozenset(map(_stem, _words(text))) for text in texts)


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case; `project_path` and `projectPath` are two words each."""
    return _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text).lower())


def _stem(word: str) -> str:
    return _DOUBLED.sub(r"\1", _STEM_ENDING.sub("", _ENDING.sub("", word)))


def _related_stems() -> dict[str, frozenset[str]]:
    related: dict[str, frozenset[str]] = {}
    for group in _RELATED:
        stems = frozenset(map(_stem, group.split()))
        for stem in stems:
            related[stem] = related.get(stem, frozenset()) | stems - {stem}
    return related


_RELATED_STEMS = _related_stems()


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

    Returns their descriptions and argument schemas. Call them by name, or with call_tool.
    """
    words = _words(arguments.query)
    search_words = [word for word in words if word not in _STOP_WORDS.split()] or words
    index = _Index(registry.operations)
    scores = {operation: index.score(operation, search_words) for operation in registry.operations}
    matching = sorted(
        (operation for operation in registry.operations if scores[operation]),
        key=lambda operation: (-scores[operation], operation.name),
    )
    return FoundTools(
        tools=[_describe(operation) for operation in matching[: arguments.limit]],
        more=[item.listed_name for item in matching[arguments.limit :]][:_MAX_FURTHER_NAMES],
        toolsets={} if matching else {item.name: item.summary for item in registry.toolsets},
    )
