"""`taskpilot_remote_interface`: other trackers, connected, tested and kept in step."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.tasks.caller import acting
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import INTEGRATION, tasks
from holdfast.tasks.trackers.report import SyncTerms, TrackerReport, report_words


class RemoteInterface(SyncTerms):
    """Which tracker, and what to do with it."""

    interface_type: Literal["github", "jira", "linear", "asana", "trello", "custom"] = Field(
        description="What kind of tracker it is."
    )
    action: Literal["connect", "configure", "list", "test", "sync", "disconnect"] = Field(
        description="What to do."
    )
    config: str | None = Field(
        default=None,
        max_length=10_000,
        description='Settings as JSON, such as {"project": "KELP"}; never a token.',
    )
    name: str | None = Field(
        default=None, max_length=300, description="Which one, where several of a kind are connected."
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
    text=report_words,
    annotations=INTEGRATION,
    listed=False,
)
def remote_interface(room: Tasks, arguments: RemoteInterface) -> TrackerReport:
    """Connect GitHub, Jira, Linear, Asana, Trello or another tracker, and keep tasks in step with it.

    Off until a person allows the tracker's host. Tokens come from the environment and are never stored.
    Says first what it would do; pass dry_run false to do it.
    """
    from holdfast.tasks.trackers import connection  # here, because these load what speaks HTTP
    from holdfast.tasks.trackers.github_actions import check_project

    who, kind, action = acting(room, arguments), arguments.interface_type, arguments.action
    if action == "list":
        return connection.listed(room, kind)
    if action in ("connect", "configure"):
        settings = connection.settings_of(kind, arguments.config)
        if kind == "github":
            check_project(room, settings["repository"])
        return connection.connected(room, kind, settings, dry_run=arguments.dry_run, action=action)
    known = connection.chosen(room, kind, arguments.name)
    if kind == "github":
        check_project(room, str(known.settings["repository"]))
    if action == "test":
        return connection.tested(room, known)
    if action == "disconnect":
        return connection.disconnected(room, known, dry_run=arguments.dry_run)
    return connection.synchronised(room, who, known, arguments)
