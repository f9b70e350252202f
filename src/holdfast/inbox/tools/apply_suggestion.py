"""Apply the suggestion in a message to the file it is about."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Annotated

from pydantic import Field

from holdfast.inbox.message import MAX_AUTHOR_CHARACTERS, Message
from holdfast.inbox.store import Inbox
from holdfast.inbox.suggestion import SuggestedLines, replace_lines, suggested_lines
from holdfast.inbox.toolset import inbox
from holdfast.kernel.errors import Conflict, Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import SIGNATURE, Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.locks import locked
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree


class ApplySuggestion(Input):
    """The message whose suggestion to apply."""

    message_id: str = Field(
        min_length=1, max_length=80, description="Id of the message, such as m_0123456789abcdef."
    )
    author: Annotated[str | None, SIGNATURE] = Field(
        default=None, min_length=1, max_length=MAX_AUTHOR_CHARACTERS, description="Who applies it."
    )


class AppliedSuggestion(Output):
    """What was changed in the work tree."""

    message_id: str
    file: UntrustedText = Field(description="Path from the repository root.")
    line: int = Field(description="The first line that was replaced, from 1.")
    removed: int = Field(description="The number of lines that were replaced.")
    added: int = Field(description="The number of lines that are there now instead.")


def _text(result: AppliedSuggestion) -> str:
    removed = counted(result.removed, "line")
    return f"Applied to {result.file}:{result.line}: {removed} replaced by {result.added}"


@inbox.operation(
    "apply_suggestion",
    title="Apply a suggestion",
    effect=Effect.WRITE,
    command="apply",
    positional=("message_id",),
    example="holdfast inbox apply m_0123456789abcdef",
    text=_text,
    listed=False,
)
def apply_suggestion(room: Inbox, args: ApplySuggestion) -> AppliedSuggestion:
    """Put the lines that a message suggests in place of those it is about, in the work tree.

    It is refused if the file no longer has these lines. The message gets a reply that says so; if no agent
    has it yet, it is withdrawn.
    """
    message = room.find(args.message_id)
    suggested = _suggestion_in(message)
    path, tree = RepoPath.parse(message.file), Tree(room.repository)
    room.repository.ensure_store()
    with locked(os.path.join(room.repository.store_directory, "suggestions")):
        replaced = replace_lines(tree.read_bytes(path, LIMITS.source_file_bytes), suggested)
        if replaced is None:
            lines = f"line {suggested.first}" if suggested.first == suggested.last else "lines"
            raise Conflict(
                f"{message.file} no longer has the {lines} that the suggestion replaces.",
                hint="Compare the suggestion with the file, and change the file by hand.",
            )
        tree.write(path, replaced.content)
    room.reply(message, "Applied the suggestion.", args.author or room.person)
    with suppress(Conflict):  # an agent has the message, or is getting it
        room.withdraw(message.id)
    return AppliedSuggestion(
        message_id=message.id,
        file=message.file,
        line=replaced.first,
        removed=suggested.last - suggested.first + 1,
        added=len(suggested.replacement),
    )


def _suggestion_in(message: Message) -> SuggestedLines:
    suggested = suggested_lines(message.comment, message.line)
    if suggested is None or message.file == os.curdir:
        hint = "A suggestion is a block that begins with ```suggestion, in a remark about lines of a file."
        raise Invalid(f"The message {message.id} suggests no lines.", hint=hint)
    if suggested.original is None:
        hint = "Change the file by hand; a remark of the page quotes the lines."
        raise Invalid(f"The message {message.id} does not quote the lines that it replaces.", hint=hint)
    return suggested
