"""The one way a result or a failure is written as JSON.

UTF-8, letters as themselves, members in the order of the declaration. For a person the text is
indented and whatever has no visible form is written as an escape; for a program it is one line.
Both spell the same value.
"""

from __future__ import annotations

import json
from typing import Any

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.untrusted import visible


def json_text(value: Any, *, for_a_person: bool) -> str:
    """Return `value` as one JSON document that ends with a line feed."""
    text = _dumped(value, for_a_person=for_a_person, escaped=False)
    if not _is_writable(text) or (for_a_person and visible(text) != text):
        text = _dumped(value, for_a_person=for_a_person, escaped=True)
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


def _dumped(value: Any, *, for_a_person: bool, escaped: bool) -> str:
    layout: dict[str, Any] = {"indent": 2} if for_a_person else {"separators": (",", ":")}
    return json.dumps(value, ensure_ascii=escaped, default=str, **layout)


def _is_writable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
