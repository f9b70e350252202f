"""A toolset: the operations, resources, prompts and feeds of one room, and the decorators that declare them.

Each room declares one toolset; the registry collects them. The decorated functions receive the room, the
object that reads and writes its data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_type_hints

from holdfast.kernel.call import Listed
from holdfast.kernel.errors import HoldfastError, InvalidArguments
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.prompt import Prompt

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from holdfast.kernel.content import Content, ContentAnnotations
    from holdfast.kernel.operation import TextFormatter
    from holdfast.kernel.resource import Announce, Complete, ListedResource, Resource
    from holdfast.kernel.route import Address, Feed

    class OperationOptions(TypedDict, total=False):
        """The fields of an `Operation` that a declaration may leave out."""

        shortcut: str | None
        positional: tuple[str, ...]
        specified: bool
        specified_description: str | None
        idempotent: bool
        open_world: bool
        seconds: float | None
        text: TextFormatter | None
        command_text: TextFormatter | None
        command_only: bool
        table: Callable[[Any, int], str] | None
        fill_in: Callable[[Any, dict[str, Any]], dict[str, Any]] | None
        command_defaults: Mapping[str, str]
        explain: Callable[[Any, Mapping[str, Any], InvalidArguments], None] | None
        editor_argument: str | None
        content: Callable[[Any], list[Content]] | None
        result_fields: Callable[[Any], dict[str, Any]] | None
        expects_version: str | None
        result_version: str | None
        annotations: Mapping[str, Any]
        listed: bool
        structured: bool
        details: tuple[str, ...]
        addresses: tuple[Address, ...]
        stages: int
        report_formats: tuple[str, ...]

    class ResourceOptions(TypedDict, total=False):
        """The fields of a `Resource` that a declaration may leave out."""

        title: str | None
        topic: str | None
        list_topic: str | None
        fingerprint: Callable[..., object] | None
        announce: Announce | None
        complete: Mapping[str, Complete]
        specified: bool
        members: Callable[[Any], Iterable[ListedResource]] | None
        malformed: Callable[[str], HoldfastError] | None
        annotations: ContentAnnotations | None

    class PromptOptions(TypedDict, total=False):
        """The fields of a `Prompt` that a declaration may leave out."""

        complete: Mapping[str, Complete]
        specified: bool
        specified_description: str | None


OperationFunction = Callable[[Any, Any], Any]
"""The function of an operation: `(room, input) -> output`."""


@dataclass(eq=False, repr=False)
class Toolset:
    """The operations, resources, prompts and feeds of one room."""

    name: str
    summary: str
    family: str = "core"
    hidden: bool = False
    """Whether a server offers it only if it is selected by name."""
    in_database: bool = False
    """Whether the room can store its data in a database that a team shares."""
    changing_lists: frozenset[Listed] = frozenset()
    """The lists (of tools, prompts or resources) that its operations may announce as changed."""
    operations: list[Operation] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    feeds: list[Feed] = field(default_factory=list)

    def executed(self, function: OperationFunction) -> OperationFunction:
        """Return what a call of an operation executes: its function, unless a room runs it elsewhere."""
        return function

    def operation(
        self,
        name: str,
        *,
        title: str,
        effect: Effect,
        example: str,
        command: str | None = None,
        **more: Unpack[OperationOptions],
    ) -> Callable[[OperationFunction], OperationFunction]:
        """Declare the decorated function `(room, input) -> output` as an operation."""

        def declare(function: OperationFunction) -> OperationFunction:
            _room, input_model, output_model = get_type_hints(function).values()
            if not (issubclass(input_model, Input) and issubclass(output_model, Output)):
                raise TypeError(f"{function.__name__} must take an Input and return an Output")
            self.operations.append(
                Operation(
                    name=name,
                    title=title,
                    effect=effect,
                    function=self.executed(function),
                    input=input_model,
                    output=output_model,
                    toolset=self.name,
                    family=self.family,
                    example=example,
                    command=command or name.replace("_", "-").replace(".", "-"),
                    **more,
                )
            )
            return function

        return declare

    def resource(
        self,
        uri: str,
        *,
        name: str,
        description: str,
        mime_type: str = "text/plain",
        **more: Unpack[ResourceOptions],
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare the decorated function `(room, **uri_parts)` as the reader of a resource."""
        from holdfast.kernel.resource import Resource

        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            self.resources.append(
                Resource(
                    uri=uri,
                    name=name,
                    description=description,
                    mime_type=mime_type,
                    read=function,
                    toolset=self.name,
                    family=self.family,
                    **more,
                )
            )
            return function

        return declare

    def feed(
        self, path: str, *, topic: str, specified: bool = False
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare the decorated function `(room, position, **path_parts)` as the reader of a feed."""
        from holdfast.kernel.route import Feed

        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            self.feeds.append(Feed(path, topic, function, self.name, self.family, specified))
            return function

        return declare

    def prompt(
        self, name: str, *, title: str, **more: Unpack[PromptOptions]
    ) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
        """Declare the decorated function `(room, input) -> messages` as a prompt."""

        def declare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
            _room, input_model, _messages = get_type_hints(function).values()
            self.prompts.append(
                Prompt(
                    name=name,
                    title=title,
                    function=function,
                    input=input_model,
                    toolset=self.name,
                    family=self.family,
                    **more,
                )
            )
            return function

        return declare
