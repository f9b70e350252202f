"""Lists tools, resources and prompts in the protocol's types, page by page and in a stable order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import mcp_types as types

from holdfast.faces.mcp.answers.budget import MAX_BYTES
from holdfast.faces.mcp.call_tool import call_tool_entry, offers_call_tool
from holdfast.faces.mcp.extensions.apps import BOARD_TOOLS, tool_metadata
from holdfast.faces.mcp.extensions.skills import ServedSkills
from holdfast.faces.mcp.output_schemas import brief_output_schema, output_schema
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.schemas import brief_schema, plain_schema
from holdfast.kernel.content import ContentAnnotations
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.models import signature_of
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.paging import page
from holdfast.kernel.prompt import Prompt
from holdfast.kernel.registry import Registry
from holdfast.kernel.resource import ListedResource, Resource
from holdfast.kernel.schema import input_schema, strip_marks

Entry = TypeVar("Entry")

ListMembers = Callable[[Resource], Iterable[ListedResource]]
"""Returns the current members of a family of resources, that is of a resource template."""


class ProtocolCatalogue:
    """The lists that a server with one profile sends."""

    def __init__(
        self, registry: Registry, profile: Profile, page_size: int, members: ListMembers = lambda _: ()
    ) -> None:
        self._registry = registry
        self._members = members
        self._profile = profile
        self._page_size = page_size
        self._skills = ServedSkills(registry)

    @cached_property
    def _tools(self) -> list[types.Tool]:
        operations = self._registry.operations
        listed = [self._tool(operation) for operation in operations if self._is_listed(operation)]
        return [*listed, call_tool_entry(operations)] if offers_call_tool(self._registry) else listed

    def _is_listed(self, operation: Operation) -> bool:
        """Return whether to list an operation: by default, or because a specification or a user names it or
        its toolset.
        """
        selection = self._registry.selection
        is_named = operation.listed_name in (selection.tools or ()) or operation.toolset in (
            selection.toolsets or ()
        )
        return operation.listed or self._profile.is_strict or is_named

    @cached_property
    def _app_tools(self) -> list[types.Tool]:
        """The tools with links to the board, and those that only the board calls."""
        if self._profile.is_strict:
            return self._tools
        board_operations = [self._registry.find(name) for name in BOARD_TOOLS]
        unlisted = [
            self._tool(operation)
            for operation in board_operations
            if operation is not None and not self._is_listed(operation)
        ]
        return [
            tool.model_copy(update={"meta": tool_metadata(tool.name)}) for tool in [*self._tools, *unlisted]
        ]

    def tools(self, cursor: str | None, *, with_board: bool = False) -> types.ListToolsResult:
        """Return a page of tools, `with_board` for a client that shows the board as an app."""
        tools = self._app_tools if with_board else self._tools
        entries, next_cursor = self._page(tools, "tools", lambda tool: tool.name, cursor)
        return types.ListToolsResult(tools=list(entries), next_cursor=next_cursor)

    def resources(self, cursor: str | None) -> types.ListResourcesResult:
        """Return a page of resources: those with a fixed URI, the members of families, and skills."""
        declared = self._registry.resources
        fixed = [self._resource(item) for item in declared if not item.is_template]
        members = [_member_resource(member) for item in declared for member in self._members(item)]
        members += [] if self._profile.is_strict else map(_member_resource, self._skills.resources())
        entries, next_cursor = self._page([*fixed, *members], "resources", lambda item: str(item.uri), cursor)
        return types.ListResourcesResult(resources=list(entries), next_cursor=next_cursor)

    def templates(self, cursor: str | None) -> types.ListResourceTemplatesResult:
        """Return a page of resource families, which the protocol calls templates."""
        families = [_template(item) for item in self._registry.resources if item.is_template]
        entries, next_cursor = self._page(families, "templates", lambda item: item.uri_template, cursor)
        return types.ListResourceTemplatesResult(resource_templates=list(entries), next_cursor=next_cursor)

    def prompts(self, cursor: str | None) -> types.ListPromptsResult:
        listed = [self._prompt(prompt) for prompt in self._registry.prompts]
        listed += [] if self._profile.is_strict else self._skills.prompts()
        entries, next_cursor = self._page(listed, "prompts", lambda prompt: prompt.name, cursor)
        return types.ListPromptsResult(prompts=list(entries), next_cursor=next_cursor)

    def extra_tool_annotations(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the annotations that specifications define and the protocol does not have, by tool name."""
        operations = self._registry.operations
        return {self.name_of(item): item.annotations for item in operations if item.annotations}

    def extra_prompt_arguments(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """Return the default and allowed values of prompt arguments, by prompt and argument name."""
        return {
            (prompt.name, name): extra
            for prompt in self._registry.prompts
            for name, schema in prompt.input.model_json_schema().get("properties", {}).items()
            if (extra := {key: schema[key] for key in ("default", "enum") if schema.get(key) is not None})
        }

    def input_schema_of(self, name: str) -> dict[str, Any] | None:
        return self._schemas.get(name)

    @cached_property
    def _schemas(self) -> dict[str, dict[str, Any]]:
        return {self.name_of(item): self._input_schema(item) for item in self._registry.operations}

    def name_of(self, operation: Operation) -> str:
        return operation.name if self._profile.uses_dotted_names else operation.listed_name

    def name_tools(self, failure: HoldfastError) -> None:
        """Change a failure's hint so that it names tools as this server lists them."""
        for operation in self._registry.operations:
            if failure.hint is not None:
                failure.hint = failure.hint.replace(operation.listed_name, self.name_of(operation))

    def _tool(self, operation: Operation) -> types.Tool:
        with_details = self._profile.describes_fully
        schema = self._input_schema(operation)
        return types.Tool(
            name=self.name_of(operation),
            title=operation.title if with_details else None,
            description=self._description(operation),
            input_schema=strip_marks(schema) if self._profile.is_strict else _own_schema(operation, schema),
            output_schema=self._output_schema(operation) if with_details and operation.structured else None,
            annotations=_tool_annotations(operation) if with_details else None,
        )

    def _input_schema(self, operation: Operation) -> dict[str, Any]:
        schema = input_schema(operation)
        if self._profile.lists_plain_schemas:
            schema = plain_schema(schema)
        author, default = signature_of(operation.input), self._profile.default_author
        if author is not None and default is not None:
            schema["properties"][author]["default"] = default
        return schema

    def _output_schema(self, operation: Operation) -> dict[str, Any]:
        return output_schema(operation) if self._profile.is_strict else brief_output_schema(operation)

    def _description(self, item: Operation | Prompt) -> str:
        specified = item.specified_description if self._profile.is_strict else None
        return specified or item.description

    def _resource(self, resource: Resource) -> types.Resource:
        return types.Resource(
            uri=resource.uri,
            name=resource.name,
            title=resource.title if self._profile.describes_fully else None,
            description=resource.description,
            mime_type=resource.mime_type,
            annotations=protocol_annotations(resource.annotations),
        )

    def _prompt(self, prompt: Prompt) -> types.Prompt:
        schema = prompt.input.model_json_schema(by_alias=True)
        required = schema.get("required", [])
        arguments = [
            types.PromptArgument(name=name, description=field.get("description"), required=name in required)
            for name, field in schema.get("properties", {}).items()
        ]
        description = self._description(prompt)
        return types.Prompt(
            name=prompt.name, title=prompt.title, description=description, arguments=arguments or None
        )

    def _page(
        self, entries: Sequence[Entry], query: str, key: Callable[[Entry], str], cursor: str | None
    ) -> tuple[Sequence[Entry], str | None]:
        return page(sorted(entries, key=key), key, query, cursor, self._page_size)


def _own_schema(operation: Operation, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the argument schema on a server of all specifications, whose answers have a limit."""
    brief = brief_schema(schema)
    if operation.effect is Effect.READ and operation.structured:
        brief["properties"] = {**brief.get("properties", {}), MAX_BYTES: {"type": "integer"}}
    return brief


def _tool_annotations(operation: Operation) -> types.ToolAnnotations:
    is_read_only = operation.effect is Effect.READ
    return types.ToolAnnotations(
        read_only_hint=is_read_only,
        destructive_hint=operation.effect is Effect.DESTRUCTIVE,
        idempotent_hint=is_read_only or operation.idempotent,
        open_world_hint=operation.open_world,
    )


def _member_resource(member: ListedResource) -> types.Resource:
    return types.Resource(
        uri=member.uri,
        name=member.name,
        title=member.title,
        description=member.description,
        mime_type=member.mime_type,
        size=member.size,
        annotations=protocol_annotations(member.annotations),
    )


def _template(resource: Resource) -> types.ResourceTemplate:
    return types.ResourceTemplate(
        uri_template=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mime_type=resource.mime_type,
    )


def protocol_annotations(annotations: ContentAnnotations | None) -> types.Annotations | None:
    """Return annotations in the protocol's type."""
    if annotations is None:
        return None
    return types.Annotations.model_validate(
        {
            "audience": list(annotations.audience) or None,
            "priority": annotations.priority,
            "lastModified": annotations.last_modified,
        }
    )
