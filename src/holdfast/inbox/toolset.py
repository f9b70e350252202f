"""The inbox toolset, and results that several of its tools share."""

from __future__ import annotations

from pydantic import Field

from holdfast.inbox.message import Message, State
from holdfast.inbox.store import Inbox
from holdfast.kernel.models import Output
from holdfast.kernel.toolset import Toolset
from holdfast.kernel.untrusted import UntrustedText

inbox = Toolset(
    "inbox",
    "Review remarks that people leave in lazygit, an editor or a shell for an agent to act on.",
    family="lazygit",
)


class Remark(Output):
    """A message, as the tools return it."""

    id: str
    file: UntrustedText = Field(description="Path from the repository root; `.` is the repository itself.")
    line: str | None = Field(description="The lines the sender named, N or N-M.")
    changed_lines: str | None = Field(
        description="Lines that differed from the last commit at first delivery, if no line was named."
    )
    comment: UntrustedText
    author: UntrustedText
    time: str = Field(description="When the message was sent (RFC 3339).")
    state: State
    delivered_at: str | None
    replies: int = Field(description="Number of replies to the message.")

    @property
    def lines(self) -> str | None:
        """Return the lines that the sender named, or else those that had changed."""
        return self.line or self.changed_lines

    @classmethod
    def of(cls, message: Message, room: Inbox) -> Remark:
        return cls(
            id=message.id,
            file=message.file,
            line=message.line,
            changed_lines=message.changed_lines or None,
            comment=message.comment,
            author=message.author or room.person,
            time=message.time,
            state=message.state,
            delivered_at=message.delivered_at,
            replies=message.reply_count,
        )


class Answer(Output):
    """One reply to a message."""

    text: UntrustedText
    author: UntrustedText
    time: str
