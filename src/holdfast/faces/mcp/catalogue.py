"""The registry as the protocol lists it, page by page, in a stable order; completion of what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import mcp_types as types

from holdfast.faces.mcp.apps import FOR_THE_BOARD, meta_of
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.schemas import brief_schema, plain_schema
from holdfast.kernel.content import Annotations
from holdfast.kernel.dispatch import Rooms
from holdfast.kernel.errors import HoldfastError, UnknownPrompt, did_you_mean
from holdfast.kernel.operation import Effect, Operation, Prompt
from holdfast.kernel.paging import page
from holdfast.kernel.registry import Registry
from holdfast.kernel.resource import Complete, ListedResource, Resource, unknown
from holdfast.kernel.schema import input_schema, untitled, whole_schema

Entry = TypeVar("Entry")

Members = Callable[[Resource], Iterable[ListedResource]]
"""Lists the addresses a family of resources has at this moment."""


def _no_members(resource: Resource) -> Iterable[ListedResource]:
    del resource
    return ()


class Catalogue:
    """What a server of one profile lists."""

    def __init__(
        self, registry: Registry, profile: Profile, page_size: int, members: Members = _no_members
    ) -> None:
        self._registry = registry
        self._members = members
        self._profile = profile
        self._page_size = page_size

    @cached_property
    def _tools(self) -> list[types.Tool]:
        return [self._tool(operation) for operation in self._registry.operations if self._lists(operation)]

    def _lists(self, operation: Operation) -> bool:
        """Tell whether to list an operation: by itself, or because its specification or a person named it."""
        named = self._registry.selection.tools or frozenset()
        return operation.listed or self._profile.is_strict or operation.listed_name in named

    @cached_property
    def _app_tools(self) -> list[types.Tool]:
        """The same tools, linked with what a host can show of them, and those that only that calls."""
        if self._profile.is_strict:
            return self._tools
        called = [self._registry.find(name) for name in FOR_THE_BOARD]
        more = [self._tool(item) for item in called if item is not None and not self._lists(item)]
        return [tool.model_copy(update={"meta": meta_of(tool.name)}) for tool in [*self._tools, *more]]

    def tools(self, cursor: str | None) -> types.ListToolsResult:
        """Return a page of tools."""
        return self._tool_page(self._tools, cursor)

    def app_tools(self, cursor: str | None) -> types.ListToolsResult:
        """Return a page of tools for a client that shows apps."""
        return self._tool_page(self._app_tools, cursor)

    def _tool_page(self, tools: list[types.Tool], cursor: str | None) -> types.ListToolsResult:
        entries, following = self._page(tools, "tools", lambda tool: tool.name, cursor)
        return types.ListToolsResult(tools=list(entries), next_cursor=following)

    def resources(self, cursor: str | None) -> types.ListResourcesResult:
        """Return a page of resources: those with a fixed address, and what the families have right now."""
        known = self._registry.resources
        fixed = [self._resource(item) for item in known if not item.is_template]
        listed = [_member(member) for item in known for member in self._members(item)]
        entries, following = self._page([*fixed, *listed], "resources", lambda item: str(item.uri), cursor)
        return types.ListResourcesResult(resources=list(entries), next_cursor=following)

    def templates(self, cursor: str | None) -> types.ListResourceTemplatesResult:
        """Return a page of resource families."""
        families = [_template(item) for item in self._registry.resources if item.is_template]
        entries, following = self._page(families, "templates", lambda item: item.uri_template, cursor)
        return types.ListResourceTemplatesResult(resource_templates=list(entries), next_cursor=following)

    def prompts(self, cursor: str | None) -> types.ListPromptsResult:
        """Return a page of prompts."""
        listed = [self._prompt(prompt) for prompt in self._registry.prompts]
        entries, following = self._page(listed, "prompts", lambda prompt: prompt.name, cursor)
        return types.ListPromptsResult(prompts=list(entries), next_cursor=following)

    def extra_tool_annotations(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the annotations that specifications name beyond the protocol's, by tool name."""
        operations = self._registry.operations
        return {
            self.name_of(operation): operation.annotations
            for operation in operations
            if operation.annotations
        }

    def extra_prompt_arguments(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """Return default and allowed values of prompt arguments, by prompt and argument."""
        return {
            (prompt.name, name): extra
            for prompt in self._registry.prompts
            for name, schema in prompt.input.model_json_schema().get("properties", {}).items()
            if (extra := {key: schema[key] for key in ("default", "enum") if schema.get(key) is not None})
        }

    def input_schema_of(self, name: str) -> dict[str, Any] | None:
        """Return the argument schema of the tool listed under a name, or None when there is none."""
        return self._schemas.get(name)

    @cached_property
    def _schemas(self) -> dict[str, dict[str, Any]]:
        return {self.name_of(item): self._input_schema(item) for item in self._registry.operations}

    def name_of(self, operation: Operation) -> str:
        """Return the name under which this server lists an operation."""
        return operation.name if self._profile.dotted_names else operation.listed_name

    def name_tools(self, failure: HoldfastError) -> None:
        """Call tools as this server lists them, where a failure's hint names some."""
        for operation in self._registry.operations:
            if failure.hint is not None:
                failure.hint = failure.hint.replace(operation.listed_name, self.name_of(operation))

    def _tool(self, operation: Operation) -> types.Tool:
        if self._profile.is_strict and not self._profile.describes_fully:
            return types.Tool(
                name=self.name_of(operation),
                description=self._description(operation),
                input_schema=self._listed_schema(operation),
            )
        return types.Tool(
            name=self.name_of(operation),
            title=operation.title,
            description=self._description(operation),
            input_schema=self._listed_schema(operation),
            output_schema=output_schema(operation) if operation.structured else None,
            annotations=_hints(operation),
        )

    def _input_schema(self, operation: Operation) -> dict[str, Any]:
        schema = input_schema(operation)
        return plain_schema(schema) if self._profile.plain_schemas else schema

    def _listed_schema(self, operation: Operation) -> dict[str, Any]:
        schema = self._input_schema(operation)
        return whole_schema(schema) if self._profile.is_strict else brief_schema(schema)

    def _description(self, operation: Operation) -> str:
        specified = operation.specified_description if self._profile.is_strict else None
        return specified or operation.description

    def _resource(self, resource: Resource) -> types.Resource:
        return types.Resource(
            uri=resource.uri,
            name=resource.name,
            title=resource.title if self._profile.describes_fully or not self._profile.is_strict else None,
            description=resource.description,
            mime_type=resource.mime_type,
            annotations=protocol_annotations(resource.annotations),
        )

    def _prompt(self, prompt: Prompt) -> types.Prompt:
        listed = _prompt(prompt)
        if self._profile.is_strict and prompt.specified_description is not None:
            listed.description = prompt.specified_description
        return listed

    def _page(
        self, entries: Sequence[Entry], query: str, key: Callable[[Entry], str], cursor: str | None
    ) -> tuple[Sequence[Entry], str | None]:
        return page(sorted(entries, key=key), key, query, cursor, self._page_size)


def output_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's result, which may tell of a failure instead.

    Clients hold failed results against the schema too; a failure that did not fit it would hide the
    message behind a complaint about its form.
    """
    schema: dict[str, Any] = untitled(operation.output.model_json_schema(by_alias=True, mode="serialization"))
    schema.pop("description", None)
    if operation.output.requires_fields:
        return schema
    required = schema.pop("required", [])
    schema["properties"] = {**schema.get("properties", {}), "error": _FAILURE}
    if required:
        schema["anyOf"] = [{"required": required}, {"required": ["error"]}]
    return schema


_FAILURE = {"type": "object", "description": "Only in a failed result: kind, code, message, hint and data."}


def _hints(operation: Operation) -> types.ToolAnnotations:
    reads = operation.effect is Effect.READ
    return types.ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=operation.effect is Effect.DESTRUCTIVE,
        idempotent_hint=reads or operation.idempotent,
        open_world_hint=operation.open_world,
    )


def _member(member: ListedResource) -> types.Resource:
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


def _prompt(prompt: Prompt) -> types.Prompt:
    schema = prompt.input.model_json_schema(by_alias=True)
    required = schema.get("required", [])
    arguments = [
        types.PromptArgument(name=name, description=field.get("description"), required=name in required)
        for name, field in schema.get("properties", {}).items()
    ]
    return types.Prompt(
        name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments or None
    )


def protocol_annotations(annotations: Annotations | None) -> types.Annotations | None:
    """Return annotations as the protocol spells them, or None where there are none."""
    if annotations is None:
        return None
    return types.Annotations.model_validate(
        {
            "audience": list(annotations.audience) or None,
            "priority": annotations.priority,
            "lastModified": annotations.last_modified,
        }
    )


_MOST_VALUES = 100
_MOST_COUNTED = 10_000


def completed(registry: Registry, rooms: Rooms, params: types.CompleteRequestParams) -> types.Completion:
    """Return the values for the argument that is being typed."""
    name, typed = params.argument.name, params.argument.value
    if isinstance(params.ref, types.PromptReference):
        values = _for_prompt(registry, rooms, params.ref.name, name, typed)
    else:
        values = _for_address(registry, rooms, str(params.ref.uri), name, typed)
    found = list(islice(values, _MOST_COUNTED))
    return types.Completion(values=found[:_MOST_VALUES], total=len(found), has_more=len(found) > _MOST_VALUES)


def _for_prompt(registry: Registry, rooms: Rooms, prompt_name: str, name: str, typed: str) -> Iterable[str]:
    for prompt in registry.prompts:
        if prompt.name == prompt_name:
            completer = prompt.complete.get(name)
            return (
                _from(completer, rooms(prompt.toolset), typed) if completer else _allowed(prompt, name, typed)
            )
    known = [prompt.name for prompt in registry.prompts]
    raise UnknownPrompt(f"Unknown prompt: {prompt_name}", hint=did_you_mean(prompt_name, known))


def _for_address(registry: Registry, rooms: Rooms, uri: str, name: str, typed: str) -> Iterable[str]:
    for resource in registry.resources:
        if resource.uri == uri:
            completer = resource.complete.get(name)
            return _from(completer, rooms(resource.toolset), typed) if completer else ()
    known = [resource.uri for resource in registry.resources]
    raise unknown(uri, hint=did_you_mean(uri, known))


def _from(completer: Complete, room: Any, typed: str) -> Iterable[str]:
    return completer(room, typed)


def _allowed(prompt: Prompt, name: str, typed: str) -> Iterable[str]:
    """Return the values a declaration allows, where it allows only some."""
    schema = prompt.input.model_json_schema().get("properties", {}).get(name, {})
    return [value for value in schema.get("enum", []) if str(value).lower().startswith(typed.lower())]
