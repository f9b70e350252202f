"""Decodes JSON-RPC messages from lines and encodes them to bytes.

A line holds a request, a notification, a response, or a message to refuse. If the id of a request can be
read, the request is always answered under it, even when the rest of the line is not accepted (too deep, too
long, numbers that are not JSON). Only text that is not JSON is answered without an id, as JSON-RPC requires.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

from holdfast.kernel.codes import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR
from holdfast.kernel.untrusted import may_have_invisible, visible_in

RequestId = str | int

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_CLIENT_CHOSEN_FIELDS = ("progressToken", "_meta")
# After the name "id": a colon, a string or an integer of 64 bits, and the end of the member.
_ID_AFTER_NAME = re.compile(rb'\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,19})\s*[,}]')


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request of the client."""

    id: RequestId
    method: str
    params: dict[str, Any] | None
    size: int
    """The bytes of the message."""


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that is never answered."""

    method: str
    params: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Response:
    """The client's answer to a request of the server."""

    id: RequestId
    result: dict[str, Any] | None
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A message that cannot be processed, with the error that answers it."""

    id: RequestId | None
    code: int
    message: str


Message = WireRequest | Notification | Response | Refused


def decode(line: bytes) -> Message:
    """Return the message in a line."""
    line = line.removeprefix(_BYTE_ORDER_MARK)
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError as failure:
        return _refuse_undecodable(line, str(failure))
    if isinstance(value, list):
        return Refused(None, INVALID_REQUEST, "Invalid Request: no batches; send one message at a time.")
    if not isinstance(value, dict):
        return Refused(None, INVALID_REQUEST, "Invalid Request: a message must be a JSON object.")
    return _classify(value, len(line))


def refuse_overlong(prefix: bytes, limit: int) -> Refused:
    """Return the refusal of a line above the size limit, under its id if its prefix contains the id."""
    text = f"Invalid Request: a message may have at most {limit} bytes."
    return Refused(recover_id(prefix), INVALID_REQUEST, text)


def recover_id(line: bytes) -> RequestId | None:
    """Return the id of a message that cannot be parsed, or None if it is not found."""
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(line):
        text = token.group()
        if text in b"{[":
            depth += 1
        elif text in b"}]":
            depth -= 1
        elif depth == 1 and text == b'"id"' and (value := _ID_AFTER_NAME.match(line, token.end())):
            with suppress(ValueError):  # such as 01, or invalid UTF-8
                return _valid_id(json.loads(value.group(1)))
    return None


def _refuse_undecodable(line: bytes, reason: str) -> Refused:
    try:
        value = json.loads(line)
        identity = _valid_id(value.get("id")) if isinstance(value, dict) else None
    except RecursionError:
        identity = recover_id(line)
    except ValueError:
        identity = recover_id(line) if "out of range" in reason else None
    if identity is None:
        return Refused(None, PARSE_ERROR, f"Parse error: {reason}.")
    return Refused(identity, INVALID_REQUEST, f"Invalid Request: {reason}.")


def _classify(value: dict[str, Any], size: int) -> Message:
    identity = _valid_id(value.get("id"))
    problem = _problem(value, identity)
    if problem is not None:
        return Refused(identity, INVALID_REQUEST, f"Invalid Request: {problem}.")
    if "method" not in value:
        assert identity is not None
        return Response(identity, value.get("result"), value.get("error"))
    if "id" not in value:
        return Notification(value["method"], value.get("params"))
    assert identity is not None
    return WireRequest(identity, value["method"], value.get("params"), size)


def _problem(value: dict[str, Any], identity: RequestId | None) -> str | None:
    if value.get("jsonrpc") != "2.0":
        return 'the member "jsonrpc" must be "2.0"'
    if "id" in value and identity is None:
        return "an id must be a string or an integer"
    if "method" not in value:
        return None if _is_response(value) else 'the member "method" is missing'
    if not isinstance(value["method"], str):
        return 'the member "method" must be a string'
    if not isinstance(value.get("params"), dict | None):
        return 'the member "params" must be an object'
    return None


def _is_response(value: dict[str, Any]) -> bool:
    bodies = [value.get("result"), value.get("error")]
    return "id" in value and any(isinstance(body, dict) for body in bodies)


def _valid_id(value: object) -> RequestId | None:
    if isinstance(value, str):
        return value if value.isprintable() or _is_unicode(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


class WireError(Exception):
    """A failure to be sent as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def kind(self) -> str:
        """Return the kind of the failure, or the protocol's number if it has none."""
        kind = self.data.get("type") if isinstance(self.data, dict) else None
        return kind if isinstance(kind, str) else str(self.code)

    def wire(self) -> dict[str, Any]:
        body = {"code": self.code, "message": self.message}
        return body if self.data is None else body | {"data": self.data}


STOPPED = WireError(INTERNAL_ERROR, "The server stopped before this request was done.")


def invalid_request(reason: str, kind: str) -> WireError:
    """Return the refusal of a well-formed message that is not allowed now."""
    return WireError(INVALID_REQUEST, f"Invalid Request: {reason}.", {"type": kind})


@dataclass(frozen=True, slots=True)
class Prepared:
    """A result that is already encoded."""

    body: bytes


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as one line, with invisible characters escaped."""
    try:
        line = to_json(message)
    except PydanticSerializationError:  # an unpaired surrogate cannot be encoded as UTF-8
        return to_json(_escape_invisible(message))
    return to_json(_escape_invisible(message)) if may_have_invisible(line) else line


def _escape_invisible(message: dict[str, Any]) -> dict[str, Any]:
    """Escape invisible characters in all text except the fields that the client chose."""
    escaped: dict[str, Any] = visible_in(message)
    if "id" in message:
        escaped["id"] = message["id"]
    for part in ("params", "result"):
        if isinstance(body := message.get(part), dict):
            escaped[part] |= {name: body[name] for name in _CLIENT_CHOSEN_FIELDS if name in body}
    return escaped


def encode_result(identity: RequestId, result: Any) -> bytes:
    """Return the encoded answer to a request."""
    if isinstance(result, Prepared):
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (to_json(identity), result.body)
    return encode({"jsonrpc": "2.0", "id": identity, "result": result})


def encode_error(identity: RequestId | None, failure: WireError) -> bytes:
    """Return the encoded error for a request, or for a message without a readable id."""
    return encode({"jsonrpc": "2.0", "id": identity, "error": failure.wire()})


def notification(method: str, params: dict[str, Any] | None) -> dict[str, Any]:
    """Return a notification of the server."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return body if params is None else body | {"params": params}


def response_too_large(size: int, limit: int) -> WireError:
    """Return the error that replaces an answer above the size limit."""
    return WireError(
        INTERNAL_ERROR,
        f"The answer has {size} bytes; at most {limit} are sent. Narrow the request or ask for a page.",
        {"type": "response_too_large", "size": size, "limit": limit},
    )
