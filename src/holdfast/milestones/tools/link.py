"""`git_mile.link`: an issue's milestone, dependencies and links."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.milestones.entity import Scalar, SetField
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import (
    EntityName,
    EntityNames,
    EntityWrite,
    MileReceipt,
    WordList,
    milestones,
)


class LinkEntity(EntityWrite):
    """What to link an issue or milestone to."""

    milestone: EntityName | None = Field(default=None, description="The milestone an issue belongs to.")
    depends_on: EntityNames = Field(
        default_factory=list, alias="dependsOn", description="What must be done first."
    )
    to: WordList = Field(default_factory=list, description="A path, a commit, a URI or an id to link to.")
    unlink: StrictBool = Field(default=False, description="Whether to remove these links instead.")


@milestones.change("link", "links changed", title="Link a milestone or issue", example="--to src/main.py")
def link_entity(room: Milestones, args: LinkEntity) -> MileReceipt:
    """Set an issue's milestone, dependencies and links, or remove them."""
    entity = room.get("issue" if args.milestone is not None else None, args.id)
    fields: dict[Scalar, str | None] = {}
    if args.milestone is not None:
        fields["milestone"] = None if args.unlink else room.get("milestone", args.milestone).id
    dependencies = [room.get(None, name).id for name in args.depends_on]
    sets: dict[SetField, list[str]] = {"dependencies": dependencies, "links": args.to}
    if not (fields or any(sets.values())):
        raise InvalidArguments("There is nothing to link.", hint="Give `milestone`, `dependsOn` or `to`.")
    add, remove = ({}, sets) if args.unlink else (sets, {})
    return MileReceipt.of(room.change(entity.id, fields=fields, add=add, remove=remove, **args.attribution))
