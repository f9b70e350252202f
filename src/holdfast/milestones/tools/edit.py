"""`git_mile.edit`: change title, description and due day."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import Scalar
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import EntityWrite, LongText, MileReceipt, milestones


class EditEntity(EntityWrite):
    """What to change in a milestone or issue. Omitted fields stay."""

    title: str | None = Field(
        default=None, min_length=1, max_length=LIMITS.entity_title_characters, description="Its new title."
    )
    description: LongText | None = Field(default=None, description="Its new description.")
    due: str | None = Field(default=None, description="The day it is due (YYYY-MM-DD), or none to clear it.")


@milestones.change(
    "edit",
    "edited",
    title="Edit a milestone or issue",
    example='--title "Milestone Alpha"',
    editor_argument="description",
    listed=False,
)
def edit_entity(room: Milestones, args: EditEntity) -> MileReceipt:
    """Change the title, description or due day. The fields are then no longer contested."""
    due = None if args.due == "none" else args.due
    values: dict[Scalar, str | None] = {"title": args.title, "description": args.description, "due": due}
    fields = {name: value for name, value in values.items() if getattr(args, name) is not None}
    if not fields:
        raise InvalidArguments("There is nothing to edit.", hint="Give a title, a description or a due day.")
    return MileReceipt.of(room.change(args.id, fields=fields, **args.attribution))
