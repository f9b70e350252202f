"""Converts failures to protocol errors and failed results, by specification family and era.

A specification that names its codes (`kernel/codes.py`) requires the name in the content of a failed tool
result as well. Its JSON-RPC errors carry that result as their data; an option sends the result itself, for
clients that do not show JSON-RPC errors to their models.
"""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

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
    error: HoldfastError, family: str, protocol_version: str, *, as_result: bool = False
) -> types.CallToolResult:
    """Return a failed tool result, or raise the error that the specification or the protocol requires.

    With `as_result`, return a result also where a specification allows either.
    """
    if isinstance(error, MissingCapability) and is_stateless(protocol_version):
        data: dict[str, Any] = {"requiredCapabilities": {str(error.data["capability"]): {}}}
        raise MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message=error.sentence(), data=data)
    if is_stateless(protocol_version):
        return _failed_result(error, family, stateless_code(family, error))
    code = handshake_code(family, error)
    if code is None or (as_result and family in SWITCHABLE_FAMILIES):
        return _failed_result(error, family, error.number if code is None else code)
    raise _protocol_error(error, family, code)


def unknown_tool_failure(error: UnknownTool, name: str, *, as_result: bool = False) -> types.CallToolResult:
    """Raise the protocol error for a tool that is not offered; `as_result` as in `tool_failure`."""
    family = "git-mile" if name.startswith("git_mile") else PROTOCOL
    code = handshake_code(family, error) or INVALID_PARAMS
    if as_result and family in CODE_NAMES:
        return _failed_result(error, family, code)
    raise _protocol_error(error, family, code)


def invalid_params_error(problem: str, family: str) -> MCPError:
    """Return the protocol error for a request with invalid parameters."""
    error = InvalidArguments(f"Invalid params: {problem}.")
    error.undecodable = True
    return _protocol_error(error, family, handshake_code(family, error) or INVALID_PARAMS)


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


def _protocol_error(error: HoldfastError, family: str, code: int) -> MCPError:
    if family not in CODE_NAMES:
        message = error.specified_message or error.sentence()
        return MCPError(code=code, message=message, data=_error_data(error))
    data = {
        "content": [{"type": "text", "text": _error_text(error, family)}],
        "structuredContent": {"error": error_object(error, code)},
        "isError": True,
    }
    return MCPError(code=code, message=error.sentence(), data=data)


def _failed_result(error: HoldfastError, family: str, code: int) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=_error_text(error, family))],
        structured_content={"error": error_object(error, code)},
        is_error=True,
    )


def _error_text(error: HoldfastError, family: str) -> str:
    if family not in CODE_NAMES:
        return error.sentence()
    name = CODE_NAMES[family].get(handshake_code(family, error) or 0, error.kind)
    return json.dumps({"error": {"code": name, "message": error.sentence()}}, ensure_ascii=False)


def _error_data(error: HoldfastError) -> dict[str, Any]:
    hint = {} if error.hint is None else {"hint": error.hint}
    return {"type": error.kind} | hint | dict(error.data)
