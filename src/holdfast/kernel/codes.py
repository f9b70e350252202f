"""The JSON-RPC codes of failures, by family: the specification that an operation comes from.

In the handshake era (MCP until 2025-11-25), the server of one specification sends a failure as a JSON-RPC
error if that defines a code for it, and otherwise as a tool result marked as an error, as other servers do
(`faces/mcp/failures.py`). Codes belong to a family because the specifications use the same numbers for
different failures; within a family, a code has one meaning.

In the stateless era (MCP since 2026-07-28), a tool failure is a marked result, unless the client lacks a
capability. There, as in every other interface, `HoldfastError.number` replaces codes that MCP reserves.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdfast.kernel.errors import HoldfastError, InvalidArguments

PROTOCOL = "protocol"
"""The family of failures that occur before a tool is known."""

UNDECODABLE = "undecodable_arguments"
"""The key of the table for arguments that are missing or have the wrong JSON type."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RATE_LIMITED = -32003
"""The toolkit specification's code, used for all."""
RESOURCE_NOT_FOUND = -32002
"""MCP's code until 2025-11-25."""
RESERVED_CODES = range(-32019, -32000 + 1)
"""Codes that MCP reserves for itself since 2026-07-28."""

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
"""By family, the code that its specification defines for each kind of error (`HoldfastError.kinds`)."""

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
    """Return the family's code if MCP does not reserve it, else our own number.

    For the stateless era of MCP, REST and the command line.
    """
    code = handshake_code(family, error)
    return error.number if code is None or code in RESERVED_CODES else code
