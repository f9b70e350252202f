"""A task in focus, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.view.text import task_words

if TYPE_CHECKING:
    from holdfast.tasks.view.focus_models import Focus, MadeFrom, RemarkOut

_WIDTH = 160
_LINES = 20


def focus_words(found: Focus) -> str:
    """Return a task in focus in some lines: what, what is in the way, what to keep to, what was said."""
    task = found.task
    lines = [task_words(task)]
    if task.description:
        lines.append(_short(task.description))
    if found.claim is not None:
        lines.append(f"Yours until {found.claim.expires_at}.")
    lines += [f"Part of {task_words(parent)}" for parent in found.parents or ()]
    lines += [f"Needs {task_words(blocker)}" for blocker in found.blockers or ()]
    for number, item in enumerate(task.criteria or (), 1):
        lines.append(f"[{'x' if item.checked else ' '}] {number}. {_short(item.text)}")
    lines += [f"Rule ({rule.type}): {_short(rule.text)}" for rule in found.rules or ()]
    lines += [_remark(remark) for remark in found.remarks or ()]
    lines += [
        f"{item.total - item.shown} more: {item.what}" for item in found.more or () if item.total > item.shown
    ]
    lines += [
        f"The room {item.room} could not be read: {_short(item.reason)}" for item in found.unreadable or ()
    ]
    if found.absent:
        lines.append(f"Not here: {', '.join(found.absent)}.")
    if len(lines) > _LINES:
        lines = [*lines[:_LINES], f"And {len(lines) - _LINES} lines more, in the data."]
    return "\n".join([*lines, *(found.next_steps or ())])


def made_words(made: MadeFrom) -> str:
    """Return what became of a remark."""
    words = {"created": "is new", "linked": "has it now", "known": "was made of it before"}[made.outcome]
    return f"{made.task.id} {words}: {one_line(made.task.title)} ({made.link.kind} {one_line(made.link.ref)})"


def _remark(remark: RemarkOut) -> str:
    place = one_line(remark.file) + (f":{remark.line}" if remark.line else "") if remark.file else ""
    said = " ".join(filter(None, [one_line(remark.title or ""), _short(remark.text)]))
    return f"{remark.kind} {place or one_line(remark.ref)[:40]}: {said}"


def _short(text: str) -> str:
    return shorten(one_line(text), _WIDTH)
