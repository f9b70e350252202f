"""The inbox toolset, and results that several of its tools share."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from holdfast.inbox.message import Message, State
from holdfast.inbox.store import Inbox
from holdfast.inbox.suggestion import suggested_lines
from holdfast.kernel.models import Output, optional
from holdfast.kernel.toolset import Toolset
from holdfast.kernel.untrusted import UntrustedText

inbox = Toolset(
    "inbox",
    "Review remarks that people leave in lazygit, an editor or a shell for an agent to act on.",
    family="lazygit",
)


class Suggestion(Output):
    """Lines that a message suggests. `apply_suggestion` puts them in place."""

    first_line: int = Field(description="The first of the lines to replace, from 1.")
    last_line: int = Field(description="The last of the lines to replace.")
    original: UntrustedText | None = Field(
        description="The lines to replace, each with a line feed; null if the message does not quote them."
    )
    replacement: UntrustedText = Field(
        description="What to put in their place, each line with a line feed; empty to delete them."
    )

    @classmethod
    def of(cls, message: Message) -> Suggestion | None:
        suggested = suggested_lines(message.comment, message.line)
        if suggested is None:
            return None
        return cls(
            first_line=suggested.first,
            last_line=suggested.last,
            original=None if suggested.original is None else _as_text(suggested.original),
            replacement=_as_text(suggested.replacement),
        )


def _as_text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


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
    suggestion: Suggestion | None = optional("Exact lines to put in place of the named ones, if it has any.")

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
            suggestion=Suggestion.of(message),
        )


class Answer(Output):
    """One reply to a message."""

    text: UntrustedText
    author: UntrustedText
    time: str
