"""`taskpilot_status` and `taskpilot_events`: the status of a workspace, and its history."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.models import Integer
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line
from holdfast.tasks.caller import identify_caller, reading
from holdfast.tasks.connected_files import resolve_typed_paths
from holdfast.tasks.inputs import normalise_path
from holdfast.tasks.models import EventOut, InSession, Reported, ResponseFormat, ShortText, TaskId
from holdfast.tasks.store import history, rows
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.overview import EVERYTHING, Include, StatusResult, overview
from holdfast.tasks.view.results import event_out, workspace_ref


class ShowStatus(InSession):
    """The amount of detail to show."""

    include: list[Include] = Field(
        default=[], max_length=4, description="What to add: recommendations, rules, agents, chart."
    )
    detailed: StrictBool = Field(
        default=False, description="Same as `response_format` detailed with everything included."
    )
    response_format: ResponseFormat = Field(
        default="concise", description="How many tasks of each kind to show."
    )


def status_text(result: StatusResult) -> str:
    """Return the status in one sentence."""
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
    text=status_text,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/status"),),
)
def status(room: Tasks, arguments: ShowStatus) -> StatusResult:
    """Show the status of the workspace: counts, velocity, ready, stale and blocked tasks, bottlenecks."""
    identify_caller(room, arguments)
    detailed = arguments.detailed or arguments.response_format == "detailed"
    included = EVERYTHING if arguments.detailed else frozenset(arguments.include)
    return overview(room, included, detailed=detailed)


class ReadEvents(InSession):
    """A filter for events, and a page."""

    task_id: TaskId | None = Field(default=None, description="Only events of this task.")
    actor: ShortText | None = Field(default=None, description="Only events caused by this agent or person.")
    connected_file: ShortText | None = Field(
        default=None, description="Only events of tasks about this file."
    )
    after: Integer = Field(default=0, ge=0, description="Only events with a greater number.")
    limit: Integer = Field(default=50, ge=1, le=200, description="Maximum number of events.")
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")


class EventPage(Reported):
    """Events, newest first."""

    events: list[EventOut]
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for older ones.")


def events_text(page: EventPage) -> str:
    """Return the events, one per line, and how to get older ones."""
    lines = [
        " ".join(filter(None, (item.at, one_line(item.actor), item.type, item.task_id, _summary(item))))
        for item in page.events
    ]
    lines += [f"Older events with the cursor {page.next_cursor}"] if page.next_cursor else []
    return "\n".join(lines) or "No events."


def _summary(event: EventOut) -> str:
    """Return the title of a new task, or the changed fields."""
    return one_line(event.title or "") if event.type == "created" else ", ".join(event.changed)


@tasks.operation(
    "taskpilot_events",
    title="Show the history",
    effect=Effect.READ,
    command="events",
    positional=("task_id",),
    example="holdfast tasks events TP-1",
    text=events_text,
    fill_in=resolve_typed_paths,
    listed=False,
    annotations=READING,
)
def events(room: Tasks, arguments: ReadEvents) -> EventPage:
    """Show who did what, newest first: for all tasks, one task, tasks about a file, or one agent."""
    filters = arguments.model_dump(include={"task_id", "actor", "connected_file", "after"})
    query = f"taskpilot_events {filters}"  # a cursor is valid only with the same filters
    before = None if arguments.cursor is None else decode_cursor(query, arguments.cursor)
    if not isinstance(before, int | None):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    with reading(room, arguments) as transaction:
        workspace = transaction.workspace
        wanted = {
            "task": arguments.task_id and rows.find_task(transaction, arguments.task_id).uid,
            "actor": arguments.actor,
            "file": arguments.connected_file and normalise_path(arguments.connected_file),
            "before": before,
        }
        # One more than the page has shows whether another page follows.
        read = history.newest_events(transaction, workspace.id, arguments.after, arguments.limit + 1, wanted)
        shown = read[: arguments.limit]
        tasks_named = {event.task for event in shown if event.task is not None}
        ids, titles = rows.ids_of(transaction, tasks_named), rows.titles_of(transaction, tasks_named)
    return EventPage(
        operation="events",
        workspace=workspace_ref(workspace),
        events=[event_out(event, ids, titles) for event in shown],
        next_cursor=encode_cursor(query, shown[-1].seq) if len(read) > len(shown) else None,
    )
