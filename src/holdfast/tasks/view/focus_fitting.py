"""A focus that stays short: what was left out is told, with how much of it there is and where to read it."""

from __future__ import annotations

from holdfast.tasks.view.budget import within
from holdfast.tasks.view.focus_models import Focus, More

_LISTS = (
    "subtasks",
    "depends_on",
    "blocks",
    "labels",
    "criteria",
    "evidence",
    "connected_files",
    "links",
    "attachments",
    "rules",
    "remarks",
    "parents",
    "blockers",
)


def shortened_focus(whole: Focus, most: int, uri: str) -> Focus:
    """Return a focus that takes no more than so many bytes; `uri` is where the task can be read whole."""
    shorter = within(whole, most - _MORE_BYTES)
    if shorter is whole:
        return whole
    told = {item.what: item for item in whole.more or ()}
    for name in _LISTS:
        before, after = _length(whole, name), _length(shorter, name)
        known = told.get(name)
        if after < before or known is not None:
            told[name] = More(
                what=name,
                shown=min(after, known.shown) if known is not None else after,
                total=known.total if known is not None else before,
                uri=known.uri if known is not None else None,
            )
    told.setdefault("task", More(what="task", shown=0, total=1, uri=uri))
    return shorter.model_copy(update={"more": list(told.values()), "truncated": True})


_MORE_BYTES = 600
"""What telling of all that was left out may take."""


def _length(focus: Focus, name: str) -> int:
    holder = focus.task if hasattr(focus.task, name) else focus
    return len(getattr(holder, name, None) or ())
