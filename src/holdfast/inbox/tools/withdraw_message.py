"""Withdraw a message that was not delivered yet."""

from __future__ import annotations

from pydantic import Field

from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import inbox
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText


class WithdrawMessage(Input):
    """Which message to withdraw."""

    message_id: str = Field(
        min_length=1, max_length=80, description="Id of the message, such as m_0123456789abcdef."
    )


class WithdrawnMessage(Output):
    """The message that no agent will get."""

    message_id: str
    file: UntrustedText = Field(description="Path from the repository root; `.` is the repository itself.")


@inbox.operation(
    "withdraw_message",
    title="Withdraw a message",
    effect=Effect.WRITE,
    idempotent=True,
    command="withdraw",
    positional=("message_id",),
    example="holdfast inbox withdraw m_0123456789abcdef",
    text=lambda result: f"Message {result.message_id} is withdrawn",
    listed=False,
)
def withdraw_message(room: Inbox, args: WithdrawMessage) -> WithdrawnMessage:
    """Withdraw a message before an agent gets it. It stays in the history, and is not delivered.

    A message that was delivered cannot be withdrawn.
    """
    message = room.withdraw(args.message_id)
    return WithdrawnMessage(message_id=message.id, file=message.file)
