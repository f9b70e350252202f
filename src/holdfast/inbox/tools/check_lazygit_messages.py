"""Deliver the waiting messages to an agent, each once."""

from __future__ import annotations

from pydantic import Field

from holdfast.inbox import text
from holdfast.inbox.delivery import lease_waiting
from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import Remark, inbox
from holdfast.kernel.models import NoArguments, Output
from holdfast.kernel.operation import Effect


class DeliveredMessages(Output):
    """Messages to act on. They count as delivered once this answer was written."""

    messages: list[Remark]
    waiting: int = Field(description="Number of further messages, which the next call returns.")


@inbox.operation(
    "check_lazygit_messages",
    title="Check for new messages",
    effect=Effect.WRITE,
    command="check",
    example="holdfast inbox check",
    specified=True,
    specified_description="Check for new messages from lazygit",
    text=lambda result: text.batch_text(result.messages, result.waiting),
    command_text=lambda result: text.batch_text(
        result.messages, result.waiting, "run `holdfast inbox check` again"
    ),
)
def check_lazygit_messages(room: Inbox, args: NoArguments) -> DeliveredMessages:
    """Check for new messages from lazygit: review remarks a person left about files of this repository.

    At most ten are delivered, oldest first, each once; `waiting` is how many more there are. What one
    suggests, `apply_suggestion` does. Reply with `reply_to_message` when you have acted on one.
    """
    del args
    delivery = lease_waiting(room)
    return DeliveredMessages(
        messages=[Remark.of(message, room) for message in delivery.messages], waiting=delivery.waiting
    )
