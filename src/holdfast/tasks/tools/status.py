"""`taskpilot_status` and `taskpilot_events`: how a workspace stands, and what happened in it."""

from __future__ import annotations

from typing import Any

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.models import Integer
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line
from holdfast.tasks.inputs import path_named
from holdfast.tasks.models import EventOut, InSession, Reported, ResponseFormat, TaskId, Word
from holdfast.tasks.store import rows
from holdfast.tasks.store.session import acting, reading
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.overview import EVERYTHING, Include, StatusResult, overview
from holdfast.tasks.view.results import event_out, workspace_ref


class ShowStatus(InSession):
    """How much to say."""

    include: list[Include] = Field(
        default=[], max_length=4, description="What to add: recommendations, rules, agents, chart."
    )
    detailed: StrictBool = Field(
        default=False, description="As `response_format` detailed, with everything included."
    )
    response_format: ResponseFormat = Field(
        default="concise", description="How many tasks to show of each kind."
    )


def status_words(result: Any) -> str:
    """Return how a workspace stands."""
    counts = result.counts
    by_status = ", ".join(f"{count} {name}" for name, count in counts.by_status.items() if count)
    return (
        f'Workspace "{one_line(result.workspace.name)}": {by_status or "no tasks"}; '
        f"{result.percent_done} % done, {counts.ready} ready, {counts.blocked} blocked or waiting."
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


class ReadEvents(InSession):
    """Whose history to tell."""

    task_id: TaskId | None = Field(default=None, description="Only what happened to this task.")
    actor: Word | None = Field(default=None, description="Only what this one did.")
    connected_file: Word | None = Field(default=None, description="Only tasks about this file.")
    after: Integer = Field(default=0, ge=0, description="Only events with a greater number.")
    limit: Integer = Field(default=50, ge=1, le=200, description="Most events to return.")
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")


class EventPage(Reported):
    """Events, newest first."""

    events: list[EventOut]
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for older ones.")


def _told(page: EventPage) -> str:
    lines = [
        " ".join(filter(None, (item.at, one_line(item.actor), item.type, item.task_id, _what(item))))
        for item in page.events
    ]
    lines += [f"Older ones with the cursor {page.next_cursor}"] if page.next_cursor else []
    return "\n".join(lines) or "Nothing happened."


def _what(event: EventOut) -> str:
    """Return what is worth telling of an event: of a new task its title, else what changed."""
    return one_line(event.title or "") if event.type == "created" else ", ".join(event.changed)


@tasks.operation(
    "taskpilot_events",
    title="Tell what happened",
    effect=Effect.READ,
    command="events",
    positional=("task_id",),
    example="holdfast tasks events TP-1",
    text=_told,
    listed=False,
    annotations=READING,
)
def events(room: Tasks, arguments: ReadEvents) -> EventPage:
    """Tell who did what to tasks, newest first: to all of them, one, those about a file, or by one agent."""
    named = arguments.model_dump(include={"task_id", "actor", "connected_file", "after"})
    query = f"taskpilot_events {named}"
    before = None if arguments.cursor is None else decode_cursor(query, arguments.cursor)
    if not isinstance(before, int | None):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    with reading(room, arguments) as transaction:
        workspace = transaction.workspace
        wanted = {
            "task": arguments.task_id and rows.find_task(transaction, arguments.task_id).uid,
            "actor": arguments.actor,
            "file": arguments.connected_file and path_named(arguments.connected_file),
            "before": before,
        }
        found = rows.events_before(transaction, workspace.id, arguments.after, arguments.limit + 1, wanted)
        shown = found[: arguments.limit]
        tasks_named = {event.task for event in shown if event.task is not None}
        ids, titles = rows.ids_of(transaction, tasks_named), rows.titles_of(transaction, tasks_named)
    return EventPage(
        operation="events",
        workspace=workspace_ref(workspace),
        events=[event_out(event, ids, titles) for event in shown],
        next_cursor=encode_cursor(query, shown[-1].seq) if len(found) > len(shown) else None,
    )
