"""`git_mile.assign`: who is to do it."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import EntityWrite, MileReceipt, Person, milestones


class AssignEntity(EntityWrite):
    """Who is to do it."""

    assignee: Person | None = Field(default=None, description="Name, or Name <mail>; left out, the actor.")
    nobody: StrictBool = Field(default=False, description="Whether nobody is to be assigned.")


@milestones.change(
    "assign",
    "assigned",
    title="Assign a milestone or issue",
    example='"Ada <ada@example.org>"',
    positional=("id", "assignee"),
    listed=False,
)
def assign_entity(room: Milestones, args: AssignEntity) -> MileReceipt:
    """Say who is to do it: somebody, yourself when nobody is named, or nobody."""
    if args.nobody and args.assignee is not None:
        raise InvalidArguments("Either somebody is assigned or nobody is.", hint="Use one of both.")
    assignee = None if args.nobody else args.assignee or args.actor or room.identity()
    return MileReceipt.of(room.set(args.id, "assignee", assignee, **args.signed))
