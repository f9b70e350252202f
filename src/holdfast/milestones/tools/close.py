"""`git_mile.close`: close a milestone or issue."""

from __future__ import annotations

from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import ChangeStatus, MileReceipt, milestones


@milestones.change("close", "closed", title="Close a milestone or issue", example='--comment "Done"')
def close_entity(room: Milestones, args: ChangeStatus) -> MileReceipt:
    """Close a milestone or an issue; it can be opened again."""
    receipt = room.set_status(args.id, "closed", comment=args.comment, **args.attribution)
    return MileReceipt.of(receipt, comment=args.comment is not None)
