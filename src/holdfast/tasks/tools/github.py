"""`taskpilot_github`: issues and pull requests, and what they mean for tasks."""

from __future__ import annotations

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import INTEGRATION, tasks
from holdfast.tasks.trackers.github_models import GitHubCall
from holdfast.tasks.trackers.report import TrackerReport
from holdfast.tasks.trackers.report_text import report_words


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
    from holdfast.tasks.trackers.github_actions import handled  # here, because it loads what speaks HTTP

    return handled(room, arguments)
