"""Failures in the protocol's words, by specification family and era."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from holdfast.faces.render.json_text import error_object
from holdfast.kernel.codes import INTERNAL_ERROR, INVALID_PARAMS, PROTOCOL, handshake_code, stateless_code
from holdfast.kernel.errors import HoldfastError, Invalid, UnknownTool
from holdfast.kernel.questions import MissingCapability


def is_stateless(protocol_version: str) -> bool:
    """Return whether a request of this revision belongs to the stateless era."""
    return protocol_version in MODERN_PROTOCOL_VERSIONS


def tool_failure(error: HoldfastError, family: str, protocol_version: str) -> types.CallToolResult:
    """Return a failed tool result, or raise the code that the specification or the protocol shows."""
    if isinstance(error, MissingCapability) and is_stateless(protocol_version):
        raise missing_client_capability(error)
    if is_stateless(protocol_version):
        return _failed_result(error, stateless_code(family, error))
    code = handshake_code(family, error)
    if code is not None:
        raise MCPError(code=code, message=error.sentence(), data=_data(error))
    return _failed_result(error, error.number)


def unknown_tool(error: UnknownTool, name: str) -> MCPError:
    """Return the protocol error for a tool that is not offered."""
    family = "git-mile" if name.startswith("git_mile") else PROTOCOL
    code = handshake_code(family, error) or INVALID_PARAMS
    return MCPError(code=code, message=error.sentence(), data=_data(error))


def request_failure(error: HoldfastError, family: str, protocol_version: str) -> MCPError:
    """Return the protocol error for a failure outside of tools: reading, prompting, listing, bare methods."""
    if not is_stateless(protocol_version):
        code = handshake_code(family, error) or handshake_code(PROTOCOL, error) or INTERNAL_ERROR
    elif isinstance(error, Invalid):
        code = INVALID_PARAMS
    else:
        code = stateless_code(family, error)
    return MCPError(code=code, message=error.sentence(), data=_data(error))


def missing_client_capability(error: MissingCapability) -> MCPError:
    """Return the protocol's error for a request that needs what its client did not declare."""
    data: dict[str, Any] = {"requiredCapabilities": {str(error.data["capability"]): {}}}
    return MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message=error.sentence(), data=data)


def _failed_result(error: HoldfastError, code: int) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=error.sentence())],
        structured_content={"error": error_object(error, code)},
        is_error=True,
    )


def _data(error: HoldfastError) -> dict[str, Any]:
    hint = {} if error.hint is None else {"hint": error.hint}
    return {"type": error.kind} | hint | dict(error.data)
