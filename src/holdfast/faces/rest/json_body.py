"""JSON in the bodies of requests and responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from holdfast.faces.http.asgi import Headers
from holdfast.faces.http.problems import UnsupportedMediaType
from holdfast.faces.json_text import json_text
from holdfast.kernel.errors import InvalidArguments, TooLarge
from holdfast.kernel.limits import Limits

JSON = "application/json"


def json_object(headers: Headers, body: bytes) -> Mapping[str, Any]:
    """Return the JSON object in a body.

    The media type has to be JSON, because pages of other sites can send forms and plain text without a CORS
    preflight request.
    """
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if media_type != JSON.encode():
        raise UnsupportedMediaType("The body has to be JSON.", hint="Send it as application/json.")
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise InvalidArguments("The body is not JSON.", hint="Send one JSON object.") from None
    if not isinstance(value, dict):
        raise InvalidArguments("The body is not a JSON object.", hint="Send the arguments by name.")
    return value


def encode_json(value: Mapping[str, Any], limits: Limits) -> bytes:
    """Return the body of a response; raise when it is longer than the limits allow."""
    body = json_text(value, for_a_person=False).encode()
    if len(body) > limits.response_bytes:
        raise TooLarge(
            f"The answer has {len(body)} bytes; at most {limits.response_bytes} are sent.",
            hint="Narrow the request or ask for a page.",
            size=len(body),
            limit=limits.response_bytes,
        )
    return body
