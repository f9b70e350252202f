"""The result of `taskpilot_focus`: a task and its context, as data and as text, cut to fit the budget."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import ClaimOut, Reported, Result, TaskDetail, TaskRef
from holdfast.tasks.neighbours import RemarkKind
from holdfast.tasks.view.budget import fit
from holdfast.tasks.view.text import task_line


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
    """A list or text that was cut, and where to read the whole."""

    what: str
    shown: int
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


_MAX_LINE_CHARACTERS = 160
"""Texts are cut to this. A judgement: two lines of a terminal."""
_MAX_LINES = 20
"""A judgement: the text fits on a screen; the data has everything."""
_MAX_REF_CHARACTERS = 40
"""A judgement: the length of a commit hash, the longest usual ref."""


def focus_text(found: Focus) -> str:
    """Return the result as text: the task, its blockers, the rules, and remarks from other rooms."""
    task = found.task
    lines = [task_line(task)]
    if task.description:
        lines.append(_clip_line(task.description))
    if found.claim is not None:
        lines.append(f"Yours until {found.claim.expires_at}.")
    lines += [f"Part of {task_line(parent)}" for parent in found.parents or ()]
    lines += [f"Needs {task_line(blocker)}" for blocker in found.blockers or ()]
    for number, item in enumerate(task.criteria or (), 1):
        lines.append(f"[{'x' if item.checked else ' '}] {number}. {_clip_line(item.text)}")
    files = ", ".join(file.path for file in task.connected_files or ())
    texts = {"Plan": task.plan, "Notes": task.notes, "Left by": found.left_by, "Files": files}
    lines += [f"{name}: {_clip_line(text)}" for name, text in texts.items() if text]
    lines += [f"Rule ({rule.type}): {_clip_line(rule.text)}" for rule in found.rules or ()]
    lines += [_remark_line(remark) for remark in found.remarks or ()]
    lines += [
        f"{item.total - item.shown} more: {item.what}" for item in found.more or () if item.total > item.shown
    ]
    lines += [
        f"The room {item.room} could not be read: {_clip_line(item.reason)}"
        for item in found.unreadable or ()
    ]
    if found.absent:
        lines.append(f"Not included, as this repository does not have them: {', '.join(found.absent)}.")
    if len(lines) > _MAX_LINES:
        lines = [*lines[:_MAX_LINES], f"And {len(lines) - _MAX_LINES} more lines, in the data."]
    return "\n".join([*lines, *(found.next_steps or ())])


def _remark_line(remark: RemarkOut) -> str:
    place = one_line(remark.file or "")
    if place and remark.line:
        place += f":{remark.line}"
    text = " ".join(filter(None, [one_line(remark.title or ""), _clip_line(remark.text)]))
    state = f" ({one_line(remark.state)})" if remark.state in ("orphaned", "closed") else ""
    return f"{remark.kind} {place or one_line(remark.ref)[:_MAX_REF_CHARACTERS]}{state}: {text}"


def _clip_line(text: str) -> str:
    return shorten(one_line(text), _MAX_LINE_CHARACTERS)


_CLIPPED_LISTS = (
    "subtasks", "depends_on", "blocks", "labels", "criteria", "evidence", "connected_files", "links",
    "attachments", "rules", "remarks", "parents", "blockers",
)  # fmt: skip
"""Lists of the task and of the result that `fit` may cut."""
_OMISSIONS_BYTES = 600
"""Reserved for the entries of `more`: one for each list, of about 40 bytes."""


def shorten_focus(whole: Focus, maximum: int, uri: str) -> Focus:
    """Return a result of at most `maximum` bytes; the whole task can be read at `uri`."""
    shorter = fit(whole, maximum - _OMISSIONS_BYTES)
    if shorter is whole:
        return whole
    more = {item.what: item for item in whole.more or ()}
    for name in _CLIPPED_LISTS:
        before, after = _list_length(whole, name), _list_length(shorter, name)
        if after < before or name in more:
            entry = more.get(name) or More(what=name, shown=before, total=before)
            more[name] = entry.model_copy(update={"shown": min(after, entry.shown)})
    more.setdefault("task", More(what="task", shown=0, total=1, uri=uri))
    return shorter.model_copy(update={"more": list(more.values()), "truncated": True})


def _list_length(focus: Focus, name: str) -> int:
    """Return the length of a list of the task, or of the result if the task has no such list."""
    owner = focus.task if hasattr(focus.task, name) else focus
    return len(getattr(owner, name, None) or ())
