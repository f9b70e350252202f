"""What a room declares: operations, resources, prompts and the toolset that holds them.

An operation is declared once: name, input model, output model, effect, function, docstring. The MCP
tool, the command, the REST route and the documentation are derived from that one declaration.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from holdfast.kernel.call import Listed
from holdfast.kernel.errors import HoldfastError, InvalidArguments

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from holdfast.kernel.content import Annotations, Content
    from holdfast.kernel.resource import Announce, Complete, ListedResource, Resource
    from holdfast.kernel.route import Address, Feed

Text = Callable[[Any], str]
"""Says a result in words."""

# Before its first model pydantic asks every installed package for plugins, which takes longer than many a
# command. Holdfast has none, and what others install must not change what its models accept.
_no_plugins = ModuleType("pydantic.plugin._loader")
_no_plugins.get_plugins = tuple  # type: ignore[attr-defined]


def _from_pydantic(name: str) -> Any:  # whatever else a later version wants of this private module
    if name.startswith("__"):
        raise AttributeError(name)  # asked by Python itself at every import
    sys.modules.pop(_no_plugins.__name__)
    return getattr(import_module(_no_plugins.__name__), name)


_no_plugins.__getattr__ = _from_pydantic  # type: ignore[method-assign]
sys.modules.setdefault(_no_plugins.__name__, _no_plugins)

ONLY_SPECIFIED: dict[str, Any] = {"x-only-specified": True}
"""Marks an argument that a specification asks for and that clients of everything need not be told of."""


class Effect(Enum):
    """What running an operation does to the stores."""

    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"


class Input(BaseModel):
    """Arguments of an operation. Unknown names are refused.

    Booleans of operations are `StrictBool`, numbers `Integer` or `StrictFloat`: in JSON 0 is not false and
    "5" is no number, and an agent that sends them has mistaken one argument for another. Prompts are
    different: all their arguments are text.
    """

    # Built at first use: a server declares many more operations than a client calls.
    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True, defer_build=True
    )


class Output(BaseModel):
    """Result of an operation: facts that stand alone without the words."""

    model_config = ConfigDict(
        frozen=True, serialize_by_alias=True, validate_by_name=True, validate_by_alias=True, defer_build=True
    )

    omits_null: ClassVar[bool] = False
    """Whether members that are null are left out on the wire."""
    requires_fields: ClassVar[bool] = False
    """Whether a specification requires its fields outright: no failure fits them, and so carries no data."""

    def wire(self) -> dict[str, Any]:
        """Return the result as every face sends it."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=self.omits_null)

    @property
    def exit_code(self) -> int:
        """Return the status of a command whose result tells of trouble without failing.

        1 where a part was left for somebody to look at, or that of the error which the trouble would be.
        """
        return 0


def whole(value: object) -> object:
    """Take 10.0 for 10, as JSON and its schemas do."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integer = Annotated[int, Field(strict=True), BeforeValidator(whole)]
"""A whole number as an argument."""
IntegerOrNone = Annotated[int | None, Field(strict=True), BeforeValidator(whole)]


def how_many(usual: int, most: int, description: str) -> Any:
    """Return an argument that says how many to return or to look at, one at least."""
    return Field(default=usual, ge=1, le=most, description=description)


def optional(description: str, **more: Any) -> Any:
    """Return a field of a result that is left out where there is nothing to say."""
    return Field(default=None, exclude_if=lambda value: value is None, description=description, **more)


class NoArguments(Input):
    """The input of an operation that takes none."""


@dataclass(frozen=True, eq=False, repr=False)
class Operation:
    """One thing Holdfast can do."""

    name: str
    title: str
    effect: Effect
    function: Callable[[Any, Any], Output]
    input: type[Input]
    output: type[Output]
    toolset: str
    family: str
    example: str
    command: str
    shortcut: str | None = None
    positional: tuple[str, ...] = ()
    specified: bool = False
    specified_description: str | None = None
    idempotent: bool = False
    open_world: bool = False
    seconds: float | None = None
    text: Text | None = None
    command_text: Text | None = None
    """Words for a person at a terminal, where a specification asks a tool for other ones."""
    command_only: bool = False
    """Whether only a person at the command line may run it: no server offers it, however it was started."""
    table: Callable[[Any, int], str] | None = None
    """Lays a result out for a person, in so many columns, where a tool's text is made for programs."""
    fill_in: Callable[[Any, dict[str, Any]], dict[str, Any]] | None = None
    """Adds, given the room, what a person may leave out on the command line and a program may not."""
    command_defaults: Mapping[str, str] = field(default_factory=dict)
    """What help says about arguments that are filled in so, in place of what a program's default is."""
    explain: Callable[[Any, Mapping[str, Any], InvalidArguments], None] | None = None
    """Adds to a refusal of arguments what a specification says with it, given the room and the arguments."""
    written_in_editor: str | None = None
    """The argument that a person may write in their editor instead of on the command line."""
    content: Callable[[Any], list[Content]] | None = None
    """Says a result in more than words; faces that only know words use `text`."""
    result_fields: Callable[[Any], dict[str, Any]] | None = None
    """Fields a specification puts beside the content of a tool result, such as `metadata`."""
    expects_version: str | None = None
    """The argument in which a caller may name the version that it wants to change; else `OutOfDate`."""
    result_version: str | None = None
    """Where a result holds the version of its thing: a member, or `task.version` for a member of a member."""
    annotations: Mapping[str, Any] = field(default_factory=dict)
    """Annotations a specification names beyond the protocol's own hints."""
    listed: bool = True
    """Whether lists of tools show it; every face answers it by its name all the same."""
    structured: bool = True
    """Whether a tool result carries the data. Hosts that find data there drop the pictures beside it."""
    addresses: tuple[Address, ...] = ()
    """Further routes that a specification of a web interface gives it."""

    @cached_property
    def description(self) -> str:
        """Return the operation's docstring: first what it does, then what to know."""
        return inspect.getdoc(self.function) or ""

    def version_in(self, result: Mapping[str, Any]) -> str | None:
        """Return the version that a result as sent holds, or None when it holds none."""
        found: Any = result if self.result_version is not None else None
        for name in (self.result_version or "").split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        return None if found is None else str(found)

    @property
    def summary(self) -> str:
        """Return the first line of the description."""
        return self.description.partition("\n")[0]

    @property
    def listed_name(self) -> str:
        """Return the name without dots, which several hosts refuse."""
        return self.name.replace(".", "_")

    def words(self, result: Output) -> str:
        """Say a result in words, or as JSON when the room has none for it."""
        return self.text(result) if self.text is not None else result.model_dump_json(by_alias=True)


class PromptMessage(NamedTuple):
    """One message of a prompt."""

    content: str | Content
    role: str = "user"


@dataclass(frozen=True, eq=False, repr=False)
class Prompt:
    """A text a person can ask a client to insert, filled from the stores."""

    name: str
    title: str
    function: Callable[[Any, Any], list[PromptMessage]]
    input: type[Input]
    toolset: str
    family: str
    complete: Mapping[str, Complete] = field(default_factory=dict)
    specified: bool = False
    specified_description: str | None = None

    @cached_property
    def description(self) -> str:
        """Return the prompt's docstring."""
        return inspect.getdoc(self.function) or ""


if TYPE_CHECKING:

    class OperationOptions(TypedDict, total=False):
        """The fields of an `Operation` that a declaration may leave out."""

        shortcut: str | None
        positional: tuple[str, ...]
        specified: bool
        specified_description: str | None
        idempotent: bool
        open_world: bool
        seconds: float | None
        text: Text | None
        command_text: Text | None
        command_only: bool
        table: Callable[[Any, int], str] | None
        fill_in: Callable[[Any, dict[str, Any]], dict[str, Any]] | None
        command_defaults: Mapping[str, str]
        explain: Callable[[Any, Mapping[str, Any], InvalidArguments], None] | None
        written_in_editor: str | None
        content: Callable[[Any], list[Content]] | None
        result_fields: Callable[[Any], dict[str, Any]] | None
        expects_version: str | None
        result_version: str | None
        annotations: Mapping[str, Any]
        listed: bool
        structured: bool
        addresses: tuple[Address, ...]

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
        annotations: Annotations | None

    class PromptOptions(TypedDict, total=False):
        """The fields of a `Prompt` that a declaration may leave out."""

        complete: Mapping[str, Complete]
        specified: bool
        specified_description: str | None


@dataclass(eq=False, repr=False)
class Toolset:
    """The operations, resources and prompts of one room."""

    name: str
    summary: str
    family: str = "core"
    hidden: bool = False
    in_database: bool = False
    """Whether what the room keeps can be in a database that a team shares."""
    changing_lists: frozenset[Listed] = frozenset()
    """Lists of what is offered that its operations announce as changed."""
    operations: list[Operation] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    feeds: list[Feed] = field(default_factory=list)

    def operation(
        self,
        name: str,
        *,
        title: str,
        effect: Effect,
        example: str,
        command: str | None = None,
        **more: Unpack[OperationOptions],
    ) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
        """Declare the decorated function `(room, input) -> output` as an operation."""

        def declare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
            _, input_model, output_model = get_type_hints(function).values()
            if not (issubclass(input_model, Input) and issubclass(output_model, Output)):
                raise TypeError(f"{function.__name__} must take an Input and return an Output")
            self.operations.append(
                Operation(
                    name=name,
                    title=title,
                    effect=effect,
                    function=function,
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
            self.prompts.append(
                Prompt(
                    name=name,
                    title=title,
                    function=function,
                    input=list(get_type_hints(function).values())[1],
                    toolset=self.name,
                    family=self.family,
                    **more,
                )
            )
            return function

        return declare


def wire_names(model: type[BaseModel]) -> Iterable[str]:
    """Return the names of a model's fields as they are spelled on the wire."""
    return [info.alias or name for name, info in model.model_fields.items()]
