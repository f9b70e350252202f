"""`taskpilot_workspaces` and `taskpilot_health`: list the workspaces, and check the database."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import counted, one_line, printable_path, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import caller_name, check_workspace
from holdfast.tasks.models import Result, Scoped
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.text import MAX_LINES
from holdfast.tasks.view.workspace_summary import WorkspaceSummary, workspace_summaries

_MAX_NAME_CHARACTERS = 100
"""A judgement: with id and activity, a workspace fits on one line of a wide terminal."""


class Workspaces(Result):
    """The workspaces of the database."""

    operation: str
    workspaces: list[WorkspaceSummary]
    author: UntrustedText = Field(description="The name under which you write unless you give another.")
    repository: UntrustedText = Field(description="The name of the repository's folder.")


class Health(Result):
    """Says that the store responds; if it does not, the call fails."""

    operation: str
    status: Literal["ok"] = Field(description="Always ok: if the store does not respond, the call fails.")
    store: Literal["sqlite", "postgresql", "none"] = Field(
        description="The database; none before the first task."
    )
    workspaces: int


def _text(result: Workspaces) -> str:
    lines = [
        f"{item.id}  {item.status}, {counted(item.task_count, 'task')}  "
        f"{shorten(one_line(item.name), _MAX_NAME_CHARACTERS, tidy=True)}"
        for item in result.workspaces[:MAX_LINES]
    ]
    return "\n".join(lines) or "No workspaces yet."


@tasks.operation(
    "taskpilot_workspaces",
    title="🏢 List workspaces",
    effect=Effect.READ,
    command="workspaces",
    example="holdfast tasks workspaces",
    text=_text,
    listed=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces"),),
)
def workspaces(room: Tasks, arguments: Scoped) -> Workspaces:
    """List the workspaces of the database, each with its activity and number of tasks."""
    check_workspace(room, arguments)
    return Workspaces(
        operation="workspaces",
        workspaces=workspace_summaries(room),
        author=caller_name(room),
        repository=printable_path(os.path.basename(room.repository.root)),
    )


@tasks.operation(
    "taskpilot_health",
    title="Check the store",
    effect=Effect.READ,
    command="health",
    example="holdfast tasks health --json",
    text=lambda found: f"The store ({found.store}) responds; {counted(found.workspaces, 'workspace')}.",
    listed=False,
    annotations=READING,
    addresses=(Address("GET", "health"),),
)
def health(room: Tasks, arguments: Scoped) -> Health:
    """Check that the task store responds to a query."""
    check_workspace(room, arguments)
    found = room.workspaces()
    engine = room.store.engine if room.exists else "none"
    return Health(operation="health", status="ok", store=engine, workspaces=len(found))
