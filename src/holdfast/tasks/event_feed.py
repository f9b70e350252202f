"""The event feed of a workspace, which clients such as the page follow over HTTP."""

from __future__ import annotations

from holdfast.kernel.route import FeedEvent
from holdfast.kernel.text import parse_natural
from holdfast.tasks.caller import check_workspace
from holdfast.tasks.models import Scoped
from holdfast.tasks.store import history, rows
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.board import last_event_number
from holdfast.tasks.view.results import event_out

_EVENTS_PER_READ = 200
"""A judgement that keeps one read short; a feed that is further behind gets the rest with the next read."""


@tasks.feed("workspaces/{workspace_path}/events", topic="tasks", specified=True)
def events(room: Tasks, position: str | None, workspace_path: str) -> tuple[str, list[FeedEvent]]:
    """Return the events after a position, and the new position. Without a position, the feed starts now."""
    check_workspace(room, Scoped(workspace_path=workspace_path))
    with room.reading() as transaction:
        workspace = transaction.workspace
        after = parse_natural(position or "")
        if position is None or after is None:
            return str(last_event_number(transaction)), []
        found = history.events_after(transaction, workspace.id, after, _EVENTS_PER_READ)
        ids = rows.ids_of(transaction, [event.task for event in found if event.task is not None])
    sent = [FeedEvent(str(event.seq), f"task.{event.type}", event_out(event, ids).wire()) for event in found]
    return (sent[-1].id if sent else position), sent
