"""Converts rows of the store to result models: tasks, claims, events, workspaces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from pydantic import Field

from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import (
    AttachmentOut,
    ClaimOut,
    EventOut,
    Result,
    TaskDetail,
    TaskReceipt,
    TaskRef,
    WorkspaceRef,
)
from holdfast.tasks.store import rows
from holdfast.tasks.store.lease import is_holder
from holdfast.tasks.store.records import Attachment, Event, Task, TaskWorkspace, Who
from holdfast.tasks.store.states import MILESTONE
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction

_NONE = "[]"
NO_TITLES: Mapping[str, str] = MappingProxyType({})


def timestamp(at: float) -> str:
    """Return a stored time as results show it: RFC 3339 in UTC, in whole seconds."""
    return rfc3339_of_seconds(int(at))


def timestamp_or_none(at: float | None) -> str | None:
    """Return a stored time as results show it, if there is one."""
    return None if at is None else timestamp(at)


def workspace_ref(workspace: TaskWorkspace, *, with_time: bool = False) -> WorkspaceRef:
    """Return a workspace as results refer to it."""
    created = timestamp(workspace.created_at) if with_time else None
    return WorkspaceRef(id=workspace.id, path=".", name=workspace.name, created_at=created)


def _line(transaction: TaskTransaction, task: Task, needs: Iterable[str]) -> dict[str, Any]:
    blocked_by = list(needs)
    if task.milestone is not None and transaction.has_closed_milestone(task):
        blocked_by.append(f"{MILESTONE}{task.milestone.removeprefix(MILESTONE)}")
    return {
        "id": task.id,
        "title": task.title,
        "status": task.status,
        "priority": task.priority_name,
        "ready": transaction.is_ready(task),
        "claimed_by": task.claimed_by(transaction.now),
        "blocked_by": blocked_by or None,
    }


def task_refs(transaction: TaskTransaction, tasks: Iterable[Task]) -> list[TaskRef]:
    """Return task references, each with what blocks it."""
    listed = list(tasks)
    named = [task.milestone for task in listed if task.milestone is not None]
    if named:
        transaction.closed(named)
    waiting = [task.uid for task in listed if task.waits]
    blockers = rows.blockers_of(transaction, waiting) if waiting else {}
    return [TaskRef(**_line(transaction, task, blockers.get(task.uid, ()))) for task in listed]


def receipt(task: Task) -> TaskReceipt:
    """Return a task as receipts of writes show it."""
    return TaskReceipt(
        id=task.id, title=task.title, status=task.status, version=task.version, priority=task.priority_name
    )


def claim_out(task: Task, now: float, who: Who | None) -> ClaimOut | None:
    """Return the live claim on a task, with its token only if `who` is the holder."""
    if task.claimed_by(now) is None or task.claim_agent is None:
        return None
    token = task.claim_token if who is not None and is_holder(task, who) else None
    return ClaimOut(
        agent=task.claim_agent,
        token=token,
        since=timestamp(task.claim_since or 0.0),
        expires_at=timestamp(task.claim_expires or 0.0),
    )


def task_detail(transaction: TaskTransaction, task: Task, who: Who | None = None) -> TaskDetail:
    """Return a task with all its details."""
    return detail_of(transaction, task, rows.parts_of(transaction, task.uid), who)


def detail_of(
    transaction: TaskTransaction, task: Task, parts: rows.Parts, who: Who | None = None
) -> TaskDetail:
    """Return a task with all its details, given the parts that were read already."""
    needs = [item.id for item in parts.blockers] if task.waits else ()
    parent = rows.ids_of(transaction, [task.parent])[task.parent] if task.parent else None
    # Lists are passed as plain values: pydantic builds their models far faster than calling each constructor.
    return TaskDetail(
        **_line(transaction, task, needs),
        **_lists(task, parts),
        description=task.description,
        progress=task.progress,
        parent_id=parent,
        subtasks=task_refs(transaction, parts.subtasks) or None,
        milestone=task.milestone,
        notes=task.notes,
        plan=task.plan,
        claim=claim_out(task, transaction.now, who),
        version=task.version,
        created_by=task.created_by,
        created_at=timestamp(task.created_at),
        updated_at=timestamp(task.updated_at),
        started_at=timestamp_or_none(task.started_at),
        completed_at=timestamp_or_none(task.completed_at),
        github_issue_number=task.issue_number,
        github_url=task.issue_url,
    )


def _lists(task: Task, parts: rows.Parts) -> dict[str, Any]:
    """Return the lists of a task as plain values."""
    return {
        "depends_on": [
            {"id": item.task.id, "kind": item.kind, "status": item.task.status} for item in parts.needs
        ]
        or None,
        "blocks": [item.id for item in parts.needed_by if item.kind == "blocks"] or None,
        "labels": parts.labels or None,
        "criteria": None if task.criteria == _NONE else json.loads(task.criteria),
        "evidence": None if task.evidence == _NONE else json.loads(task.evidence),
        "connected_files": [{**file._asdict(), "role": file.role or None} for file in parts.files] or None,
        "links": [link._asdict() for link in parts.links] or None,
        "attachments": [attachment_out(task.workspace, item) for item in parts.attachments] or None,
    }


def attachment_out(workspace: str, attachment: Attachment) -> AttachmentOut:
    """Return an attachment as results refer to it."""
    uri = f"taskpilot://workspace/{quoted(workspace)}/attachments/{attachment.sha256}"
    return AttachmentOut(name=attachment.name, mime=attachment.mime, size=attachment.size, uri=uri)


@lru_cache(maxsize=64)
def quoted(workspace: str) -> str:
    """Return the id of a workspace, percent-encoded for a URI."""
    return quote(workspace)


def event_out(event: Event, ids: Mapping[str, str], titles: Mapping[str, str] = NO_TITLES) -> EventOut:
    """Return an event as histories and feeds show it."""
    return EventOut(
        seq=event.seq,
        at=timestamp(event.at),
        actor=event.actor,
        type=event.type,
        task_id=None if event.task is None else ids.get(event.task),
        title=None if event.task is None else titles.get(event.task),
        version=event.version,
        changed=sorted(event.after),
        status=after if (after := event.after.get("status")) != event.before.get("status") else None,
        reason=event.reason,
    )


class WorkspaceSummary(Result):
    """A workspace as lists show it."""

    id: str
    name: UntrustedText
    path: str
    status: str = Field(description="active if anything happened here in the last five minutes, else idle.")
    last_activity: str | None = None
    task_count: int
    active_task: str | None = Field(default=None, description="The task that was claimed last.")
    created_at: str


ACTIVE_SECONDS = 300.0
"""A judgement: agents that are at work report at least this often."""


def summaries(room: Tasks) -> list[WorkspaceSummary]:
    """Return every workspace as lists show it."""
    return [_summary(room, workspace) for workspace in room.workspaces()]


def _summary(room: Tasks, workspace: TaskWorkspace) -> WorkspaceSummary:
    with room.reading() as connection:
        now = connection.now
        values = {"workspace": workspace.id, "now": now}
        count, last = connection.execute(
            "SELECT (SELECT count(*) FROM task WHERE workspace = :workspace), max(at) FROM event"
            " WHERE workspace = :workspace",
            values,
        ).fetchone()
        held = connection.execute(
            "SELECT n FROM task WHERE workspace = :workspace AND claim_agent IS NOT NULL"
            " AND claim_expires > :now ORDER BY claim_since DESC, n LIMIT 1",
            values,
        ).fetchone()
    return WorkspaceSummary(
        id=workspace.id,
        name=workspace.name,
        path=".",
        status="active" if last is not None and now - last <= ACTIVE_SECONDS else "idle",
        last_activity=timestamp_or_none(last),
        task_count=count,
        active_task=None if held is None else f"TP-{held[0]}",
        created_at=timestamp(workspace.created_at),
    )
