"""`taskpilot_github`: issues and pull requests, and what they mean for tasks."""

from __future__ import annotations

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.tasks.annotations import INTEGRATION
from holdfast.tasks.github.models import GitHubCall
from holdfast.tasks.remote.models import TrackerReport
from holdfast.tasks.remote.text import report_words
from holdfast.tasks.store import Tasks
from holdfast.tasks.toolset import tasks


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
    from holdfast.tasks.github.handling import handled  # here, because it loads what speaks HTTP

    return handled(room, arguments)
