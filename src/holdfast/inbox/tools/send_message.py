"""Send a review remark about a file to an agent."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool

from holdfast.inbox import text
from holdfast.inbox.message import MAX_AUTHOR_CHARACTERS, resolve_file, validate_line
from holdfast.inbox.store import Inbox
from holdfast.inbox.target import check_place, missing_target
from holdfast.inbox.toolset import inbox
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import SIGNATURE, ExpectedFormat, Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText

_LINE_PATTERN = "^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$"


class SendMessage(Input):
    """A remark about a file."""

    file: str = Field(
        min_length=1,
        max_length=LIMITS.path_characters,
        description="Path of the file, from the repository root or from the current directory.",
    )
    comment: str = Field(
        min_length=1, max_length=LIMITS.message_comment_characters, description="The text of the remark."
    )
    line: Annotated[str | None, ExpectedFormat("a line N or a range N-M, counted from 1")] = Field(
        default=None,
        pattern=_LINE_PATTERN,
        coerce_numbers_to_str=True,
        description="Line N or lines N-M. If omitted, the changed lines of the file are attached instead.",
    )
    author: Annotated[str | None, SIGNATURE] = Field(
        default=None, min_length=1, max_length=MAX_AUTHOR_CHARACTERS, description="The author of the remark."
    )
    anyway: StrictBool = Field(
        default=False, description="Send it although the file or line is neither here nor in the last commit."
    )


class MessageReceipt(Output):
    """Receipt for a message."""

    id: str = Field(description="Id of the message.")
    file: UntrustedText = Field(description="Path from the repository root; `.` is the repository itself.")
    line: str | None
    time: str = Field(description="When it was sent (RFC 3339).")
    duplicate: bool = Field(
        description="Whether the same message was already stored; then nothing was added."
    )
    warning: UntrustedText | None = Field(
        description="What is missing, if it was sent about a file or line that is not there."
    )


@inbox.operation(
    "send_message",
    title="Send a message",
    effect=Effect.WRITE,
    idempotent=True,
    command="send",
    shortcut="send",
    example='holdfast send --file src/main.py --line 42 --comment "This function needs error handling"',
    text=lambda result: text.sent_text(result.file, duplicate=result.duplicate, warning=result.warning),
)
def send_message(room: Inbox, args: SendMessage) -> MessageReceipt:
    """Leave a review remark about a file for the agent that works on this repository.

    It waits until an agent requests it. The same file, comment and second is one message. A file
    or line that does not exist is refused, unless `anyway` is set.
    """
    check_place(room.repository)
    file, line = resolve_file(args.file, room.repository.root), validate_line(args.line)
    missing = missing_target(room.repository, file, line)
    if missing is not None and not args.anyway:
        raise missing
    receipt = room.send(args.file, args.comment, args.line, args.author)
    return MessageReceipt(
        id=receipt.id,
        file=receipt.file,
        line=receipt.line,
        time=receipt.time,
        duplicate=receipt.duplicate,
        warning=None if missing is None else missing.message,
    )
