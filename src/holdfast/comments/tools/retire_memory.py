"""`retire_memory`: mark a memory as no longer of use."""

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


class RetireMemory(Input):
    """A memory that is no longer of use."""

    memory_id: CommentId = Field(alias="memoryId", description="The id that `recall` shows.")
    reason: CommentText = Field(description="Why it is no longer of use.")
    author: Author = Field(default=None, description="Who retires it.")


class RetiredMemory(MemoryFacts):
    """The memory as it is now."""


@comments.operation(
    "retire_memory",
    title="Retire a memory",
    effect=Effect.WRITE,
    command="retire-memory",
    positional=("memory_id", "reason"),
    example='holdfast comments retire-memory c_1730000000020 "The middleware is gone"',
    text=lambda result: f"Retired.\n{memory_text(result)}",
    command_defaults=arguments.AUTHOR_DEFAULT_TEXT,
    listed=False,
)
def retire_memory(room: Comments, args: RetireMemory) -> RetiredMemory:
    """Retire a memory that is no longer of use. It is kept, with the reason.

    `recall` leaves it out unless it is asked for retired memories. Correcting it brings it back.
    """
    author = arguments.author_name(room, args.author)
    return RetiredMemory.of(MemoryWriter(room).retire(args.memory_id, args.reason, author))
