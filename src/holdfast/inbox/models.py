"""What the room's operations take and return."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.inbox.message import Message, Receipt, Reply, State
from holdfast.inbox.validity import AUTHOR_CHARACTERS
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText

_LINE_PATTERN = "^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$"
_SMALLEST_BOUND = 500
_LARGEST_BOUND = 100_000


class SendMessage(Input):
    """A remark about a file."""

    file: str = Field(
        min_length=1,
        max_length=LIMITS.path_characters,
        description="Path of the file, from the repository root or from the current directory.",
    )
    comment: str = Field(
        min_length=1,
        max_length=LIMITS.message_comment_characters,
        description="What you want to say about it.",
    )
    line: str | None = Field(
        default=None,
        pattern=_LINE_PATTERN,
        coerce_numbers_to_str=True,
        description="Line N or lines N-M. Left out, the lines that changed in the file are offered instead.",
    )
    author: str | None = Field(
        default=None, min_length=1, max_length=AUTHOR_CHARACTERS, description="Who says it."
    )


class Sent(Output):
    """Receipt for a message."""

    id: str = Field(description="Name of the message.")
    file: UntrustedText = Field(description="Path from the repository root; `.` is the repository itself.")
    line: str | None
    time: str = Field(description="When it was sent (RFC 3339).")
    duplicate: bool = Field(description="Whether the same message was there already; nothing was added then.")

    @classmethod
    def of(cls, receipt: Receipt) -> Sent:
        """Return the receipt as a result."""
        return cls(
            id=receipt.id,
            file=receipt.file,
            line=receipt.line,
            time=receipt.time,
            duplicate=receipt.duplicate,
        )


class Remark(Output):
    """One message."""

    id: str
    file: UntrustedText = Field(description="Path from the repository root; `.` is the repository itself.")
    line: str | None = Field(description="The lines the sender named, N or N-M.")
    changed_lines: str | None = Field(
        description="Where the file differed from the last commit at first hand-over, if no line was named."
    )
    comment: UntrustedText
    author: UntrustedText | None
    time: str = Field(description="When it was sent (RFC 3339).")
    state: State
    delivered_at: str | None
    replies: int = Field(description="How many answers it has.")

    @property
    def lines(self) -> str | None:
        """Return the lines it is about, as the words show them."""
        return self.line or self.changed_lines

    @classmethod
    def of(cls, message: Message) -> Remark:
        """Return a stored message as a result."""
        return cls(
            id=message.id,
            file=message.file,
            line=message.line,
            changed_lines=message.changed_lines or None,
            comment=message.comment,
            author=message.author,
            time=message.time,
            state=message.state,
            delivered_at=message.delivered_at,
            replies=message.reply_count,
        )


class HandedOver(Output):
    """Messages for the reader to act on. They count as delivered once this answer was written."""

    messages: list[Remark]
    waiting: int = Field(description="How many more the next call will find.")


class DrainMessages(Input):
    """How to print what waits."""

    hook: bool = Field(default=False, description="Begin with a line that says what the messages are.")
    max_characters: int = Field(
        default=LIMITS.hook_characters,
        ge=_SMALLEST_BOUND,
        le=_LARGEST_BOUND,
        description="Longest text to print; whole messages only, what does not fit waits.",
    )


class Drained(Output):
    """The text that was printed, and which messages it hands over."""

    text: UntrustedText
    message_ids: list[str]
    waiting: int = Field(description="How many more the next call will find.")


class ListMessages(Input):
    """Which messages to list."""

    state: Literal["pending", "delivered", "all"] = Field(
        default="all", description="Which messages to list."
    )
    limit: int = Field(default=50, ge=1, le=LIMITS.list_page, description="Most messages to return.")
    cursor: str | None = Field(default=None, description="Cursor of the previous page, to continue after it.")


class MessagePage(Output):
    """A page of messages, oldest first."""

    messages: list[Remark]
    total: int = Field(description="How many messages are in that state altogether.")
    next_cursor: str | None = Field(
        description="Pass it as `cursor` for the next page; null on the last one."
    )


class ShowMessage(Input):
    """Which message to show."""

    message_id: str = Field(
        min_length=1, max_length=80, description="Name of the message, such as m_0123456789abcdef."
    )


class Answer(Output):
    """One reply to a message."""

    text: UntrustedText
    author: UntrustedText
    time: str

    @classmethod
    def of(cls, reply: Reply) -> Answer:
        """Return a stored reply as a result."""
        return cls(text=reply.text, author=reply.author, time=reply.time)


class Thread(Output):
    """A message with its replies, oldest first."""

    message: Remark
    replies: list[Answer]


class ReplyToMessage(Input):
    """An answer to a message."""

    message_id: str = Field(
        min_length=1, max_length=80, description="Name of the message, such as m_0123456789abcdef."
    )
    text: str = Field(
        min_length=1,
        max_length=LIMITS.reply_characters,
        description="What was done about the remark, or why not.",
    )
    author: str = Field(
        default="agent", min_length=1, max_length=AUTHOR_CHARACTERS, description="Who answers."
    )


class Replied(Output):
    """Receipt for an answer."""

    message_id: str
    time: str
    replies: int = Field(description="How many answers the message has now.")
