"""What the operation on GitHub takes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.tasks.models import Body, TaskId, Title
from holdfast.tasks.trackers.report import Synchronising

Action = Literal[
    "connect", "status", "sync", "sync_tasks", "create_issue", "create_pr", "update_from_pr", "disconnect"
]


class GitHubCall(Synchronising):
    """What to do on GitHub."""

    action: Action = Field(description="What to do; sync_tasks is another name for sync.")
    repository: str | None = Field(
        default=None, max_length=140, description="OWNER/NAME; left out, that of the git remote."
    )
    task_id: TaskId | None = Field(default=None, description="The task an issue or pull request is for.")
    title: Title | None = Field(default=None, description="Title of a new issue or pull request.")
    description: Body | None = Field(default=None, description="Its text.")
    branch: str | None = Field(default=None, max_length=200, description="The branch to be merged.")
    pull_request: int | None = Field(default=None, ge=1, description="Number of the pull request to read.")
