"""JSON-RPC messages as bytes."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from holdfast.faces.mcp.wire.exchange import Prepared, WireError
from holdfast.faces.mcp.wire.messages import RequestId
from holdfast.kernel.codes import INTERNAL_ERROR


def encoded(message: dict[str, Any]) -> bytes:
    """Return a message without line breaks."""
    try:
        return to_json(message)
    except PydanticSerializationError:
        # Halves of surrogate pairs cannot be written as UTF-8; JSON escapes can carry them.
        return json.dumps(message, default=str).encode()


def encoded_result(identity: RequestId, result: Any) -> bytes:
    """Return the answer to a request."""
    if isinstance(result, Prepared):
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (to_json(identity), result.body)
    return encoded({"jsonrpc": "2.0", "id": identity, "result": result})


def encoded_error(identity: RequestId | None, failure: WireError) -> bytes:
    """Return the error that answers a request, or a message whose id nobody could read."""
    return encoded({"jsonrpc": "2.0", "id": identity, "error": failure.wire()})


def notification(method: str, params: dict[str, Any] | None) -> dict[str, Any]:
    """Return a message that is never answered."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return body if params is None else body | {"params": params}


def too_long(size: int, limit: int) -> WireError:
    """Return what is sent in place of an answer that is longer than answers may be."""
    return WireError(
        INTERNAL_ERROR,
        f"The answer has {size} bytes; at most {limit} are sent. Narrow the request or ask for a page.",
        {"type": "response_too_large", "size": size, "limit": limit},
    )
