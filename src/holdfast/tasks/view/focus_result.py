"""The result of `taskpilot_focus`: a task and its context, as data and as text, cut to fit the budget."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import Field

from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import ClaimOut, Reported, Result, TaskDetail, TaskRef
from holdfast.tasks.neighbours import RemarkKind
from holdfast.tasks.view.budget import DEFAULT_BYTES, MAX_BYTES, Model, fit
from holdfast.tasks.view.results import workspace_uri
from holdfast.tasks.view.text import MAX_LINES, task_line

_MAX_LINE_CHARACTERS = 160
"""A text is cut to this in the result's text. A judgement: two lines of a terminal."""
_MAX_REF_CHARACTERS = 40
"""A judgement: the length of a commit hash, the longest usual ref."""
_OMISSIONS_BYTES = 600
"""Reserved for the entries of `more`: one for each list, of about 40 bytes."""


class RemarkOut(Result):
    """A remark from another room about the task or its files."""

    kind: RemarkKind
    ref: UntrustedText
    text: UntrustedText
    uri: UntrustedText | None = None
    title: UntrustedText | None = None
    file: UntrustedText | None = None
    line: int | None = None
    end_line: int | None = None
    author: UntrustedText | None = None
    at: UntrustedText | None = None
    state: UntrustedText | None = None


class FocusRule(Result):
    """A rule to follow."""

    type: str
    text: UntrustedText


class More(Result):
    """A list or the task, where something was left out or a text was cut, and where to read the whole."""

    what: str = Field(description="Name of a list; remarks are counted by kind as well. `task` for the task.")
    shown: int = Field(description="How many items are shown, with or without cut texts; 0 for the task.")
    total: int
    uri: UntrustedText | None = None


class Unreadable(Result):
    """A room that could not be read."""

    room: str
    reason: UntrustedText


class Focus(Reported):
    """A task with everything known about it and its files."""

    task: TaskDetail
    claim: ClaimOut | None = Field(default=None, description="Yours, with its token.")
    left_by: UntrustedText | None = Field(default=None, description="Previous holder, whose claim expired.")
    parents: list[TaskRef] | None = Field(default=None, description="Its ancestors, nearest first.")
    blockers: list[TaskRef] | None = Field(default=None, description="Unfinished tasks it needs.")
    to_check: list[int] | None = Field(default=None, description="Numbers of criteria that are not met yet.")
    done_gate: str = Field(description="What this workspace requires before a task is done.")
    rules: list[FocusRule] | None = None
    remarks: list[RemarkOut] | None = Field(
        default=None, description="Open comments and unread messages on its files, its issue, its commits."
    )
    absent: list[str] | None = Field(default=None, description="Rooms that this repository does not have.")
    unreadable: list[Unreadable] | None = None
    more: list[More] | None = None
    truncated: bool | None = Field(default=None, description="Set if a text was cut; `more` says where.")
    version: int


def focus_text(focus: Focus) -> str:
    """Return the result as text: the task, its blockers, the rules, and remarks from other rooms."""
    task = focus.task
    lines = [task_line(task)]
    if task.description:
        lines.append(_clip_line(task.description))
    if focus.claim is not None:
        lines.append(f"Yours until {focus.claim.expires_at}.")
    lines += [f"Part of {task_line(parent)}" for parent in focus.parents or ()]
    lines += [f"Needs {task_line(blocker)}" for blocker in focus.blockers or ()]
    for number, item in enumerate(task.criteria or (), 1):
        lines.append(f"[{'x' if item.checked else ' '}] {number}. {_clip_line(item.text)}")
    files = ", ".join(file.path for file in task.connected_files or ())
    texts = {"Plan": task.plan, "Notes": task.notes, "Left by": focus.left_by, "Files": files}
    lines += [f"{name}: {_clip_line(text)}" for name, text in texts.items() if text]
    lines += [f"Rule ({rule.type}): {_clip_line(rule.text)}" for rule in focus.rules or ()]
    lines += [_remark_line(remark) for remark in focus.remarks or ()]
    lines += [
        f"{item.total - item.shown} more: {item.what}" for item in focus.more or () if item.total > item.shown
    ]
    lines += [
        f"The room {item.room} could not be read: {_clip_line(item.reason)}"
        for item in focus.unreadable or ()
    ]
    if focus.absent:
        lines.append(f"Not included, as this repository does not have them: {', '.join(focus.absent)}.")
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"And {len(lines) - MAX_LINES} more lines, in the data."]
    return "\n".join([*lines, *(focus.next_steps or ())])


def _remark_line(remark: RemarkOut) -> str:
    place = one_line(remark.file or "")
    if place and remark.line:
        place += f":{remark.line}"
    text = " ".join(filter(None, [one_line(remark.title or ""), _clip_line(remark.text)]))
    state = f" ({one_line(remark.state)})" if remark.state in ("orphaned", "closed") else ""
    return f"{remark.kind} {place or one_line(remark.ref)[:_MAX_REF_CHARACTERS]}{state}: {text}"


def _clip_line(text: str) -> str:
    return shorten(one_line(text), _MAX_LINE_CHARACTERS)


class FocusLimits(NamedTuple):
    """The limits of a result: most results then fit the byte budget, and others are cut further."""

    result_bytes: int
    text_characters: int
    """For description, notes and plan."""
    line_characters: int
    """For rules, criteria and remarks."""
    list_items: int
    """For the lists of the task. Criteria decide whether it is done, so twice as many of them are shown."""
    rules: int
    remarks: int
    """For each kind of remark."""


CONCISE = FocusLimits(
    DEFAULT_BYTES, text_characters=800, line_characters=160, list_items=8, rules=6, remarks=3
)
DETAILED = FocusLimits(
    MAX_BYTES, text_characters=3000, line_characters=300, list_items=20, rules=20, remarks=8
)
_TASK_TEXTS = ("title", "description", "notes", "plan")
_TASK_LISTS = (
    "subtasks", "depends_on", "blocks", "links", "connected_files", "attachments", "evidence", "labels",
    "criteria",
)  # fmt: skip
_CONTEXT_LISTS = ("rules", "remarks", "parents", "blockers")


def shorten_focus(whole: Focus, limits: FocusLimits) -> Focus:
    """Return a result cut to the limits, and further if it exceeds the byte budget; `more` says where.

    The entries of `more` in `whole` stay: they name what was never read, such as further remarks.
    """
    clipped = _clip(whole, limits)
    shorter = fit(clipped, limits.result_bytes - _OMISSIONS_BYTES)
    base = workspace_uri(whole.workspace.id)
    more = list(whole.more or ())
    with_cut_text = {name for name in _TASK_TEXTS if getattr(shorter.task, name) != getattr(whole.task, name)}
    for name in (*_CONTEXT_LISTS, *_TASK_LISTS):
        everything, shown = _list_named(whole, name), _list_named(shorter, name)
        if shown != everything[: len(shown)]:
            with_cut_text.add(name)
        if len(shown) < len(everything) or (name in with_cut_text and name in _CONTEXT_LISTS):
            uri = f"{base}/rules" if name == "rules" else None
            more.append(More(what=name, shown=len(shown), total=len(everything), uri=uri))
    exceeded_budget = shorter is not clipped
    if exceeded_budget or with_cut_text.difference(_CONTEXT_LISTS):
        more.append(More(what="task", shown=0, total=1, uri=f"{base}/tasks/{whole.task.id}"))
    is_truncated = exceeded_budget or bool(with_cut_text)
    return shorter.model_copy(update={"more": more or None, "truncated": is_truncated or None})


def _list_named(focus: Focus, name: str) -> list[Any]:
    return getattr(focus if name in _CONTEXT_LISTS else focus.task, name) or []


def _clip(whole: Focus, limits: FocusLimits) -> Focus:
    """Return a result cut to the limits, whatever its size in bytes."""
    task, line = whole.task, limits.line_characters
    changes: dict[str, Any] = {
        name: shorten(text, limits.text_characters) for name in _TASK_TEXTS if (text := getattr(task, name))
    }
    for name in _TASK_LISTS:
        if name != "labels" and (items := getattr(task, name)):
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
