"""Show a message with its replies."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import Field

from holdfast.inbox import text
from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import Answer, Remark, inbox
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect


class ShowMessage(Input):
    """Which message to show."""

    message_id: str = Field(
        min_length=1, max_length=80, description="Id of the message, such as m_0123456789abcdef."
    )


class Thread(Output):
    """A message with its replies, oldest first."""

    message: Remark
    replies: list[Answer]


@inbox.operation(
    "show_message",
    title="Show a message",
    effect=Effect.READ,
    command="show",
    positional=("message_id",),
    example="holdfast inbox show m_0123456789abcdef",
    text=lambda result: text.thread(result.message, result.replies),
    listed=False,
)
def show_message(room: Inbox, args: ShowMessage) -> Thread:
    """Show a message in full, with all its replies. An unambiguous prefix of its id is enough."""
    message = room.find(args.message_id)
    replies = [Answer(**asdict(reply)) for reply in room.replies(message)]
    return Thread(message=Remark.of(message, room), replies=replies)
