"""`taskpilot_remote_interface` and `taskpilot_github`: synchronise tasks with issue trackers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import IntegerOrNone
from holdfast.kernel.operation import Effect
from holdfast.tasks.caller import identify_caller
from holdfast.tasks.models import Body, TaskId, Title
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import INTEGRATION, tasks
from holdfast.tasks.trackers.report import SyncOptions, SyncOutcome, TrackerReport, report_text, step_fields

if TYPE_CHECKING:
    from holdfast.tasks.trackers.github_actions import GitHubActions


class RemoteInterface(SyncOptions):
    """A tracker, and an action on it."""

    interface_type: Literal["github", "jira", "linear", "asana", "trello", "custom"] = Field(
        description="Kind of tracker."
    )
    action: Literal["connect", "configure", "list", "test", "sync", "disconnect"] = Field(
        description="What to do."
    )
    config: str | None = Field(
        default=None,
        max_length=10_000,  # far more than the settings of any kind need
        description='Settings as JSON, such as {"project": "KELP"}; never a token.',
    )
    name: str | None = Field(
        default=None, max_length=300, description="Name of the tracker, if several of the kind are connected."
    )


@tasks.operation(
    "taskpilot_remote_interface",
    title="Connect another tracker",
    effect=Effect.WRITE,
    open_world=True,
    seconds=LIMITS.sync_seconds,
    command="remote",
    positional=("interface_type", "action"),
    example="holdfast tasks remote jira list",
    specified=True,
    text=report_text,
    annotations=INTEGRATION,
    listed=False,
)
def remote_interface(room: Tasks, arguments: RemoteInterface) -> TrackerReport:
    """Connect GitHub, Jira, Linear, Asana, Trello or another tracker, and synchronise tasks with it.

    Disabled until a person allows the tracker's host. Tokens come from the environment and are never stored.
    Only reports what it would do unless `dry_run` is off.
    """
    from holdfast.tasks.trackers import connection  # imported here because these load the HTTP client
    from holdfast.tasks.trackers.github_actions import check_project

    who, kind, action = identify_caller(room, arguments), arguments.interface_type, arguments.action
    if action == "list":
        return connection.list_trackers(room, kind)
    if action in ("connect", "configure"):
        settings = connection.parse_config(kind, arguments.config)
        if kind == "github":
            check_project(room, settings["repository"])
        return connection.connect(room, kind, settings, dry_run=arguments.dry_run, action=action)
    stored = connection.find_connected(room, kind, arguments.name)
    if kind == "github":
        check_project(room, str(stored.settings["repository"]))
    if action == "test":
        return connection.check_connection(room, stored)
    if action == "disconnect":
        return connection.disconnect(room, stored, dry_run=arguments.dry_run)
    return connection.synchronise(room, who, stored, arguments)


Action = Literal[
    "connect", "status", "sync", "sync_tasks", "create_issue", "create_pr", "update_from_pr", "disconnect"
]


class GitHubCall(SyncOptions):
    """An action on GitHub."""

    action: Action = Field(description="What to do; sync_tasks is another name for sync.")
    repository: str | None = Field(
        default=None, max_length=140, description="OWNER/NAME; by default that of the git remote."
    )
    task_id: TaskId | None = Field(default=None, description="The task an issue or pull request is for.")
    title: Title | None = Field(default=None, description="Title of a new issue or pull request.")
    description: Body | None = Field(default=None, description="Text of the issue or pull request.")
    branch: str | None = Field(default=None, max_length=200, description="The branch to be merged.")
    pull_request: IntegerOrNone = Field(default=None, ge=1, description="Number of the pull request to read.")


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
    text=report_text,
    annotations=INTEGRATION,
    listed=False,
)
def github(room: Tasks, arguments: GitHubCall) -> TrackerReport:
    """Synchronise tasks with GitHub issues, create issues and pull requests, follow a pull request.

    Disabled until a person allows the host. The token comes from the environment or the user's git credential
    helper and is never stored. Only reports what it would do unless `dry_run` is off.
    """
    from holdfast.tasks.trackers import connection  # imported here because these load the HTTP client
    from holdfast.tasks.trackers import github_actions as actions
    from holdfast.tasks.trackers.github import validate_project

    who, dry_run = identify_caller(room, arguments), arguments.dry_run
    action = "sync" if arguments.action == "sync_tasks" else arguments.action
    if action == "status":
        return actions.status(room)
    if action == "connect":
        project = arguments.repository or actions.find_project(room)
        actions.check_project(room, validate_project(project))
        return connection.connect(room, "github", {"repository": project}, dry_run=dry_run, action="connect")
    name = None if arguments.repository is None else f"github:{arguments.repository}"
    stored = connection.find_connected(room, "github", name)
    actions.check_project(room, str(stored.settings["repository"]))
    if action == "disconnect":
        return connection.disconnect(room, stored, dry_run=dry_run)
    if action == "sync":
        return connection.synchronise(room, who, stored, arguments)
    outcome = _execute(actions.GitHubActions(room, who, stored, dry_run), arguments)
    steps = ["Turn `dry_run` off to do this."] if dry_run else []
    return connection.report(
        room, "github", action, stored, dry_run=dry_run, next_steps=steps, **step_fields(outcome)
    )


def _execute(actions: GitHubActions, call: GitHubCall) -> SyncOutcome:
    """Carry out one of the actions that only GitHub has."""
    if call.action == "create_issue":
        return actions.create_issue(call.task_id, call.title, call.description)
    if call.action == "create_pr":
        return actions.create_pull_request(call.task_id, call.title, call.description, call.branch)
    return actions.follow_pull_request(call.pull_request)
