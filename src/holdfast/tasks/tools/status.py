"""`taskpilot_status`: how a workspace stands, in one look at the tables."""

from __future__ import annotations

from typing import Any

from pydantic import Field, StrictBool

from holdfast.kernel.operation import Effect
from holdfast.kernel.resource import Address
from holdfast.kernel.text import one_line
from holdfast.tasks.models import InSession, ResponseFormat
from holdfast.tasks.store.session import acting
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.overview import EVERYTHING, Include, StatusResult, overview


class ShowStatus(InSession):
    """How much to say."""

    include: list[Include] = Field(
        default=[], max_length=4, description="What to add: recommendations, rules, agents, chart."
    )
    detailed: StrictBool = Field(
        default=False, description="As response_format `detailed` with everything included."
    )
    response_format: ResponseFormat = Field(
        default="concise", description="How many tasks to show of each kind."
    )


def status_words(result: Any) -> str:
    """Return how a workspace stands."""
    by_status = ", ".join(f"{count} {name}" for name, count in result.counts.by_status.items() if count)
    return (
        f'Workspace "{one_line(result.workspace.name)}": {by_status or "no tasks"}; '
        f"{result.percent_done} % done, {len(result.ready)} shown as ready, {len(result.blocked)} blocked."
    )


@tasks.operation(
    "taskpilot_status",
    title="Show the status",
    effect=Effect.READ,
    command="status",
    example="holdfast tasks status",
    specified=True,
    text=status_words,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/status"),),
)
def status(room: Tasks, arguments: ShowStatus) -> StatusResult:
    """Show how the workspace stands: counts, pace, what is ready, stale or blocked, what holds others up."""
    acting(room, arguments)
    detailed = arguments.detailed or arguments.response_format == "detailed"
    included = EVERYTHING if arguments.detailed else frozenset(arguments.include)
    return overview(room, included, detailed=detailed)
