"""Entity tags: which bytes an answer has, and which version of a thing it tells about.

Contract:
- An answer that only reads has a tag made from its bytes. Where the operation's result holds a version, the
  tag begins with it: `"7.0c5e…"`, so that one tag serves both purposes.
- `If-None-Match` compares whole tags: equal bytes are not sent again.
- `If-Match` compares versions alone, because what an answer says besides may depend on other things. It
  becomes the argument in which the operation expects a version; `"7"` does as well as the whole tag.
- A precondition is never ignored: an operation that cannot honour `If-Match` refuses it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from holdfast.faces.http.boundary import Headers
from holdfast.faces.render.schema import properties_of
from holdfast.faces.render.spelled import spelled_value
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Operation

_TAG = re.compile(r'(?:W/)?"([^".]+)(?:\.[0-9a-f]*)?"')
_HASH_CHARACTERS = 32


def entity_tag(body: bytes, version: str | None = None) -> str:
    """Return the tag of these bytes, beginning with the version where there is one."""
    fingerprint = hashlib.sha256(body).hexdigest()[:_HASH_CHARACTERS]
    return f'"{fingerprint}"' if version is None else f'"{version}.{fingerprint}"'


def is_held(tag: str, headers: Headers) -> bool:
    """Return whether `If-None-Match` says that the client has these bytes already."""
    held = headers.get(b"if-none-match", b"").decode("latin-1")
    return held.strip() == "*" or tag in [item.strip().removeprefix("W/") for item in held.split(",")]


def expecting(operation: Operation, arguments: Mapping[str, Any], headers: Headers) -> Mapping[str, Any]:
    """Return the arguments with the version that `If-Match` names."""
    given = headers.get(b"if-match", b"").decode("latin-1").strip()
    if given in ("", "*"):
        return arguments
    name = operation.expects_version
    if name is None:
        raise InvalidArguments(
            f"{operation.listed_name} takes no version, so If-Match cannot be honoured.", hint="Leave it out."
        )
    version = _version(operation, name, given)
    if arguments.get(name, version) != version:
        raise InvalidArguments(f'If-Match and "{name}" name different versions.', hint="Send one of them.")
    return {**arguments, name: version}


def _version(operation: Operation, name: str, given: str) -> Any:
    tag = _TAG.fullmatch(given)
    if tag is None:
        raise InvalidArguments("If-Match holds no entity tag.", hint='Send one tag in quotes, such as "7".')
    shape = next(item.shape for item in properties_of(operation.input) if item.name == name)
    return spelled_value(name, shape, tag.group(1), "Send the tag as it came.")
