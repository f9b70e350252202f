"""The JSON-RPC codes of failures, by family: the specification that an operation comes from.

In the handshake era (MCP until 2025-11-25), a failure is sent as a JSON-RPC error if its specification
defines a code for it, and otherwise as a tool result marked as an error. Codes belong to a family because the
specifications use the same numbers for different failures; within a family, a code has one meaning.

In the stateless era (MCP since 2026-07-28), every tool failure is a marked result, and numbers from -32019 to
-32000 are replaced by `HoldfastError.number`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdfast.kernel.errors import HoldfastError, InvalidArguments

PROTOCOL = "protocol"
"""The family of failures that occur before a tool is known."""

UNDECODABLE = "undecodable_arguments"
"""Arguments that are missing or have the wrong JSON type, for specifications with a code for that."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RATE_LIMITED = -32003
RESOURCE_NOT_FOUND = -32002

HANDSHAKE_CODES: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        PROTOCOL: {
            "invalid": INVALID_PARAMS,
            "unknown_resource": RESOURCE_NOT_FOUND,
            "internal": INTERNAL_ERROR,
            "rate_limited": RATE_LIMITED,
        },
        "lazygit": {"invalid": INVALID_PARAMS},
        "toolkit": {
            "template_not_found": -32000,
            "invalid_template_uri": -32001,
            "parameter_validation": -32002,
            "rate_limited": RATE_LIMITED,
            "invalid": INVALID_PARAMS,
            "internal": INTERNAL_ERROR,
        },
        "paired-comments": {
            "source_not_found": -32001,
            "comment_not_found": -32002,
            "invalid_file_path": -32003,
            "file_access_denied": -32004,
            "invalid_line_number": -32005,
            "source_not_parsed": -32006,
            "comment_file_corrupted": -32007,
            "invalid": INVALID_PARAMS,
            "internal": INTERNAL_ERROR,
        },
        "git-mile": {
            UNDECODABLE: INVALID_REQUEST,
            "unknown_tool": METHOD_NOT_FOUND,
            "invalid": INVALID_PARAMS,
            "internal": -32001,
        },
    }
)

CODE_NAMES: Mapping[str, Mapping[int, str]] = MappingProxyType(
    {
        "git-mile": {
            INVALID_REQUEST: "InvalidRequest",
            METHOD_NOT_FOUND: "MethodNotFound",
            INVALID_PARAMS: "InvalidParams",
            -32001: "ServerError",
        }
    }
)
"""The names of codes, for specifications that require them in the content of a failed tool call."""

SWITCHABLE_FAMILIES = frozenset({"git-mile", "paired-comments"})
"""The families whose failures the server can be configured to send as tool results instead of errors."""


def handshake_code(family: str, error: HoldfastError) -> int | None:
    """Return the code that the family's specification defines for a failure, or None."""
    codes = HANDSHAKE_CODES.get(family, {})
    is_undecodable = isinstance(error, InvalidArguments) and error.undecodable
    kinds = (UNDECODABLE, *error.kinds()) if is_undecodable else error.kinds()
    return next((codes[kind] for kind in kinds if kind in codes), None)


def stateless_code(family: str, error: HoldfastError) -> int:
    """Return the code for the stateless era: the family's code if MCP allows it, else our own number."""
    code = handshake_code(family, error)
    if code is None or -32019 <= code <= -32000:
        return error.number
    return code
