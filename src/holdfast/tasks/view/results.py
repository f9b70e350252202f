"""Converts rows of the store to the models of results: tasks, claims, events, attachments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.tasks.models import (
    AttachmentOut,
    ClaimOut,
    EventOut,
    TaskDetail,
    TaskReceipt,
    TaskRef,
    WorkspaceRef,
)
from holdfast.tasks.store import rows
from holdfast.tasks.store.lease import is_holder
from holdfast.tasks.store.records import Attachment, CallerIdentity, Event, Task, TaskWorkspace
from holdfast.tasks.store.states import MILESTONE_PREFIX
from holdfast.tasks.store.transaction import TaskTransaction

_EMPTY_LIST = "[]"
"""The JSON of an empty list, as the store writes it."""
_NO_TITLES: Mapping[str, str] = MappingProxyType({})


def timestamp(at: float) -> str:
    """Return a Unix timestamp as results show times: in RFC 3339 format, in UTC, in whole seconds."""
    return rfc3339_of_seconds(int(at))


def timestamp_or_none(at: float | None) -> str | None:
    """Return `timestamp` of a time, or None if there is none."""
    return None if at is None else timestamp(at)


def workspace_ref(workspace: TaskWorkspace, *, with_time: bool = False) -> WorkspaceRef:
    """Return a reference to a workspace; `with_time` adds when it was created."""
    created = timestamp(workspace.created_at) if with_time else None
    return WorkspaceRef(id=workspace.id, path=".", name=workspace.name, created_at=created)


def _ref_fields(transaction: TaskTransaction, task: Task, blockers: Iterable[str]) -> dict[str, Any]:
    """Return the fields of a `TaskRef`; `blockers` are the ids of the unfinished tasks it waits for."""
    blocked_by = list(blockers)
    if task.milestone is not None and transaction.has_closed_milestone(task):
        blocked_by.append(f"{MILESTONE_PREFIX}{task.milestone.removeprefix(MILESTONE_PREFIX)}")
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
    """Return references to tasks, each with what blocks it, with one query for all blockers."""
    listed = list(tasks)
    milestones = [task.milestone for task in listed if task.milestone is not None]
    if milestones:
        transaction.closed_milestones_among(milestones)  # one query, cached for each task below
    waiting = [task.uid for task in listed if task.waits]
    blockers = rows.blockers_of(transaction, waiting) if waiting else {}
    return [TaskRef(**_ref_fields(transaction, task, blockers.get(task.uid, ()))) for task in listed]


def receipt(task: Task) -> TaskReceipt:
    """Return a task as the receipt of a write shows it."""
    return TaskReceipt(
        id=task.id, title=task.title, status=task.status, version=task.version, priority=task.priority_name
    )


def claim_out(task: Task, now: float, who: CallerIdentity | None) -> ClaimOut | None:
    """Return the live claim on a task, if any. Its token is included only for the holder."""
    if task.claimed_by(now) is None or task.claim_agent is None:
        return None
    token = task.claim_token if who is not None and is_holder(task, who) else None
    return ClaimOut(
        agent=task.claim_agent,
        token=token,
        since=timestamp(task.claim_since or 0.0),
        expires_at=timestamp(task.claim_expires or 0.0),
    )


def task_detail(transaction: TaskTransaction, task: Task, who: CallerIdentity | None = None) -> TaskDetail:
    """Return a task with all its details."""
    return task_detail_from(transaction, task, rows.relations_of(transaction, task.uid), who)


def task_detail_from(
    transaction: TaskTransaction, task: Task, relations: rows.TaskRelations, who: CallerIdentity | None = None
) -> TaskDetail:
    """Return a task with all its details, given its related rows."""
    blockers = [item.id for item in relations.blockers] if task.waits else ()
    parent = rows.ids_of(transaction, [task.parent])[task.parent] if task.parent else None
    # Lists are plain values, from which pydantic builds models far faster than their constructors do.
    return TaskDetail(
        **_ref_fields(transaction, task, blockers),
        **_list_fields(task, relations),
        description=task.description,
        progress=task.progress,
        parent_id=parent,
        subtasks=task_refs(transaction, relations.subtasks) or None,
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


def _list_fields(task: Task, relations: rows.TaskRelations) -> dict[str, Any]:
    """Return the lists of a task as plain values; None for an empty one."""
    return {
        "depends_on": [
            {"id": item.task.id, "kind": item.kind, "status": item.task.status}
            for item in relations.needed_tasks
        ]
        or None,
        "blocks": [item.id for item in relations.dependents if item.kind == "blocks"] or None,
        "labels": relations.labels or None,
        "criteria": None if task.criteria == _EMPTY_LIST else json.loads(task.criteria),
        "evidence": None if task.evidence == _EMPTY_LIST else json.loads(task.evidence),
        "connected_files": [{**file._asdict(), "role": file.role or None} for file in relations.files]
        or None,
        "links": [link._asdict() for link in relations.links] or None,
        "attachments": [attachment_out(task.workspace, item) for item in relations.attachments] or None,
    }


def attachment_out(workspace: str, attachment: Attachment) -> AttachmentOut:
    """Return an attachment with the URI of its content."""
    uri = f"{workspace_uri(workspace)}/attachments/{attachment.sha256}"
    return AttachmentOut(name=attachment.name, mime=attachment.mime, size=attachment.size, uri=uri)


@lru_cache(maxsize=64)
def workspace_uri(workspace: str) -> str:
    """Return the URI of a workspace, under which those of its resources are."""
    return f"taskpilot://workspace/{quote(workspace)}"


def event_out(event: Event, ids: Mapping[str, str], titles: Mapping[str, str] = _NO_TITLES) -> EventOut:
    """Return an event; `ids` and `titles` have the ids and current titles of tasks by uid."""
    status = event.after.get("status")
    return EventOut(
        seq=event.seq,
        at=timestamp(event.at),
        actor=event.actor,
        type=event.type,
        task_id=None if event.task is None else ids.get(event.task),
        title=None if event.task is None else titles.get(event.task),
        version=event.version,
        changed=sorted(event.after),
        status=None if status == event.before.get("status") else status,
        reason=event.reason,
    )
