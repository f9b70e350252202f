"""Print the waiting messages up to a maximum size, for a client's prompt hook."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.inbox.delivery import lease_fitting
from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import inbox
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText

_MIN_TEXT_CHARACTERS = 500
"""A judgement: one short message fits."""
_MAX_TEXT_CHARACTERS = 100_000
"""A judgement: about 25,000 tokens, a large part of an agent's context."""


class DrainMessages(Input):
    """How to print the waiting messages."""

    hook: StrictBool = Field(default=False, description="Begin with a line that explains the messages.")
    max_characters: Integer = Field(
        default=LIMITS.hook_characters,
        ge=_MIN_TEXT_CHARACTERS,
        le=_MAX_TEXT_CHARACTERS,
        description="Longest text to print; messages that do not fit keep waiting.",
    )


class PrintedMessages(Output):
    """The text that was printed, and the messages it delivers."""

    text: UntrustedText
    message_ids: list[str]
    waiting: int = Field(description="Number of further messages, which the next call returns.")


@inbox.operation(
    "drain_messages",
    title="Print waiting messages",
    effect=Effect.WRITE,
    command="drain",
    example="holdfast inbox drain --hook",
    text=lambda result: result.text,
    listed=False,  # for hooks of clients, which run the command
)
def drain_messages(room: Inbox, args: DrainMessages) -> PrintedMessages:
    """Print the waiting messages within a size bound, or nothing at all if none is waiting.

    For a client's prompt hook: what is printed becomes part of the agent's context and counts as delivered.
    """
    rendered, delivery = lease_fitting(room, args.max_characters, hook=args.hook)
    ids = [message.id for message in delivery.messages]
    return PrintedMessages(text=rendered, message_ids=ids, waiting=delivery.waiting)
