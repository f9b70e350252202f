"""Summaries of the workspaces of the database, each with its activity."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import Result
from holdfast.tasks.store.records import TaskWorkspace, task_id
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.view.results import timestamp, timestamp_or_none

_ACTIVE_WITHIN_MINUTES = 5
"""The maximum age of the last event in an active workspace. A judgement: agents at work call more often."""


class WorkspaceSummary(Result):
    """A workspace as lists show it."""

    id: str
    name: UntrustedText
    path: str
    status: str = Field(
        description=f"active if anything happened in the last {_ACTIVE_WITHIN_MINUTES} minutes, else idle."
    )
    last_activity: str | None = None
    task_count: int
    active_task: str | None = Field(default=None, description="Of the claimed tasks, the one claimed last.")
    created_at: str


def workspace_summaries(room: Tasks) -> list[WorkspaceSummary]:
    """Return a summary of every workspace of the database."""
    return [_workspace_summary(room, workspace) for workspace in room.workspaces()]


def _workspace_summary(room: Tasks, workspace: TaskWorkspace) -> WorkspaceSummary:
    with room.reading() as transaction:
        now = transaction.now
        values = {"workspace": workspace.id, "now": now}
        count, last = transaction.execute(
            "SELECT (SELECT count(*) FROM task WHERE workspace = :workspace), max(at) FROM event"
            " WHERE workspace = :workspace",
            values,
        ).fetchone()
        last_claimed = transaction.execute(
            "SELECT n FROM task WHERE workspace = :workspace AND claim_agent IS NOT NULL"
            " AND claim_expires > :now ORDER BY claim_since DESC, n LIMIT 1",
            values,
        ).fetchone()
    return WorkspaceSummary(
        id=workspace.id,
        name=workspace.name,
        path=".",
        status="active" if last is not None and now - last <= 60 * _ACTIVE_WITHIN_MINUTES else "idle",
        last_activity=timestamp_or_none(last),
        task_count=count,
        active_task=None if last_claimed is None else task_id(last_claimed[0]),
        created_at=timestamp(workspace.created_at),
    )
