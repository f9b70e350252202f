"""Entity tags: conditional requests with `If-None-Match` and `If-Match` (RFC 9110, section 13).

Contract:
- The tag of a response is a hash of its body. If the operation's result has a version, the tag starts with
  it: `"7.0c5e…"`. So one tag serves both kinds of requests.
- `If-None-Match` compares whole tags: a body that the client already has is not sent again (304).
- `If-Match` is optimistic locking. It compares only versions, because the rest of the body may depend on
  other data. The version becomes the argument with which the operation receives the expected version. `"7"`
  works as well as the whole tag. An operation that takes no version refuses the header, because a
  precondition must not be ignored.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from holdfast.faces.http.asgi import Headers
from holdfast.faces.rest.json_body import JSON
from holdfast.faces.schema import parse_value, properties_of
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Operation

_TAG = re.compile(r'(?:W/)?"(?P<version>[^".]+)(?:\.[0-9a-f]*)?"')
_HASH_CHARACTERS = 32
"""128 bits of SHA-256: enough to rule out collisions by chance, and headers stay short."""


def entity_tag(body: bytes, version: str | None = None) -> str:
    """Return the entity tag of a body, which starts with the version if there is one."""
    fingerprint = hashlib.sha256(body).hexdigest()[:_HASH_CHARACTERS]
    return f'"{fingerprint}"' if version is None else f'"{version}.{fingerprint}"'


def is_cached(tag: str, headers: Headers) -> bool:
    """Return whether `If-None-Match` lists this tag."""
    listed = headers.get(b"if-none-match", b"").decode("latin-1")
    return listed.strip() == "*" or tag in [item.strip().removeprefix("W/") for item in listed.split(",")]


def add_expected_version(
    operation: Operation, arguments: Mapping[str, Any], headers: Headers
) -> Mapping[str, Any]:
    """Return the arguments with the version from `If-Match` added."""
    header = headers.get(b"if-match", b"").decode("latin-1").strip()
    if header in ("", "*"):
        return arguments
    argument = operation.expects_version
    if argument is None:
        raise InvalidArguments(
            f"{operation.listed_name} takes no version, so If-Match cannot be honoured.", hint="Leave it out."
        )
    version = _version(operation, argument, header)
    if arguments.get(argument, version) != version:
        raise InvalidArguments(
            f'If-Match and "{argument}" name different versions.', hint="Send one of them."
        )
    return {**arguments, argument: version}


def _version(operation: Operation, argument: str, header: str) -> Any:
    tag = _TAG.fullmatch(header)
    if tag is None:
        raise InvalidArguments(
            "If-Match does not contain an entity tag.", hint='Send one tag in quotes, such as "7".'
        )
    shape = next(item.shape for item in properties_of(operation.input) if item.name == argument)
    return parse_value(argument, shape, tag["version"], "Send the tag as it came.")


def tagged_response(body: bytes, headers: Headers, version: str | None = None) -> Response:
    """Return a body with its entity tag, or 304 if the client has it already."""
    tag = entity_tag(body, version)
    caching = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if is_cached(tag, headers):
        return Response(status_code=304, headers=caching)
    return Response(body, media_type=JSON, headers=caching)
