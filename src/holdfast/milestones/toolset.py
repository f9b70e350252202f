"""The milestones toolset, and the arguments and results that its writes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import SIGNATURE, Input, Output, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.toolset import Toolset
from holdfast.milestones.entity import Attribution, WriteReceipt
from holdfast.milestones.text import receipt_line

MAX_ID_CHARACTERS = 64  # a UUID has 36; longer text is refused before anything is searched
BULK_SECONDS = 600  # for a tool that reads or writes everything, or waits for a remote
MAX_CURSOR_CHARACTERS = 8192  # a cursor holds one value for each sort key; the longest are titles
MAX_NAMES_AT_ONCE = 100  # in one list of an argument: more than anybody types

EntityName = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARACTERS)]
WordList = Annotated[list[str], Field(max_length=MAX_NAMES_AT_ONCE)]
EntityNames = Annotated[list[EntityName], Field(max_length=MAX_NAMES_AT_ONCE)]
CommentId = Annotated[str, Field(max_length=MAX_ID_CHARACTERS)]
Cursor = Annotated[str, Field(max_length=MAX_CURSOR_CHARACTERS)]
Person = Annotated[str, Field(min_length=1, max_length=LIMITS.entity_word_characters)]
LongText = Annotated[str, Field(max_length=LIMITS.entity_text_characters)]
FileName = Annotated[str, Field(min_length=1, max_length=LIMITS.path_characters)]

_EXAMPLE_ID = "8903a9b6-0000-7000-8000-000000000001"


class MilestonesToolset(Toolset):
    """A toolset with a decorator for tools that change one milestone or issue."""

    def change(
        self, command: str, change: str, *, title: str, example: str = "", **more: Any
    ) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
        """Declare the decorated function as a tool that changes one milestone or issue.

        `change` is the participle that its text output says for it; `example` follows the command and an id.
        """
        settings: dict[str, Any] = {
            "effect": Effect.WRITE,
            "idempotent": True,
            "positional": ("id",),
            "text": lambda result: receipt_line(change, result),
        }
        return self.operation(
            f"git_mile.{command.replace('-', '_')}",
            title=title,
            command=command,
            example=f"holdfast milestones {command} {_EXAMPLE_ID} {example}".strip(),
            **(settings | more),
        )


milestones = MilestonesToolset(
    "milestones",
    "Milestones and issues that live in the repository's own git refs and travel with push and fetch.",
    family="git-mile",
)


class MileWrite(Input):
    """The arguments of every write."""

    request_id: str | None = Field(
        default=None,
        alias="requestId",
        min_length=1,
        max_length=LIMITS.request_characters,
        description="Idempotency key: a retry changes nothing.",
    )
    actor: Annotated[Person | None, SIGNATURE] = Field(
        default=None, description="Name <mail>; default: git's user."
    )

    @property
    def attribution(self) -> Attribution:
        return {"actor": self.actor, "request": self.request_id}


class EntityWrite(MileWrite):
    """The arguments of every change to an existing entity."""

    id: EntityName = Field(description="The milestone or issue.")


class MileReceipt(Output):
    """What a write did."""

    id: str = Field(description="The milestone or issue.")
    operations: list[str] = Field(description="Ids of the operations in the log.")
    changed: bool = Field(description="False if there was nothing to change.")
    repeated: bool = Field(description="True if the request had been carried out before; nothing was added.")
    comment_id: str | None = optional("Id of the comment that was written.")

    @classmethod
    def of(cls, receipt: WriteReceipt, *, comment: bool = False) -> MileReceipt:
        """Convert the store's receipt. With `comment`, its last operation wrote a comment."""
        written = receipt.operations[-1] if comment and receipt.operations else None
        return cls.model_validate(receipt._asdict() | {"id": receipt.entity, "comment_id": written})


class ChangeStatus(EntityWrite):
    """A change of status."""

    comment: LongText | None = Field(default=None, description="Why, as a comment.")
