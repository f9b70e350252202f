"""Reply to a message."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from holdfast.inbox.message import MAX_AUTHOR_CHARACTERS
from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import inbox
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import SIGNATURE, Input, Output
from holdfast.kernel.operation import Effect


class ReplyToMessage(Input):
    """The message to reply to, and the reply."""

    message_id: str = Field(
        min_length=1, max_length=80, description="Id of the message, such as m_0123456789abcdef."
    )
    text: str = Field(
        min_length=1,
        max_length=LIMITS.reply_characters,
        description="What was done about the remark, or why not.",
    )
    author: Annotated[str | None, SIGNATURE] = Field(
        default=None, min_length=1, max_length=MAX_AUTHOR_CHARACTERS, description="The author of the reply."
    )


class ReplyReceipt(Output):
    """Receipt for a reply."""

    message_id: str
    time: str
    replies: int = Field(description="Number of replies to the message, including this one.")


@inbox.operation(
    "reply_to_message",
    title="Reply to a message",
    effect=Effect.WRITE,
    command="reply",
    positional=("message_id",),
    example='holdfast inbox reply m_0123456789abcdef --text "Handled: the error is now returned"',
    text=lambda result: f"Reply sent for {result.message_id}",
)
def reply_to_message(room: Inbox, args: ReplyToMessage) -> ReplyReceipt:
    """Reply to a message; the person who sent it reads the reply with `holdfast inbox show`."""
    message = room.find(args.message_id)
    reply = room.reply(message, args.text, args.author or room.person)
    return ReplyReceipt(message_id=message.id, time=reply.time, replies=len(room.replies(message)))
