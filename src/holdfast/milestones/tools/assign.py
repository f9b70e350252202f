"""`git_mile.assign`: set or clear the assignee."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import EntityWrite, MileReceipt, Person, milestones


class AssignEntity(EntityWrite):
    """The new assignee."""

    assignee: Person | None = Field(default=None, description="Name, or Name <mail>; default: the actor.")
    nobody: StrictBool = Field(default=False, description="Whether to clear the assignee.")


@milestones.change(
    "assign",
    "assigned",
    title="Assign a milestone or issue",
    example='"Ada <ada@example.org>"',
    positional=("id", "assignee"),
    listed=False,
)
def assign_entity(room: Milestones, args: AssignEntity) -> MileReceipt:
    """Assign it to somebody, to yourself by default, or to nobody."""
    if args.nobody and args.assignee is not None:
        raise InvalidArguments("`assignee` and `nobody` exclude each other.", hint="Give only one of them.")
    assignee = None if args.nobody else args.assignee or args.actor or room.identity()
    return MileReceipt.of(room.set(args.id, "assignee", assignee, **args.attribution))
