"""The one way a result or a failure is written as JSON.

UTF-8, letters as themselves, members in the order of the declaration; indented for a person, one line for
a program. Whatever leaves as JSON, on any face, passes here or through `encoded` of the protocol's messages,
and neither lets out what nobody can see: a text that a room did not clean is cleaned there.
"""

from __future__ import annotations

import json
from typing import Any

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.untrusted import may_hide, visible, visible_in


def json_text(value: Any, *, for_a_person: bool) -> str:
    """Return `value` as one JSON document that ends with a line feed."""
    layout: dict[str, Any] = {"indent": 2} if for_a_person else {"separators": (",", ":")}
    text = json.dumps(value, ensure_ascii=False, default=str, **layout)
    if may_hide(text.encode("utf-8", "surrogatepass")):
        text = json.dumps(visible_in(value), ensure_ascii=False, default=_visible_name, **layout)
    return f"{text}\n"


def error_object(error: HoldfastError, code: int) -> dict[str, Any]:
    """Return the one shape in which a failure is told as data: always these five members."""
    return {
        "kind": error.kind,
        "code": code,
        "message": error.message,
        "hint": error.hint,
        "data": dict(error.data),
    }


def _visible_name(value: object) -> str:
    return visible(str(value))
