"""Converts failures to protocol errors and failed results, by profile, specification family and era.

Contract:
- A server that is not limited to one specification answers with failed results, because many hosts hide
  JSON-RPC errors from their models. What a specification prescribes for messages and content does not apply.
- The server of a specification answers as that prescribes. One that names its codes (`kernel/codes.py`)
  requires the name in the content of a failed result as well; its JSON-RPC errors carry that result as data.
- An option chooses the other form (`Profile.errors_as_results`), where the specification allows it.
"""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

from holdfast.faces.mcp.extensions.declaration import TASKS
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.request import is_stateless
from holdfast.kernel.codes import (
    CODE_NAMES,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    PROTOCOL,
    SWITCHABLE_FAMILIES,
    handshake_code,
    stateless_code,
)
from holdfast.kernel.errors import (
    HoldfastError,
    Invalid,
    InvalidArguments,
    NotFound,
    UnknownTool,
    error_object,
)
from holdfast.kernel.questions import MissingCapability


def tool_failure(
    error: HoldfastError, family: str, protocol_version: str, profile: Profile
) -> types.CallToolResult:
    """Return a failed tool result, or raise the error that the profile or the protocol requires."""
    if isinstance(error, MissingCapability) and is_stateless(protocol_version):
        capability = str(error.data["capability"])
        required: dict[str, Any] = {"extensions": {TASKS: {}}} if capability == "tasks" else {capability: {}}
        data: dict[str, Any] = {"requiredCapabilities": required}
        raise MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message=error.sentence(), data=data)
    form = family if profile.is_strict else None
    if is_stateless(protocol_version):
        return _failed_result(error, form, stateless_code(family, error))
    code = handshake_code(family, error)
    can_be_result = not profile.is_strict or family in SWITCHABLE_FAMILIES
    if code is None or (profile.errors_as_results and can_be_result):
        return _failed_result(error, form, error.number if code is None else code)
    raise _protocol_error(error, form, code)


def unknown_tool_failure(error: UnknownTool, name: str, profile: Profile) -> types.CallToolResult:
    """Raise the protocol error for a tool that is not offered, or return it as a specification's result."""
    family = "git-mile" if name.startswith("git_mile") else PROTOCOL
    code = handshake_code(family, error) or INVALID_PARAMS
    if profile.is_strict and profile.errors_as_results and family in CODE_NAMES:
        return _failed_result(error, family, code)
    raise _protocol_error(error, family if profile.is_strict else None, code)


def invalid_params_error(problem: str, family: str, profile: Profile) -> MCPError:
    """Return the protocol error for a request with invalid parameters."""
    error = InvalidArguments(f"Invalid params: {problem}.")
    error.undecodable = True
    code = handshake_code(family, error) or INVALID_PARAMS
    return _protocol_error(error, family if profile.is_strict else None, code)


def request_failure(error: HoldfastError, family: str, protocol_version: str) -> MCPError:
    """Return the protocol error for a failure outside tools: resources, prompts, lists, bare methods."""
    if not is_stateless(protocol_version):
        default = INVALID_PARAMS if isinstance(error, NotFound) else INTERNAL_ERROR
        code = handshake_code(family, error) or handshake_code(PROTOCOL, error) or default
    elif isinstance(error, Invalid | NotFound):
        code = INVALID_PARAMS
    else:
        code = stateless_code(family, error)
    return MCPError(code=code, message=error.sentence(), data=_error_data(error))


def _protocol_error(error: HoldfastError, form: str | None, code: int) -> MCPError:
    """Return a JSON-RPC error in the form of a specification, or in our own if `form` is None."""
    if form not in CODE_NAMES:
        message = error.sentence() if form is None else error.specified_message or error.sentence()
        return MCPError(code=code, message=message, data=_error_data(error))
    data = {
        "content": [{"type": "text", "text": _error_text(error, form)}],
        "structuredContent": {"error": error_object(error, code)},
        "isError": True,
    }
    return MCPError(code=code, message=error.sentence(), data=data)


def _failed_result(error: HoldfastError, form: str | None, code: int) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=_error_text(error, form))],
        structured_content={"error": error_object(error, code)},
        is_error=True,
    )


def _error_text(error: HoldfastError, form: str | None) -> str:
    if form is None or form not in CODE_NAMES:
        return error.sentence()
    name = CODE_NAMES[form].get(handshake_code(form, error) or 0, error.kind)
    return json.dumps({"error": {"code": name, "message": error.sentence()}}, ensure_ascii=False)


def _error_data(error: HoldfastError) -> dict[str, Any]:
    hint = {} if error.hint is None else {"hint": error.hint}
    return {"type": error.kind} | hint | dict(error.data)
