"""What of the inbox can be read by address. Reading never takes a message from the queue."""

from __future__ import annotations

from holdfast.inbox import text
from holdfast.inbox.delivery import peek
from holdfast.inbox.message import Message
from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import inbox
from holdfast.kernel.resource import Announcement
from holdfast.kernel.untrusted import visible

HISTORY_MESSAGES = 100


def arrivals(room: Inbox, position: int | None) -> tuple[int, list[Announcement]]:
    """Return what arrived after a position, and the position after that."""
    if position is None:
        return max((message.sequence for message in room.newest(1)), default=0), []
    arrived = room.messages("all", after=position, limit=HISTORY_MESSAGES)
    news = [Announcement("New message from lazygit", {"file": visible(message.file)}) for message in arrived]
    return max([position, *(message.sequence for message in arrived)]), news


@inbox.resource(
    "lazygit://messages",
    name="Lazygit Messages",
    description="Messages from lazygit for code improvement",
    title="Waiting messages",
    topic="inbox",
    announce=arrivals,
    specified=True,
)
def waiting_messages(room: Inbox) -> str:
    """Return the messages that the next check would hand over, in the same words."""
    messages, waiting = peek(room)
    return text.batch(messages, waiting)


@inbox.resource(
    "lazygit://history",
    name="Lazygit history",
    description="The newest messages, delivered or not, with their replies",
    title="Message history",
    topic="inbox",
)
def history(room: Inbox) -> str:
    """Return the newest messages with their state and their threads, oldest of them first."""
    messages = room.newest(HISTORY_MESSAGES)
    if not messages:
        return "No messages yet."
    total = room.count("all")
    head = (
        f"The newest {len(messages)} of {total} messages:" if total > len(messages) else f"Messages: {total}"
    )
    return f"\n\n{text.RULE}\n\n".join([head, *(_thread(room, message) for message in messages)])


def _thread(room: Inbox, message: Message) -> str:
    answers = ((reply.author, reply.time, reply.text) for reply in room.replies(message))
    return text.thread(message, message.state, message.author, answers)
