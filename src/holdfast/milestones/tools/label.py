"""`git_mile.label`: add and remove labels."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.errors import InvalidArguments
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import EntityWrite, MileReceipt, WordList, milestones


class ChangeLabels(EntityWrite):
    """Labels to add and to remove."""

    add: WordList = Field(default_factory=list, description="A label to add.")
    remove: WordList = Field(default_factory=list, description="A label to remove.")


@milestones.change(
    "label", "labels changed", title="Change labels", example="--add alpha --remove beta", listed=False
)
def change_labels(room: Milestones, args: ChangeLabels) -> MileReceipt:
    """Add and remove labels. An addition in another clone wins over a concurrent removal here."""
    if both := sorted(set(args.add) & set(args.remove)):
        raise InvalidArguments(f'"{both[0]}" is both added and removed.', hint="Choose one.")
    if not (args.add or args.remove):
        raise InvalidArguments("There is no label to change.", hint="Give labels to add or to remove.")
    receipt = room.change(
        args.id, add={"labels": args.add}, remove={"labels": args.remove}, **args.attribution
    )
    return MileReceipt.of(receipt)
