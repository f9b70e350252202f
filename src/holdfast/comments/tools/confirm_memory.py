"""`confirm_memory`: say that a memory holds for the present code."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.memory.memory_writer import MemoryWriter
from holdfast.comments.memory.results import MemoryFacts, memory_text
from holdfast.comments.models import Author, CommentId
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect


class ConfirmMemory(Input):
    """A memory that was checked."""

    memory_id: CommentId = Field(alias="memoryId", description="The id that `recall` shows.")
    author: Author = Field(default=None, description="Who checked it.")


class ConfirmedMemory(MemoryFacts):
    """The memory as it is now."""


@comments.operation(
    "confirm_memory",
    title="Confirm a memory",
    effect=Effect.WRITE,
    command="confirm-memory",
    positional=("memory_id",),
    example="holdfast comments confirm-memory c_1730000000020",
    text=lambda result: f"Confirmed.\n{memory_text(result)}",
    command_defaults=arguments.AUTHOR_DEFAULT_TEXT,
    listed=False,
)
def confirm_memory(room: Comments, args: ConfirmMemory) -> ConfirmedMemory:
    """Confirm that a memory still holds, after you have checked it against the code.

    It is then about the code as it is now: what `recall` says about changes starts again from here.
    """
    author = arguments.author_name(room, args.author)
    return ConfirmedMemory.of(MemoryWriter(room).confirm(args.memory_id, author))
