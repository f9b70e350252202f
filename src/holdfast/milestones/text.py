"""Milestones and issues in words, and in tables that fit the terminal.

Contract: stored text leaves here only through `visible`, on one line where a line is meant.
"""

from __future__ import annotations

from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import visible
from holdfast.milestones.columns import SHORT_ID, table
from holdfast.milestones.exchange_models import MileExported, MileImported
from holdfast.milestones.models import (
    MileComment,
    MileContest,
    MileDetails,
    MileEvent,
    MileItem,
    MileLog,
    MilePage,
    MileReady,
)
from holdfast.milestones.writing_models import MileClaimed, MileInitialized, MileReceipt, MileSynced

_VALUE_CHARACTERS = 60


def page(result: MilePage, width: int) -> str:
    """Lay a page out, with the way to the next one."""
    lines = [table([_row(item) for item in result.items], width)] if result.items else ["Nothing found."]
    if result.next_cursor is not None:
        lines.append(f"More with --cursor {result.next_cursor}")
    return _with_hint(lines, result.hint)


def ready(result: MileReady, width: int) -> str:
    """Lay out what can be worked on, and say how much more there is."""
    if not result.items:
        return _with_hint(["Nothing is ready to be worked on."], result.hint)
    lines = [table([_row(item) for item in result.items], width)]
    if result.total > len(result.items):
        lines.append(f"{result.total} altogether.")
    return _with_hint(lines, result.hint)


def details(result: MileDetails, width: int) -> str:
    """Lay one milestone or issue out, whole."""
    del width
    facts = [
        ("Status", result.status),
        ("Labels", ", ".join(result.labels)),
        ("Author", result.author),
        ("Created", result.created),
        ("Updated", result.updated),
        ("Assignee", result.assignee or ""),
        ("Due", result.due or ""),
        ("Milestone", result.milestone or ""),
        ("Depends on", ", ".join(result.dependencies or [])),
        ("Links", ", ".join(result.links or [])),
        ("Claimed by", f"{result.claim.actor} until {result.claim.until}" if result.claim else ""),
        ("Open issues", "" if result.stats.open_issues is None else str(result.stats.open_issues)),
    ]
    lines = [f"{result.entity} {result.id}", one_line(result.title), ""]
    lines += [f"{name + ':':<13}{one_line(value)}" for name, value in facts if value]
    lines += [f"Contested:   {_contest(contested)}" for contested in result.contested or []]
    lines += ["", visible(result.description)] if result.description else []
    if result.comments_omitted:
        lines += ["", f"{result.comments_omitted} older comments are not shown."]
    lines += [_comment(comment) for comment in result.comments]
    return _with_hint(lines, result.hint)


def log(result: MileLog) -> str:
    """Return the events of a history, one a line."""
    lines = [_event(event) for event in result.events] or ["Nothing happened yet."]
    if result.next_cursor is not None:
        lines.append(f"Older ones with --cursor {result.next_cursor}")
    return "\n".join(lines)


def created(result: MileReceipt) -> str:
    """Say what was created."""
    return (
        f"Created {result.id}" if not result.repeated else f"Created {result.id} before; nothing was added."
    )


def done(what: str, result: MileReceipt) -> str:
    """Say that something was done, or that it was so already."""
    if result.repeated:
        return f"{result.id[:SHORT_ID]}: this request was carried out before; nothing was added."
    return (
        f"{result.id[:SHORT_ID]}: {what}" if result.changed else f"{result.id[:SHORT_ID]}: nothing to change."
    )


def claimed(result: MileClaimed) -> str:
    """Say who holds what, and until when."""
    return f"{result.id[:SHORT_ID]}: claimed by {one_line(result.actor)} until {result.until}"


def initialized(result: MileInitialized) -> str:
    """Say what git was told."""
    if result.remote is None:
        return "Ready. There is no remote yet; run this again once there is one."
    now = "now brings" if result.changed else "already brings"
    return f"Ready. `git fetch {one_line(result.remote)}` {now} them; `git mile sync` also sends them."


def synced(result: MileSynced) -> str:
    """Say what a sync did, and which claims were lost."""
    lines = [f"{one_line(result.remote)}: received {result.received}, sent {result.sent}."]
    for lost in result.lost_claims:
        title = one_line(lost.title)
        lines.append(
            f"{lost.id[:SHORT_ID]} is claimed by {one_line(lost.holder)} until {lost.until}: {title}"
        )
    return "\n".join([*lines, *map(one_line, result.problems)])


def imported(result: MileImported) -> str:
    """Say what an import did."""
    skipped = [f"{one_line(entry.item)}: {one_line(entry.reason)}" for entry in result.skipped]
    head = f"{result.created} created, {result.unchanged} there already, {len(skipped)} skipped."
    return "\n".join([head, *skipped])


def exported(result: MileExported) -> str:
    """Return what was exported, or say where it is."""
    if result.file is not None:
        return f"Wrote {result.count} to {one_line(result.file)}"
    return result.text or ""


def _row(item: MileItem) -> dict[str, object]:
    return item.model_dump()


def _with_hint(lines: list[str], hint: str | None) -> str:
    return "\n".join([*lines, *([one_line(hint)] if hint else [])])


def _comment(comment: MileComment) -> str:
    edited = f", edited {comment.edited}" if comment.edited else ""
    head = f"\n{one_line(comment.author)}, {comment.ts}{edited} ({comment.id})"
    return f"{head}\n{'[deleted]' if comment.deleted else visible(comment.body)}"


def _contest(contested: MileContest) -> str:
    others = "; ".join(
        f"{one_line(other.value or 'none')} by {one_line(other.actor)}" for other in contested.others
    )
    return f"{contested.field} is {one_line(contested.value or 'none')}, also {others}"


def _event(event: MileEvent) -> str:
    value = shorten(one_line(event.value or ""), _VALUE_CHARACTERS)
    what = " ".join(part for part in (event.action, event.field, value) if part)
    return f"{event.ts}  {event.entity[:SHORT_ID]}  {one_line(event.actor)}: {one_line(what)}"
