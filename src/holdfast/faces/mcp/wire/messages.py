"""One line of input, told apart: a request, a notification, a response, or something to refuse.

A request whose id can be read is always answered under that id, even when the rest of the line is
beyond what we accept (too deep, too long, numbers that are not JSON). Only text that is not JSON at
all is answered without an id, as JSON-RPC asks.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from holdfast.kernel.codes import INVALID_REQUEST, PARSE_ERROR

RequestId = str | int

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_ID_VALUE = re.compile(rb'\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,19})\s*[,}]')


@dataclass(frozen=True, slots=True)
class Request:
    """Something to be answered."""

    id: RequestId
    method: str
    params: dict[str, Any] | None
    size: int


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that is never answered."""

    method: str
    params: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Response:
    """The client's answer to a request of ours."""

    id: RequestId
    result: dict[str, Any] | None
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that cannot be served, with the answer it gets."""

    id: RequestId | None
    code: int
    message: str


Message = Request | Notification | Response | Refused


def decode(line: bytes) -> Message:
    """Tell what a line is."""
    line = line.removeprefix(_BYTE_ORDER_MARK)
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError as failure:
        return _undecodable(line, str(failure))
    if isinstance(value, list):
        return Refused(
            None, INVALID_REQUEST, "Invalid Request: batches are not supported; send one message a line."
        )
    if not isinstance(value, dict):
        return Refused(None, INVALID_REQUEST, "Invalid Request: a message must be a JSON object.")
    return _classified(value, len(line))


def overlong(beginning: bytes, limit: int) -> Refused:
    """Refuse a line above the size limit, under its id where that stands near its beginning."""
    return Refused(
        recovered_id(beginning),
        INVALID_REQUEST,
        f"Invalid Request: a message may have at most {limit} bytes.",
    )


def recovered_id(line: bytes) -> RequestId | None:
    """Find the id of a message that cannot be parsed whole."""
    depth = 0
    for token in _TOKEN.finditer(line):
        text = token.group()
        if text in b"{[":
            depth += 1
        elif text in b"}]":
            depth -= 1
        elif depth == 1 and text == b'"id"' and (value := _ID_VALUE.match(line, token.end())):
            return _readable_id(json.loads(value.group(1)))
    return None


def _undecodable(line: bytes, reason: str) -> Refused:
    try:
        value = json.loads(line)
        identity = _readable_id(value.get("id")) if isinstance(value, dict) else None
    except RecursionError:
        identity = recovered_id(line)
    except ValueError:
        identity = recovered_id(line) if "out of range" in reason else None
    if identity is None:
        return Refused(None, PARSE_ERROR, f"Parse error: {reason}.")
    return Refused(identity, INVALID_REQUEST, f"Invalid Request: {reason}.")


def _classified(value: dict[str, Any], size: int) -> Message:
    identity = _readable_id(value.get("id"))
    problem = _problem(value, identity)
    if problem is not None:
        return Refused(identity, INVALID_REQUEST, f"Invalid Request: {problem}.")
    if "method" not in value:
        assert identity is not None
        return Response(identity, value.get("result"), value.get("error"))
    if "id" not in value:
        return Notification(value["method"], value.get("params"))
    assert identity is not None
    return Request(identity, value["method"], value.get("params"), size)


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


def _readable_id(value: object) -> RequestId | None:
    if isinstance(value, str):
        return value if value.isprintable() or _is_text(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
