"""All operations, resources and prompts, and the selection of them that one server offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from holdfast.kernel.errors import Denied, Invalid, UnknownPrompt, UnknownTool, did_you_mean
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.prompt import Prompt
from holdfast.kernel.role import Role
from holdfast.kernel.toolset import Toolset

if TYPE_CHECKING:
    from holdfast.kernel.resource import Resource
    from holdfast.kernel.route import Feed


class Selection(NamedTuple):
    """The part of the registry that a server offers. `read_only` takes precedence over all other fields.

    Without `toolsets` and `tools`, everything that is not hidden is offered. `toolsets` offers only those and
    the toolset about tools, `tools` alone only those operations, and both together the operations of both.
    Resources and prompts follow `toolsets` alone.
    """

    toolsets: frozenset[str] | None = None
    tools: frozenset[str] | None = None
    exclude_tools: frozenset[str] = frozenset()
    read_only: bool = False
    family: str | None = None
    """Only operations of this specification, under its names."""
    includes_commands: bool = False
    """Whether to include operations that are only for the command line."""
    role: Role = Role.ADMIN
    """Only operations that this role may run."""

    def admits_effect(self, effect: Effect) -> bool:
        """Return whether operations with this effect may run."""
        return effect in _ADMITTED_EFFECTS[Role.READ if self.read_only else self.role]

    def admits_toolset(self, name: str, *, hidden: bool = False) -> bool:
        """Return whether the toolset of that name is selected."""
        return not hidden if self.toolsets is None else name in self.toolsets or name == TOOLS

    def admits_tool(self, name: str, toolset: str, effect: Effect, *, hidden: bool = False) -> bool:
        """Return whether a tool is selected, given its listed name, its toolset and its effect."""
        if not self.admits_effect(effect) or name in self.exclude_tools:
            return False
        if self.tools is not None and name in self.tools:
            return True
        # Selected tools alone replace the toolsets; beside selected toolsets they are added to them.
        replaces_toolsets = self.tools is not None and self.toolsets is None
        return not replaces_toolsets and self.admits_toolset(toolset, hidden=hidden)


TOOLS = "tools"
"""The toolset about tools: its operations work on the registry itself."""

CALL_TOOL = "call_tool"
"""The tool that calls another one by name. It has no operation of its own: every other interface can call
what it does not list."""

EVERYTHING = Selection()

_ADMITTED_EFFECTS = {Role.READ: {Effect.READ}, Role.WRITE: {Effect.READ, Effect.WRITE}, Role.ADMIN: {*Effect}}
"""The effects of the operations that a role may run."""


class Registry:
    """The operations, resources and prompts that a server offers, sorted by name or URI."""

    def __init__(self, toolsets: Iterable[Toolset], selection: Selection = EVERYTHING) -> None:
        self.toolsets = tuple(toolsets)
        self.selection = selection
        pairs = [(toolset, op) for toolset in self.toolsets for op in toolset.operations]
        self._all = {op.listed_name: op for _, op in pairs}
        self._check_names()
        admitted = (op for toolset, op in pairs if self._admits(toolset, op))
        self.operations = sorted(admitted, key=lambda op: op.name)
        self._offered = {op.listed_name: op for op in self.operations}
        selected = [item for item in self.toolsets if selection.admits_toolset(item.name, hidden=item.hidden)]
        resources = [item for toolset in selected for item in toolset.resources]
        self.resources = sorted(filter(self._admits_family, resources), key=lambda item: item.uri)
        self.feeds = [item for toolset in selected for item in toolset.feeds if self._admits_family(item)]
        prompts = [item for toolset in selected for item in toolset.prompts]
        self.prompts = sorted(filter(self._admits_family, prompts), key=lambda item: item.name)
        self.changing_lists = frozenset(name for toolset in selected for name in toolset.changing_lists)
        """The lists (of tools, prompts or resources) that operations of the offered toolsets may change."""

    def select(self, selection: Selection) -> Registry:
        """Return a registry of the same toolsets with another selection, which may be wider."""
        return Registry(self.toolsets, selection)

    def operation(self, name: str) -> Operation:
        """Return the offered operation of that name, dotted or not."""
        operation = self.find(name)
        if operation is None:
            raise UnknownTool(f"Unknown tool: {name}", hint=self._reason_unavailable(name))
        return operation

    def check_allowed(self, operation: Operation) -> None:
        """Raise when read-only mode or the caller's role does not allow an operation.

        For faces that find operations otherwise than with `operation`, such as REST.
        """
        if not self.selection.admits_effect(operation.effect):
            hint = (
                "Ask the owner." if self.selection.read_only else "Ask the owner for a token with that role."
            )
            raise Denied(self._refusal(operation, operation.listed_name), hint=hint)

    def find(self, name: str) -> Operation | None:
        """Return the offered operation of that name, or None."""
        return self._offered.get(name.replace(".", "_"))

    def prompt(self, name: str) -> Prompt:
        """Return the offered prompt of that name."""
        for prompt in self.prompts:
            if prompt.name == name:
                return prompt
        names = [prompt.name for prompt in self.prompts]
        raise UnknownPrompt(f"Unknown prompt: {name}", hint=did_you_mean(name, names))

    def _reason_unavailable(self, name: str) -> str:
        operation = self._all.get(name.replace(".", "_"))
        if operation is None:
            return did_you_mean(name, self._offered)
        if not self.selection.admits_effect(operation.effect):
            return self._refusal(operation)
        if operation.command_only:
            return "It is only for the command line."
        return "It exists, but this server was started without it."

    def _refusal(self, operation: Operation, subject: str = "It") -> str:
        if self.selection.read_only:
            return f"{subject} writes, and this server is read-only."
        needed = "admin" if operation.effect is Effect.DESTRUCTIVE else "write"
        return f'{subject} needs the role "{needed}", and this caller has "{self.selection.role.value}".'

    def _admits(self, toolset: Toolset, operation: Operation) -> bool:
        if operation.command_only and not self.selection.includes_commands:
            return False
        is_selected = self.selection.admits_tool(
            operation.listed_name, toolset.name, operation.effect, hidden=toolset.hidden
        )
        return is_selected and self._admits_family(operation)

    def _admits_family(self, item: Operation | Resource | Prompt | Feed) -> bool:
        family = self.selection.family
        return family is None or (item.specified and item.family == family)

    def _check_names(self) -> None:
        if len(self._all) != sum(len(toolset.operations) for toolset in self.toolsets):
            raise ValueError("two operations share a name")
        toolsets = {toolset.name for toolset in self.toolsets}
        for selected, existing in (
            (self.selection.toolsets or frozenset(), toolsets),
            ((self.selection.tools or frozenset()) | self.selection.exclude_tools, {*self._all, CALL_TOOL}),
        ):
            for name in sorted(selected - existing):
                hint = did_you_mean(name, existing)
                raise Invalid(f'There is no tool or toolset named "{name}".', hint=hint)
