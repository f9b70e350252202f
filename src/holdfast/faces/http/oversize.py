"""What is sent in place of an answer that is longer than answers may be."""

from __future__ import annotations

from pydantic_core import from_json, to_json

from holdfast.kernel.codes import INTERNAL_ERROR


def refusal_of_length(request: bytes, size: int, limit: int) -> bytes:
    """Return the JSON-RPC error for the request whose answer has `size` bytes."""
    message = f"The answer has {size} bytes; at most {limit} are sent. Narrow the request or ask for a page."
    data = {"type": "response_too_large", "size": size, "limit": limit}
    error = {"code": INTERNAL_ERROR, "message": message, "data": data}
    return to_json({"jsonrpc": "2.0", "id": _id_of(request), "error": error})


def _id_of(request: bytes) -> str | int | None:
    try:
        message = from_json(request)
    except ValueError:
        return None
    identity = message.get("id") if isinstance(message, dict) else None
    return identity if isinstance(identity, str | int) else None
