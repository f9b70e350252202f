"""The result of `taskpilot_focus`: a task and its context, as data and as text.

`focus_limits` cuts the data; the text shows of it what fits on a screen.
"""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import ClaimOut, Reported, Result, TaskDetail, TaskRef
from holdfast.tasks.neighbours import RemarkKind
from holdfast.tasks.view.text import MAX_LINES, task_line

_MAX_LINE_CHARACTERS = 160
"""A text is cut to this in the result's text. A judgement: two lines of a terminal."""
_MAX_REF_CHARACTERS = 40
"""A judgement: the length of a commit hash, the longest usual ref."""
_UNUSUAL_STATES = ("orphaned", "closed")
"""States of remarks that a line shows, because such a remark may need no work: the code of the comment is
gone, or the issue or milestone is closed. All other states are only in the data."""


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
    """What was left out or cut, how much of it is shown, and where to read the whole."""

    what: str = Field(description="A list, a kind of remark such as `comments`, or `task` for cut texts.")
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
    state = f" ({one_line(remark.state)})" if remark.state in _UNUSUAL_STATES else ""
    return f"{remark.kind} {place or one_line(remark.ref)[:_MAX_REF_CHARACTERS]}{state}: {text}"


def _clip_line(text: str) -> str:
    return shorten(one_line(text), _MAX_LINE_CHARACTERS)
