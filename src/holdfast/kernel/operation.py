"""An operation: one thing that Holdfast can do, declared once.

The MCP tool, the command, the REST route and the documentation are all derived from that declaration.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import Input, Output

if TYPE_CHECKING:
    from holdfast.kernel.content import Content
    from holdfast.kernel.route import Address

TextFormatter = Callable[[Any], str]
"""Renders a result as text."""


class Effect(Enum):
    """What running an operation does to the stores."""

    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"


@dataclass(frozen=True, eq=False, repr=False)
class Operation:
    """One thing that Holdfast can do, with everything that MCP, REST and the command line need to offer it.

    In the fields below, "the room" is the object that the operation works on.
    """

    name: str
    title: str
    effect: Effect
    function: Callable[[Any, Any], Output]
    input: type[Input]
    output: type[Output]
    toolset: str
    family: str
    """The specification it comes from, or `core`."""
    example: str
    """A command line that runs it, for the help of the command."""
    command: str
    """The name of the command within the group of the toolset."""
    shortcut: str | None = None
    """A second name of the command, at the top level."""
    positional: tuple[str, ...] = ()
    """The arguments that the command takes without an option's name, in order."""
    specified: bool = False
    """Whether the specification itself has this tool."""
    specified_description: str | None = None
    """The description that the specification prescribes, for servers that are exactly that."""
    idempotent: bool = False
    open_world: bool = False
    """Whether it deals with other services, as MCP's hint `openWorldHint` says."""
    seconds: float | None = None
    """The time limit; None for `Limits.operation_seconds`."""
    text: TextFormatter | None = None
    command_text: TextFormatter | None = None
    """The text for a terminal, where a specification prescribes a different one for the tool."""
    command_only: bool = False
    """Whether only the command line offers it, and no server."""
    table: Callable[[Any, int], str] | None = None
    """Renders a result for a terminal of the given width, where the tool's text is meant for programs."""
    fill_in: Callable[[Any, dict[str, Any]], dict[str, Any]] | None = None
    """Given the room, adds arguments that are optional on the command line, but not in a tool call."""
    command_defaults: Mapping[str, str] = field(default_factory=dict)
    """The defaults that the command's help shows for the arguments that `fill_in` adds."""
    explain: Callable[[Any, Mapping[str, Any], InvalidArguments], None] | None = None
    """Given the room and invalid arguments, adds to the error what a specification prescribes."""
    editor_argument: str | None = None
    """The argument for which the command line opens an editor if it is left out."""
    content: Callable[[Any], list[Content]] | None = None
    """Returns a result as content of several types; interfaces that can only show text use `text`."""
    result_fields: Callable[[Any], dict[str, Any]] | None = None
    """Returns further top-level fields that a specification gives a tool result, such as `metadata`."""
    expects_version: str | None = None
    """The argument that names the version to change; if it is not the current one, `OutOfDate` is raised."""
    result_version: str | None = None
    """The path of the version within the result, such as `version` or `task.version`."""
    annotations: Mapping[str, Any] = field(default_factory=dict)
    """Tool annotations that a specification defines beyond the protocol's own hints."""
    listed: bool = True
    """Whether lists of tools include it; it can be called by name in any case."""
    structured: bool = True
    """Whether a tool result has structured data. Some hosts ignore the images in a result that has."""
    details: tuple[str, ...] = ()
    """The paths of lists and texts within the result, such as `templates.parameters`, that an answer which is
    too long for a model does without first."""
    addresses: tuple[Address, ...] = ()
    """Further REST routes that a specification prescribes."""
    stages: int = 1
    """How many times its progress runs from nothing to everything, one stage after the other."""
    report_formats: tuple[str, ...] = ()
    """The values of the result's `format` whose text is a report for people, which a terminal lays out."""

    @cached_property
    def description(self) -> str:
        """Return the docstring of the operation's function."""
        return inspect.getdoc(self.function) or ""

    def version_in(self, result: Mapping[str, Any]) -> str | None:
        """Return the version in a result as sent on the wire, or None."""
        value: Any = result if self.result_version is not None else None
        for name in (self.result_version or "").split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return None if value is None else str(value)

    @property
    def summary(self) -> str:
        """Return the first line of the description."""
        return self.description.partition("\n")[0]

    @property
    def explains_figures(self) -> bool:
        """Return whether its reports end with how their figures are measured."""
        return bool(self.report_formats) and "method" in self.output.model_fields

    @property
    def listed_name(self) -> str:
        """Return the name with underscores instead of dots, which several hosts refuse."""
        return self.name.replace(".", "_")

    def as_text(self, result: Output) -> str:
        """Return a result as text, or as JSON when the operation has no text formatter."""
        return self.text(result) if self.text is not None else result.model_dump_json(by_alias=True)
