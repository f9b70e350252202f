"""The changes of a task as short texts: the old and the new value of each field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.kernel.text import shorten
from holdfast.tasks.store.records import Changed, File, TaskLink

_RESULT_NAMES = {
    "parent": "parent_id",
    "files": "connected_files",
    "issue_number": "github_issue_number",
    "issue_url": "github_url",
}
"""The names that results use for fields that the store names otherwise."""
_MAX_VALUE_CHARACTERS = 200
"""A judgement: enough to recognise a text; `taskpilot_show` has all of it."""


def uids_in_change(change: Changed) -> set[str]:
    """Return the uids of the other tasks that a change names."""
    needs = {uid for value in change.changed.get("depends_on", ()) for uid, _ in value}
    return needs | {uid for uid in change.changed.get("parent", ()) if uid}


def change_text(change: Changed, ids: Mapping[str, str]) -> Any:
    """Return the old and the new value of each changed field; `ids` has the short ids of the named tasks."""
    return {
        _RESULT_NAMES.get(name, name): [_text(name, value, ids) for value in values]
        for name, values in change.changed.items()
    }


def _text(name: str, value: Any, ids: Mapping[str, str]) -> str:
    if name == "parent":
        return ids.get(value, "")
    if name == "depends_on":
        return ", ".join(ids[uid] if kind == "blocks" else f"{kind}:{ids[uid]}" for uid, kind in value)
    if name == "criteria":
        return f"{sum(item['checked'] for item in value)} of {len(value)} checked"
    if name == "files":
        value = [File._make(row).path for row in value]
    elif name == "links":
        value = [TaskLink._make(row).ref for row in value]
    elif name == "evidence":
        value = [item["ref"] for item in value]
    if value is None:
        return ""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(text, _MAX_VALUE_CHARACTERS)
