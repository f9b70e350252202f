"""Changes of a task as text: old and new value of each field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.kernel.text import shorten
from holdfast.tasks.store.records import Changed

_SHOWN_NAMES = {
    "parent": "parent_id",
    "files": "connected_files",
    "issue_number": "github_issue_number",
    "issue_url": "github_url",
}
_SHOWN_CHARACTERS = 200


def named_uids(done: Changed) -> set[str]:
    """Return the uids of the tasks that appear in the values of a change."""
    needs = {uid for value in done.changed.get("depends_on", ()) for uid, _ in value}
    return needs | {uid for uid in done.changed.get("parent", ()) if uid}


def change_text(done: Changed, ids: Mapping[str, str]) -> Any:
    """Return the old and new values of a change as short texts, by the names that results use."""
    return {
        _SHOWN_NAMES.get(name, name): [_text(name, value, ids) for value in values]
        for name, values in done.changed.items()
    }


def _text(name: str, value: Any, ids: Mapping[str, str]) -> str:
    if name == "parent":
        return ids.get(value, "")
    if name == "depends_on":
        return ", ".join(ids[uid] if kind == "blocks" else f"{kind}:{ids[uid]}" for uid, kind in value)
    if name == "criteria":
        return f"{sum(item['checked'] for item in value)} of {len(value)} checked"
    if name in ("files", "links", "evidence"):
        shown = {"files": 0, "links": 1, "evidence": "ref"}[name]
        value = [item[shown] for item in value]
    text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return shorten(text, _SHOWN_CHARACTERS)
