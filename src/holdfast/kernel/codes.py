"""The JSON-RPC codes of failures, by specification family.

In the handshake era, a failure with a code here is sent as a JSON-RPC error, because its specification
defines the code. Any other failure is a tool result marked as an error. Codes belong to a family, because the
specifications use the same numbers for different things; within a family a code means one kind of failure.

In the stateless era every tool failure is a marked result, and numbers from -32019 to -32000 are replaced by
`HoldfastError.number`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdfast.kernel.errors import HoldfastError, InvalidArguments

PROTOCOL = "protocol"
"""The family of failures that occur before a tool is known."""

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
            "undecodable_arguments": INVALID_REQUEST,
            "unknown_tool": METHOD_NOT_FOUND,
            "invalid": INVALID_PARAMS,
            "internal": -32001,
        },
    }
)


UNDECODABLE = "undecodable_arguments"
"""The kind for arguments that are missing or have the wrong JSON type, where a specification has a code."""

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
"""The names of codes in specifications whose failing tools include them in the content."""

SWITCHABLE_FAMILIES = frozenset({"git-mile", "paired-comments"})
"""Families whose tool failures can be sent as results instead, if the server is configured so."""


def handshake_code(family: str, error: HoldfastError) -> int | None:
    """Return the code that the family's specification defines for a failure, or None."""
    rows = HANDSHAKE_CODES.get(family, {})
    is_undecodable = isinstance(error, InvalidArguments) and error.undecodable
    kinds = (UNDECODABLE, *error.kinds()) if is_undecodable else error.kinds()
    return next((rows[kind] for kind in kinds if kind in rows), None)


def stateless_code(family: str, error: HoldfastError) -> int:
    """Return the code for the stateless era: the family's code if it is allowed there, else our number."""
    code = handshake_code(family, error)
    if code is None or -32019 <= code <= -32000:
        return error.number
    return code
