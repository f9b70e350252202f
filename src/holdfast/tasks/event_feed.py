"""The event feed of a workspace, which clients follow over HTTP."""

from __future__ import annotations

from holdfast.kernel.route import FeedEvent
from holdfast.kernel.text import parse_natural
from holdfast.tasks.models import Scoped
from holdfast.tasks.store import history, rows
from holdfast.tasks.store.session import check_workspace
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.board import last_event
from holdfast.tasks.view.results import event_out

_EVENTS_AT_ONCE = 200
"""A chosen bound on one read; a feed that is further behind continues with the next."""


@tasks.feed("workspaces/{workspace_path}/events", topic="tasks", specified=True)
def events(room: Tasks, position: str | None, workspace_path: str) -> tuple[str, list[FeedEvent]]:
    """Return the events after a position, as `task.created` and the like; without a position, none."""
    check_workspace(room, Scoped(workspace_path=workspace_path))
    with room.reading() as transaction:
        workspace = transaction.workspace
        after = parse_natural(position or "")
        if position is None or after is None:
            return str(last_event(transaction)), []
        happened = history.events_after(transaction, workspace.id, after, _EVENTS_AT_ONCE)
        ids = rows.ids_of(transaction, [event.task for event in happened if event.task is not None])
    sent = [
        FeedEvent(str(event.seq), f"task.{event.type}", event_out(event, ids).wire()) for event in happened
    ]
    return (sent[-1].id if sent else position), sent
