"""From what the store holds to what results show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from urllib.parse import quote

from holdfast.kernel.clock import rfc3339
from holdfast.storage.sql import Connection
from holdfast.tasks import rows
from holdfast.tasks.claims import is_holder
from holdfast.tasks.instant import Instant
from holdfast.tasks.models import (
    AttachmentOut,
    ClaimOut,
    ConnectedFile,
    Criterion,
    EventOut,
    LinkOut,
    Needed,
    Proof,
    TaskDetail,
    TaskReceipt,
    TaskRef,
    WorkspaceRef,
)
from holdfast.tasks.records import Attachment, Event, File, Link, Task, Who, Workspace
from holdfast.tasks.words import MILESTONE


def moment(at: float) -> str:
    """Return a stored moment as results show it."""
    return rfc3339(datetime.fromtimestamp(at, UTC))


def moment_or_none(at: float | None) -> str | None:
    """Return a stored moment as results show it, if there is one."""
    return None if at is None else moment(at)


def workspace_ref(workspace: Workspace, *, with_time: bool = False) -> WorkspaceRef:
    """Return a workspace as results name it."""
    created = moment(workspace.created_at) if with_time else None
    return WorkspaceRef(id=workspace.id, path=".", name=workspace.name, created_at=created)


def task_ref(task: Task, instant: Instant, needs: Iterable[str] = ()) -> TaskRef:
    """Return a task on one line."""
    blocked_by = list(needs)
    if task.milestone is not None and instant.is_held_up(task):
        blocked_by.append(f"{MILESTONE}{task.milestone.removeprefix(MILESTONE)}")
    return TaskRef(
        id=task.id,
        title=task.title,
        status=task.status,
        priority=task.priority_name,
        ready=instant.is_ready(task),
        claimed_by=task.claimed_by(instant.at),
        blocked_by=blocked_by or None,
    )


def task_refs(connection: Connection, tasks: Iterable[Task], instant: Instant) -> list[TaskRef]:
    """Return tasks on one line each, those that wait with what they need."""
    listed = list(tasks)
    instant.closed(task.milestone for task in listed)
    blockers = rows.blockers_of(connection, [task.uid for task in listed if task.waits])
    return [task_ref(task, instant, blockers.get(task.uid, ())) for task in listed]


def receipt(task: Task) -> TaskReceipt:
    """Return a task as the receipt of a write shows it."""
    return TaskReceipt(
        id=task.id, title=task.title, status=task.status, version=task.version, priority=task.priority_name
    )


def claim_out(task: Task, now: float, who: Who | None = None) -> ClaimOut | None:
    """Return the live claim on a task; its token only to who holds it."""
    if task.claimed_by(now) is None or task.claim_agent is None:
        return None
    token = task.claim_token if who is not None and is_holder(task, who) else None
    return ClaimOut(
        agent=task.claim_agent,
        token=token,
        since=moment(task.claim_since or 0.0),
        expires_at=moment(task.claim_expires or 0.0),
    )


def task_detail(connection: Connection, task: Task, instant: Instant, who: Who | None = None) -> TaskDetail:
    """Return a task with everything that is known about it."""
    uid = task.uid
    blockers = rows.blockers_of(connection, [uid]).get(uid, ()) if task.waits else ()
    parent = rows.ids_of(connection, [task.parent])[task.parent] if task.parent else None
    return TaskDetail(
        **task_ref(task, instant, blockers).model_dump(),
        description=task.description,
        progress=task.progress,
        parent_id=parent,
        subtasks=task_refs(connection, rows.subtasks_of(connection, uid), instant) or None,
        depends_on=[
            Needed(id=item.id, kind=item.kind, status=item.status) for item in rows.needs_of(connection, uid)
        ]
        or None,
        blocks=[item.id for item in rows.needed_by(connection, uid) if item.kind == "blocks"] or None,
        labels=rows.labels_of(connection, uid) or None,
        milestone=task.milestone,
        criteria=[Criterion(**item) for item in json.loads(task.criteria)] or None,
        evidence=[Proof(**item) for item in json.loads(task.evidence)] or None,
        connected_files=[_file(item) for item in rows.files_of(connection, uid)] or None,
        links=[_link(item) for item in rows.links_of(connection, uid)] or None,
        attachments=[attachment_out(task.workspace, item) for item in rows.attachments_of(connection, uid)]
        or None,
        notes=task.notes,
        plan=task.plan,
        claim=claim_out(task, instant.at, who),
        version=task.version,
        created_by=task.created_by,
        created_at=moment(task.created_at),
        updated_at=moment(task.updated_at),
        started_at=moment_or_none(task.started_at),
        completed_at=moment_or_none(task.completed_at),
        github_issue_number=task.issue_number,
        github_url=task.issue_url,
    )


def _file(file: File) -> ConnectedFile:
    return ConnectedFile(
        path=file.path, role=file.role or None, line_start=file.line_start, line_end=file.line_end
    )


def _link(link: Link) -> LinkOut:
    return LinkOut(kind=link.kind, ref=link.ref, uri=link.uri, title=link.title)


def attachment_out(workspace: str, kept: Attachment) -> AttachmentOut:
    """Return an attachment as results name it."""
    uri = attachment_uri(workspace, kept.sha256)
    return AttachmentOut(name=kept.name, mime=kept.mime, size=kept.size, uri=uri)


def attachment_uri(workspace: str, sha256: str) -> str:
    """Return where the content of an attachment can be read."""
    return f"taskpilot://workspace/{quote(workspace)}/attachments/{sha256}"


def event_out(event: Event, ids: Mapping[str, str]) -> EventOut:
    """Return an event as histories and feeds show it."""
    return EventOut(
        seq=event.seq,
        at=moment(event.at),
        actor=event.actor,
        type=event.type,
        task_id=None if event.task is None else ids.get(event.task),
        version=event.version,
        changed=sorted(event.after),
        reason=event.reason,
    )
