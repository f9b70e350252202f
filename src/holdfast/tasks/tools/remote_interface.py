"""`taskpilot_remote_interface`: other trackers, connected, tested and kept in step."""

from __future__ import annotations

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import INTEGRATION, tasks
from holdfast.tasks.trackers.report import RemoteInterface, TrackerReport
from holdfast.tasks.trackers.report_text import report_words


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
    from holdfast.tasks.trackers.connection import handled  # here, because it loads what speaks HTTP

    return handled(room, arguments)
