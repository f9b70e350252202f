"""`git_mile.edit`: title, description and due day anew."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import Scalar
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import EntityWrite, LongText, MileReceipt, milestones


class EditEntity(EntityWrite):
    """What to set anew in a milestone or issue. What is left out stays."""

    title: str | None = Field(
        default=None, min_length=1, max_length=LIMITS.entity_title_characters, description="Its new title."
    )
    description: LongText | None = Field(default=None, description="Its new description.")
    due: str | None = Field(default=None, description="The day it is due (YYYY-MM-DD), or none for no day.")


@milestones.change(
    "edit",
    "edited",
    title="Edit a milestone or issue",
    example='--title "Milestone Alpha"',
    written_in_editor="description",
    listed=False,
)
def edit_entity(room: Milestones, args: EditEntity) -> MileReceipt:
    """Set title, description or due day anew. A field that was contested is so no longer."""
    due = None if args.due == "none" else args.due
    given: dict[Scalar, str | None] = {"title": args.title, "description": args.description, "due": due}
    fields = {name: value for name, value in given.items() if getattr(args, name) is not None}
    if not fields:
        raise InvalidArguments("Nothing is to be edited.", hint="Name a title, a description or a due day.")
    return MileReceipt.of(room.change(args.id, fields=fields, **args.signed))
