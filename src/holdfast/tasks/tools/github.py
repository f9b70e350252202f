"""`taskpilot_github`: issues and pull requests, and what they mean for tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.tasks.caller import acting
from holdfast.tasks.models import Body, TaskId, Title
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import INTEGRATION, tasks
from holdfast.tasks.trackers.report import Outcome, SyncTerms, TrackerReport, report_words, steps_of

if TYPE_CHECKING:
    from holdfast.tasks.trackers.github_actions import GitHubActions

Action = Literal[
    "connect", "status", "sync", "sync_tasks", "create_issue", "create_pr", "update_from_pr", "disconnect"
]


class GitHubCall(SyncTerms):
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


@tasks.operation(
    "taskpilot_github",
    title="GitHub issues and pull requests",
    effect=Effect.WRITE,
    open_world=True,
    seconds=LIMITS.sync_seconds,
    command="github",
    positional=("action",),
    example="holdfast tasks github status",
    specified=True,
    text=report_words,
    annotations=INTEGRATION,
    listed=False,
)
def github(room: Tasks, arguments: GitHubCall) -> TrackerReport:
    """Keep tasks in step with GitHub issues, make issues and pull requests, follow a pull request.

    Off until a person allows the host. The token comes from the environment or the user's git credential
    helper and is never stored. Says first what it would do; pass dry_run false to do it.
    """
    from holdfast.tasks.trackers import connection  # here, because these load what speaks HTTP
    from holdfast.tasks.trackers import github_actions as actions
    from holdfast.tasks.trackers.github_api import checked_project

    who, dry_run = acting(room, arguments), arguments.dry_run
    action = "sync" if arguments.action == "sync_tasks" else arguments.action
    if action == "status":
        return actions.status(room)
    if action == "connect":
        project = arguments.repository or actions.project_here(room)
        actions.check_project(room, checked_project(project))
        return connection.connected(
            room, "github", {"repository": project}, dry_run=dry_run, action="connect"
        )
    name = None if arguments.repository is None else f"github:{arguments.repository}"
    known = connection.chosen(room, "github", name)
    actions.check_project(room, str(known.settings["repository"]))
    if action == "disconnect":
        return connection.disconnected(room, known, dry_run=dry_run)
    if action == "sync":
        return connection.synchronised(room, who, known, arguments)
    outcome = _done(actions.GitHubActions(room, who, known, dry_run), arguments)
    steps = ["Pass dry_run false to do this."] if dry_run else []
    return connection.report(room, action, known, dry_run=dry_run, next_steps=steps, **steps_of(outcome))


def _done(actions: GitHubActions, given: GitHubCall) -> Outcome:
    if given.action == "create_issue":
        return actions.create_issue(given.task_id, given.title, given.description)
    if given.action == "create_pr":
        return actions.create_pull_request(given.task_id, given.title, given.description, given.branch)
    return actions.follow_pull_request(given.pull_request)
