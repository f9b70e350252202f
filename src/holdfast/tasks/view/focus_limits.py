"""Cuts the result of `taskpilot_focus` to fit its byte budget, and reports in `more` what is missing."""

from __future__ import annotations

from typing import Any, NamedTuple

from holdfast.kernel.text import shorten
from holdfast.tasks.view.budget import DEFAULT_BYTES, MAX_BYTES, Model, fit
from holdfast.tasks.view.focus_result import Focus, More
from holdfast.tasks.view.results import workspace_uri

_OMISSIONS_BYTES = 600
"""Reserved for the entries of `more` that are added after fitting: a dozen of about 50 bytes."""


class FocusLimits(NamedTuple):
    """The limits of a result: most results then fit the byte budget, and others are cut further."""

    result_bytes: int
    text_characters: int
    """For the title, description, notes and plan."""
    line_characters: int
    """For rules, criteria and remarks."""
    list_items: int
    """For blockers and the lists of the task. Criteria decide whether it is done: twice as many are shown."""
    rules: int
    remarks: int
    """For each kind of remark. The caller searches for no more than these, so they are not cut here."""


CONCISE = FocusLimits(
    DEFAULT_BYTES, text_characters=800, line_characters=160, list_items=8, rules=6, remarks=3
)
DETAILED = FocusLimits(
    MAX_BYTES, text_characters=3000, line_characters=300, list_items=20, rules=20, remarks=8
)
"""A judgement for both: a few paragraphs and one or two sentences per line (concise), or most texts whole
(detailed), with lists short enough that the coarser steps of `fit` are rarely needed."""
_TASK_TEXTS = ("title", "description", "notes", "plan")
_CLIPPED_TASK_LISTS = (
    "subtasks", "depends_on", "blocks", "links", "connected_files", "attachments", "evidence",
)  # fmt: skip
"""The lists of the task that are cut to `list_items`."""
_TASK_LISTS = (*_CLIPPED_TASK_LISTS, "labels", "criteria")
"""All lists of the task. Labels are so short that only the byte budget cuts them."""
_CONTEXT_LISTS = ("rules", "remarks", "parents", "blockers")
"""The lists of the result besides those of the task."""


class _CutList(NamedTuple):
    name: str
    whole: list[Any]
    shown: list[Any]

    @property
    def has_cut_item(self) -> bool:
        return self.shown != self.whole[: len(self.shown)]

    def omission(self, uri: str | None = None) -> More:
        return More(what=self.name, shown=len(self.shown), total=len(self.whole), uri=uri)


def shorten_focus(whole: Focus, limits: FocusLimits) -> Focus:
    """Return a result cut to the limits, and further if it exceeds the byte budget; `more` says where.

    Every list with omitted items has an entry. A cut text has one with its list if that is a list of the
    context; cut texts of the task have a single one, `task`, because one resource has the whole task. The
    entries that `whole` has already stay: they name what was never read, such as further remarks.
    """
    clipped = _clip(whole, limits)
    shorter = fit(clipped, limits.result_bytes - _OMISSIONS_BYTES)
    exceeded_budget = shorter is not clipped
    context_lists = _cut_lists(whole, shorter, _CONTEXT_LISTS)
    task_lists = _cut_lists(whole.task, shorter.task, _TASK_LISTS)
    base = workspace_uri(whole.workspace.id)
    more = list(whole.more or ())
    more += [
        item.omission(uri=f"{base}/rules" if item.name == "rules" else None)
        for item in context_lists
        if item.shown != item.whole
    ]
    more += [item.omission() for item in task_lists if len(item.shown) < len(item.whole)]
    task_has_cut_text = any(item.has_cut_item for item in task_lists) or any(
        getattr(shorter.task, name) != getattr(whole.task, name) for name in _TASK_TEXTS
    )
    if exceeded_budget or task_has_cut_text:
        more.append(More(what="task", shown=0, total=1, uri=f"{base}/tasks/{whole.task.id}"))
    is_truncated = exceeded_budget or task_has_cut_text or any(item.has_cut_item for item in context_lists)
    return shorter.model_copy(update={"more": more or None, "truncated": is_truncated or None})


def _cut_lists(whole: Model, shorter: Model, names: tuple[str, ...]) -> list[_CutList]:
    return [_CutList(name, getattr(whole, name) or [], getattr(shorter, name) or []) for name in names]


def _clip(whole: Focus, limits: FocusLimits) -> Focus:
    """Return a result cut to the limits, whatever its size in bytes."""
    task, line = whole.task, limits.line_characters
    changes: dict[str, Any] = {
        name: shorten(text, limits.text_characters) for name in _TASK_TEXTS if (text := getattr(task, name))
    }
    for name in _CLIPPED_TASK_LISTS:
        if items := getattr(task, name):
            changes[name] = items[: limits.list_items]
    changes["criteria"] = _clip_lines(task.criteria, 2 * limits.list_items, line)
    return whole.model_copy(
        update={
            "task": task.model_copy(update=changes),
            "blockers": whole.blockers and whole.blockers[: limits.list_items],
            "rules": _clip_lines(whole.rules, limits.rules, line),
            "remarks": _clip_lines(whole.remarks, None, line),
        }
    )


def _clip_lines(items: list[Model] | None, maximum: int | None, characters: int) -> list[Model] | None:
    """Return the first items, with texts and titles of at most so many characters."""
    return items and [
        item.model_copy(
            update={
                name: shorten(text, characters)
                for name in ("text", "title")
                if (text := getattr(item, name, None))
            }
        )
        for item in items[:maximum]
    ]
