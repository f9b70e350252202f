"""Damage within a sidecar that can be read: values that no program writes, and ids that are not unique.

Contract: a damaged comment or marker is shown as well as it can be and reported by `holdfast doctor`. It is
written only when that comment itself is changed, so no repair destroys what somebody could still read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.comments.sidecar.note import as_line_number

_LINE_KEYS = ("line", "startLine", "endLine")

TEXT_KEYS = ("lineHash", "lineText", "prevLineText", "nextLineText")
"""Keys of a marker that the extension's validator requires to be strings."""


def repeated_ids(items: Sequence[object]) -> frozenset[str]:
    """Return the ids that more than one of a document's comments or markers has."""
    ids = Counter(item["id"] for item in items if isinstance(item, dict) and _is_text(item.get("id")))
    return frozenset(name for name, count in ids.items() if count > 1)


def comment_damage(comment: Mapping[str, Any], repeated: frozenset[str]) -> str | None:
    """Return what is wrong with a comment; `repeated` has the ids of more than one."""
    if comment["id"] in repeated:
        return "another comment has the same id"
    wrong = _wrong_value(comment, _LINE_KEYS, ("author", "created", "updated"), ())
    return wrong and f"its {wrong}"


def marker_damage(marker: Mapping[str, Any], repeated: frozenset[str] = frozenset()) -> str | None:
    """Return what is wrong with the marker of a comment; `repeated` has the ids of more than one marker."""
    if _is_text(marker.get("id")) and marker["id"] in repeated:
        return "another marker has the id of its marker"
    wrong = _wrong_value(marker, ("line", "endLine"), ("id", "lastVerified", *TEXT_KEYS), ("commentIds",))
    return wrong and f"its marker's {wrong}"


def _wrong_value(
    item: Mapping[str, Any], lines: Sequence[str], texts: Sequence[str], lists: Sequence[str]
) -> str | None:
    """Return which key has a value of another type; a missing key is no damage, as dialects differ."""
    for name in lines:
        if item.get(name) is not None and as_line_number(item[name]) is None:
            return f"'{name}' is no line number"
    for name in texts:
        if item.get(name) is not None and not _is_text(item[name]):
            return f"'{name}' is no text"
    for name in lists:
        if item.get(name) is not None and not isinstance(item[name], list):
            return f"'{name}' is no list"
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)
