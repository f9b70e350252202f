"""`call_tool`: calls any offered tool by name, for models, which can only call what their host lists.

Contract:
- It is exactly the call of the named tool: the same selection, validation, questions, result and failures.
- Its hints are the strictest of all tools that the server offers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mcp_types as types
from pydantic import Field

from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, UnknownTool
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import CALL_TOOL, TOOLS, Registry
from holdfast.kernel.schema import strip_titles

OWN_FAMILY = "core"
"""The family of `call_tool` itself, which no specification has."""
_DESCRIPTION = """Call a tool that is not listed.

find_tools finds such tools and their arguments. The result is that of the named tool."""


class CallTool(Input):
    """Which tool to call, and with which arguments."""

    name: str = Field(description="Name of the tool, such as list_orphans.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments, as find_tools shows.")


def offers_call_tool(registry: Registry) -> bool:
    """Return whether a server of the registry's selection offers `call_tool`; no specification has it."""
    selection = registry.selection
    return selection.family is None and selection.admits_tool(CALL_TOOL, TOOLS, Effect.READ)


def requested_call(
    registry: Registry, name: str, arguments: dict[str, Any] | None
) -> tuple[Operation, dict[str, Any] | None]:
    """Return the operation that a call of the tool `name` runs, with its arguments.

    Raise `UnknownTool` for a tool that is not offered, and `InvalidArguments` if `call_tool` names one.
    """
    if name != CALL_TOOL or not offers_call_tool(registry):
        return registry.operation(name), arguments
    request = validate_arguments(CallTool, arguments)
    try:
        return registry.operation(request.name), request.arguments
    except UnknownTool as failure:
        hint = f"{failure.hint} find_tools searches all of them.".lstrip()
        raise InvalidArguments(failure.message, hint=hint) from None


def call_tool_entry(operations: Iterable[Operation]) -> types.Tool:
    """Return the entry of `call_tool` in the list of a server that offers these operations.

    It has no output schema: clients would demand structured data of tools that have none.
    """
    operations = list(operations)
    is_read_only = all(item.effect is Effect.READ for item in operations)
    return types.Tool(
        name=CALL_TOOL,
        title="Call a tool",
        description=_DESCRIPTION,
        input_schema=_input_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=is_read_only,
            destructive_hint=any(item.effect is Effect.DESTRUCTIVE for item in operations),
            idempotent_hint=all(item.effect is Effect.READ or item.idempotent for item in operations),
            open_world_hint=any(item.open_world for item in operations),
        ),
    )


def _input_schema() -> dict[str, Any]:
    schema: dict[str, Any] = strip_titles(CallTool.model_json_schema())
    schema.pop("description", None)
    return schema
