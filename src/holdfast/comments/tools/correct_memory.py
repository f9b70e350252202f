"""`correct_memory`: replace the text of a memory."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.memory.memory_writer import MemoryWriter
from holdfast.comments.memory.results import MemoryFacts, memory_text
from holdfast.comments.models import Author, CommentId, CommentText
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect


class CorrectMemory(Input):
    """The new text of a memory."""

    memory_id: CommentId = Field(alias="memoryId", description="The id that `recall` shows.")
    text: CommentText = Field(description="What it should say.")
    author: Author = Field(default=None, description="Who corrects it.")


class CorrectedMemory(MemoryFacts):
    """The memory as it is now."""


@comments.operation(
    "correct_memory",
    title="Correct a memory",
    effect=Effect.WRITE,
    command="correct-memory",
    positional=("memory_id", "text"),
    example='holdfast comments correct-memory c_1730000000020 "Tokens last an hour"',
    text=lambda result: f"Corrected.\n{memory_text(result)}",
    command_defaults=arguments.AUTHOR_DEFAULT_TEXT,
    listed=False,
)
def correct_memory(room: Comments, args: CorrectMemory) -> CorrectedMemory:
    """Replace the text of a memory that no longer holds.

    The new text supersedes the former one, which is kept with its author. It is about the code as it is now.
    """
    author = arguments.author_name(room, args.author)
    return CorrectedMemory.of(MemoryWriter(room).correct(args.memory_id, args.text, author))
