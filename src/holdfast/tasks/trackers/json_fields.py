"""Reads fields of the JSON that services return. Its types are unknown, so every access is checked.

A missing or malformed field reads as empty. A missing id or list of items is an error: the address is then
probably not that of the service.
"""

from __future__ import annotations

from typing import Any

from holdfast.kernel.errors import Unavailable


def text_field(value: object, *names: str) -> str:
    """Return the first text that an object has under one of these names, or an empty text."""
    if isinstance(value, dict):
        for name in names:
            if isinstance(text := value.get(name), str):
                return text
    return ""


def object_field(value: object, name: str) -> dict[str, Any]:
    """Return the object that an object has under a name, or an empty one."""
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def object_list(value: object, name: str) -> list[dict[str, Any]]:
    """Return the objects of the list that an object has under a name; empty if there is no such list."""
    items = value.get(name) if isinstance(value, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def item_id(value: object, *names: str) -> str:
    """Return the first id, a text or a number, that an object has under one of these names; raise if none."""
    fields = value if isinstance(value, dict) else {}
    for name in names:
        identity = fields.get(name)
        if isinstance(identity, str | int) and not isinstance(identity, bool) and str(identity).strip():
            return str(identity)
    raise _unexpected_answer("an item without an id")


def required_list(value: object, name: str | None = None) -> list[dict[str, Any]]:
    """Return a list of objects, or the one that an object has under a name; raise if it is not one."""
    items = value.get(name) if name is not None and isinstance(value, dict) else value
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _unexpected_answer("no list of items")
    return items


def _unexpected_answer(what: str) -> Unavailable:
    return Unavailable(
        f"The service answered with {what}.",
        hint="Check its address and the settings, then try again; nothing of that answer was used.",
    )
